/** Measures a program whose output nobody reads. */
import { readFileSync, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CliProcess, Place } from './cliProcess.js';

/** Resolves when the output of the agent `floodsForever` has not been read for a while. @returns the number of words that it has sent */
export const stuckAt = (place: Place): Promise<number> => wordsIn(place, 'stuck');

/** Resolves when the agent `floodsForever` has said everything. @returns the number of words */
export const doneAt = (place: Place): Promise<number> => wordsIn(place, 'done');

async function wordsIn(place: Place, name: string): Promise<number> {
  const file = path.join(place.workspace, name);
  const said = async (): Promise<number> => Number(await readFile(file, 'utf8').catch(() => ''));
  return new Promise((resolve) => {
    const look = async (): Promise<void> => {
      const words = await said();
      if (words === 0) return;
      watcher.close();
      resolve(words);
    };
    // It starts watching before the first check, so that it misses no change.
    const watcher = watch(place.workspace, () => void look());
    void look();
  });
}

/** The peak memory of the process. Linux only. */
export function peakMb({ child }: CliProcess): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
