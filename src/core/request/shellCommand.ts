/**
 * Finds the command that an agent wants to run through a shell: `npm test` in `bash -lc 'npm test'`. For rows and titles only; a user who
 * decides sees the whole command.
 */
import { basename } from 'node:path';

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish']);
/** Real commands nest fewer shells than this. */
const mostShells = 2;
/** Longer lines are scripts, which no row shows. */
const longestLine = 20_000;

/**
 * @param line a line for a shell
 * @returns the command that the shell is told to run; the line itself if it is not a shell with one command
 */
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

/** @returns undefined if a shell would interpret the line: several commands, variables, patterns */
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
