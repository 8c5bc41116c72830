import { HostError } from '../../core/index.js';

export interface SplitOptions {
  /** A backslash takes the next character as it is. Not on Windows, where it stands in paths. */
  readonly backslashEscapes: boolean;
}

/**
 * Splits a command line into its arguments: at white space, with 'single' and "double" quotes. Nothing else of a shell: no variables, no
 * patterns, no pipes.
 * @throws HostError `usage` for a quote that is not closed, or when nothing is left
 */
export function splitCommand(line: string, { backslashEscapes }: SplitOptions): readonly string[] {
  const args: string[] = [];
  let current: string | undefined;
  let quote: '"' | "'" | undefined;
  for (let index = 0; index < line.length; index++) {
    const character = line.charAt(index);
    if (quote !== undefined && character === quote) {
      quote = undefined;
    } else if (isEscape(line, index, quote, backslashEscapes)) {
      index += 1;
      current = (current ?? '') + line.charAt(index);
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      current ??= '';
    } else if (quote === undefined && /\s/.test(character)) {
      if (current !== undefined) args.push(current);
      current = undefined;
    } else {
      current = (current ?? '') + character;
    }
  }
  if (quote !== undefined) throw new HostError('usage', `--command has a ${quote} that is not closed: ${line}`);
  if (current !== undefined) args.push(current);
  if (args.length === 0 || args[0] === '')
    throw new HostError('usage', '--command is empty. Give the program and its arguments, e.g. --command "my-agent --acp"');
  return args;
}

/** In double quotes a backslash escapes only what would otherwise end or change them, in single quotes nothing. */
function isEscape(line: string, index: number, quote: '"' | "'" | undefined, backslashEscapes: boolean): boolean {
  if (line.charAt(index) !== '\\' || index + 1 >= line.length) return false;
  const next = line.charAt(index + 1);
  if (quote === "'") return false;
  if (quote === '"') return next === '"' || (backslashEscapes && next === '\\');
  return backslashEscapes;
}
