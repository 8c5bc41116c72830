import { HostError, toHostError } from '../../core/index.js';
import { askLine } from '../system/askOnce.js';
import { untilInterrupted } from '../system/interrupts.js';
import type { Io } from '../system/io.js';

/** Asks a question that only "y" or "yes" affirms. @param refused said otherwise @throws HostError `cancelled` for any other answer */
export async function confirm(question: string, refused: string, io: Io): Promise<void> {
  const answer = await untilInterrupted((signal) => askLine(io, `${question} (y or n): `, signal)).catch((error: unknown) => {
    throw toHostError(error).with({ detail: refused });
  });
  if (!isYes(answer)) throw new HostError('cancelled', { detail: refused });
}

export function isYes(answer: string | undefined): boolean {
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}
