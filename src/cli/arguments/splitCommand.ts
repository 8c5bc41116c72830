import { usageError } from './usageError.js';

export interface SplitOptions {
  /** A backslash escapes the next character. Not on Windows, where it separates folders. */
  readonly backslashEscapes: boolean;
}

/**
 * Splits a command line into its arguments: at white space, with 'single' and "double" quotes. Supports nothing else of a shell: no
 * variables, no patterns, no pipes. The help promises the escapes and the error; `string-argv` has neither.
 * @throws HostError `usage` for an unclosed quote or an empty command
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
  if (quote !== undefined) throw usageError(`--command has an unclosed ${quote}: ${line}`);
  if (current !== undefined) args.push(current);
  if (args.length === 0 || args[0] === '')
    throw usageError('--command is empty. Specify the program and its arguments, e.g. --command "my-agent --acp"');
  return args;
}

/** In double quotes, a backslash only escapes a quote or a backslash; in single quotes, nothing. */
function isEscape(line: string, index: number, quote: '"' | "'" | undefined, backslashEscapes: boolean): boolean {
  if (line.charAt(index) !== '\\' || index + 1 >= line.length) return false;
  const next = line.charAt(index + 1);
  if (quote === "'") return false;
  if (quote === '"') return next === '"' || (backslashEscapes && next === '\\');
  return backslashEscapes;
}
