/** Determines from the end of its files how the last turn of a saved conversation ended, so that a list doesn't need the rest. */
import { isFields } from '../base/fields.js';
import { parseJson } from '../base/parseJson.js';
import { fileFacts, readText } from '../node/files.js';
import type { SegmentFile } from './journalFiles.js';
import { standingStart } from './journalFormat.js';

/** How much of the end of a file is read first. */
const endBytes = 64 * 1024;

export type LastTurn = 'ended' | 'interrupted';

/**
 * A turn without an end was interrupted, because its writer is gone.
 * @param files of one conversation, in order @returns undefined if there was no turn, or nothing can be read
 */
export async function lastTurnOf(files: readonly SegmentFile[]): Promise<LastTurn | undefined> {
  for (const { path } of files.toReversed()) {
    const fromByte = Math.max(0, ((await fileFacts(path))?.sizeBytes ?? 0) - endBytes);
    const turn = (await lastTurnFrom(path, fromByte)) ?? (fromByte === 0 ? undefined : await lastTurnFrom(path, 0));
    if (turn !== undefined) return turn;
  }
  return undefined;
}

async function lastTurnFrom(path: string, fromByte: number): Promise<LastTurn | undefined> {
  try {
    const lines = (await readText(path, { fromByte }))?.split('\n') ?? [];
    for (const line of lines.toReversed()) {
      const turn = turnIn(line);
      if (turn !== undefined) return turn;
    }
  } catch {
    // Opening the conversation reports it.
  }
  return undefined;
}

function turnIn(line: string): LastTurn | undefined {
  // Most lines are chunks of answers: only lines that can belong to a turn are parsed.
  if (!line.includes('"turn_started"') && !line.includes('"turn_ended"')) return undefined;
  const parsed = parseJson(line);
  if (!isFields(parsed)) return undefined;
  // Events at the beginning of a file are still open there.
  if (line.startsWith(standingStart)) return isTurnAmong(parsed['standing']) ? 'interrupted' : undefined;
  if (parsed['type'] === 'turn_started') return 'interrupted';
  if (parsed['type'] !== 'turn_ended') return undefined;
  const { outcome } = parsed;
  return isFields(outcome) && outcome['type'] === 'interrupted' ? 'interrupted' : 'ended';
}

function isTurnAmong(standing: unknown): boolean {
  return Array.isArray(standing) && standing.some((event) => isFields(event) && event['type'] === 'turn_started');
}
