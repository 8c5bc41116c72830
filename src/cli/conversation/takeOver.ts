import { createInterface } from 'node:readline/promises';
import type { Elsewhere } from '../../core/index.js';
import { type Io, isInteractive } from '../system/io.js';

/**
 * Asks the person at the terminal before a turn is stopped that runs in another process.
 * @returns whether to stop it; false where nobody can be asked
 */
export async function mayTakeOver({ program, isBusy }: Elsewhere, io: Io): Promise<boolean> {
  if (!isBusy || !isInteractive(io)) return false;
  const where = program === 'editor' ? 'the editor' : 'another terminal';
  const reader = createInterface({ input: io.stdin, output: io.stderr });
  try {
    const answer = await reader.question(`The agent is working on this conversation in ${where}. Stop it and continue here? [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
