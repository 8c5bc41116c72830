import { HostError } from '../base/errors.js';

/**
 * Builds the command line with which cmd.exe runs a batch file. The arguments arrive unchanged, and nothing in them is executed or
 * expanded. Windows can start a batch file in no other way. Pass the line on verbatim, without Node's own quoting.
 *
 * Every argument is in quotes, where cmd.exe treats `&|<>^()` as ordinary characters. A quote in an argument is doubled, so that cmd.exe
 * and the C runtime agree on where the argument ends (only the runtime gives a meaning to a backslash before a quote). Each `%` is preceded
 * by `%%cd:~,%`, which expands to a percent sign and nothing else, so that no variable name can form. With `/v:off`, `!` has no meaning.
 * @throws HostError `spawn_failed` for an argument with a line break or a NUL, which no quoting can pass on
 */
export function batchCommandLine(batchFile: string, args: readonly string[]): string {
  return `/d /e:on /v:off /s /c "${[batchFile, ...args].map(quoteForBatch).join(' ')}"`;
}

export function quoteForBatch(argument: string): string {
  if (/[\0\r\n]/.test(argument)) {
    throw new HostError('spawn_failed', { reason: 'batch_line_break' });
  }
  // Backslashes only have a meaning before a quote; there, each one is doubled.
  const escaped = argument.replaceAll(
    /(\\*)("|$)/g,
    (_, backslashes: string, quote: string) => `${backslashes}${backslashes}${quote}${quote}`,
  );
  return `"${escaped.replaceAll('%', '%%cd:~,%')}"`;
}
