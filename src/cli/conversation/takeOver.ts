import type { Elsewhere } from '../../core/index.js';
import type { Format } from '../arguments/request.js';
import { TerminalLines } from '../input/terminalLines.js';
import { type Io, isInteractive } from '../system/io.js';

/**
 * Asks the user at the terminal before this process stops a turn of another process. What was typed before the question does not answer it.
 * @param format with `json`, a program reads the output, and stdin is for its answers
 * @returns whether to stop it; false if there is no user to ask
 */
export async function mayTakeOver({ program, isBusy }: Elsewhere, format: Format, io: Io): Promise<boolean> {
  if (!isBusy || format === 'json' || !isInteractive(io)) return false;
  const where = program === 'editor' ? 'the editor' : 'another terminal';
  const answer = await new Promise<string>((resolve) => {
    const answered = (line: string): void => {
      lines.release();
      resolve(line);
    };
    const lines = new TerminalLines({ stdin: io.stdin, onLine: answered, onEnd: () => answered('') });
    lines.settle(() => io.stderr.write(`The agent is working on this conversation in ${where}. Stop it and continue here? [y/N] `));
  });
  return /^y(es)?$/i.test(answer.trim());
}
