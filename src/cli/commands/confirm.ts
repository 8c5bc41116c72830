import { ExitCode, exitCodeOfSignal } from '../output/exitCode.js';
import { askLine } from '../system/askOnce.js';
import { onInterrupts } from '../system/interrupts.js';
import type { Io } from '../system/io.js';

/** Asks a question that only "y" or "yes" affirms. @param refused said otherwise @returns the exit code for any answer but yes */
export async function confirm(question: string, refused: string, io: Io): Promise<number | undefined> {
  const interrupted = new AbortController();
  let code: number = ExitCode.cancelled;
  const stop = (signal: NodeJS.Signals): void => {
    code = exitCodeOfSignal(signal);
    interrupted.abort();
  };
  const interrupts = onInterrupts({ interrupt: () => stop('SIGINT'), end: stop });
  try {
    const answer = await askLine(io, `${question} (y or n): `, interrupted.signal);
    if (/^y(?:es)?$/i.test(answer?.trim() ?? '')) return undefined;
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
  } finally {
    interrupts.dispose();
  }
  io.stderr.write(`acp-host: ${refused}\n`);
  return code;
}
