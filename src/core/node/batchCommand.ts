import { HostError } from '../base/errors.js';

/**
 * The line by which cmd.exe runs a batch file with these arguments: they arrive as they are, and nothing in them is run or replaced. Windows
 * starts a batch file in no other way. To be handed over word for word, without Node's own quoting.
 *
 * Every argument stands in quotes, where cmd.exe takes `&|<>^()` for letters; a quote in it is doubled, so that cmd.exe and the C runtime agree
 * on where it ends (a backslash before a quote means something to the runtime only); before each `%` stands `%%cd:~,%`, which is a per cent
 * sign and nothing, so that no name of a variable forms. `!` means nothing with `/v:off`.
 * @throws HostError `spawn_failed` for an argument with a line break or a NUL, which no quoting carries
 */
export function batchCommandLine(batchFile: string, args: readonly string[]): string {
  return `/d /e:on /v:off /s /c "${[batchFile, ...args].map(quoteForBatch).join(' ')}"`;
}

export function quoteForBatch(argument: string): string {
  if (/[\0\r\n]/.test(argument)) {
    throw new HostError('spawn_failed', { reason: 'batch_line_break' });
  }
  // Backslashes count only where a quote follows: then each is written twice.
  const escaped = argument.replaceAll(
    /(\\*)("|$)/g,
    (_, backslashes: string, quote: string) => `${backslashes}${backslashes}${quote}${quote}`,
  );
  return `"${escaped.replaceAll('%', '%%cd:~,%')}"`;
}
