/** The command that somebody meant, where an agent hands it to a shell: `bash -lc 'npm test'` is `npm test`. For rows and titles; whoever decides is shown the whole. */
import { basename } from 'node:path';

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish']);
/** A shell that starts a shell that starts a shell is nobody's habit. */
const mostShells = 2;
/** A longer one is a script of its own, and no row shows it. */
const longestLine = 20_000;

/** @param line as for a shell @returns what the shell is told to run; the line itself where it is no shell with one command */
export function unwrapShell(line: string): string {
  let command = line;
  for (let times = 0; times < mostShells; times++) {
    const inner = innerCommand(command);
    if (inner === undefined) break;
    command = inner;
  }
  return command;
}

function innerCommand(line: string): string | undefined {
  const words = line.length > longestLine ? undefined : literalWords(line.trim());
  const [program, ...rest] = words ?? [];
  if (program === undefined || !shells.has(basename(program))) return undefined;
  const script = rest.at(-1);
  const flags = rest.slice(0, -1);
  const runsScript = flags.length > 0 && flags.every((flag) => /^-[a-z]+$/.test(flag)) && flags.at(-1)?.endsWith('c') === true;
  return runsScript && script !== undefined && script.trim() !== '' ? script.trim() : undefined;
}

const word = /(?:[\w@%+=:,./-]|'[^']*'|"(?:[^"\\$`]|\\[\s\S])*"|\\[^\n])+/y;
const piece = /'([^']*)'|"((?:[^"\\$`]|\\[\s\S])*)"|\\([^\n])|([\w@%+=:,./-]+)/g;

/** @returns undefined where a shell would make something of it: several commands, variables, patterns */
function literalWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  for (let at = 0; at < line.length; ) {
    word.lastIndex = at;
    const found = word.exec(line)?.[0];
    if (found === undefined) return undefined;
    words.push(
      found.replace(
        piece,
        (_, single?: string, double?: string, escaped?: string, plain?: string) =>
          single ?? double?.replace(/\\(["\\$`])/g, '$1').replace(/\\\n/g, '') ?? escaped ?? plain ?? '',
      ),
    );
    at += found.length;
    const gap = /^[ \t]+/.exec(line.slice(at))?.[0].length ?? 0;
    if (gap === 0 && at < line.length) return undefined;
    at += gap;
  }
  return words;
}
