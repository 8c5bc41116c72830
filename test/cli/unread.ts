/** What is measured of a program that nobody reads. */
import { readFileSync, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CliProcess, Place } from './cliProcess.js';

/** Resolves when nobody has read the agent `floodsForever` for a while. @returns how many words it had said */
export async function stuckAt(place: Place): Promise<number> {
  const file = path.join(place.workspace, 'stuck');
  const said = async (): Promise<number> => Number(await readFile(file, 'utf8').catch(() => ''));
  return new Promise((resolve) => {
    const look = async (): Promise<void> => {
      const words = await said();
      if (words === 0) return;
      watcher.close();
      resolve(words);
    };
    // It watches before the first look, so that nothing happens in between.
    const watcher = watch(place.workspace, () => void look());
    void look();
  });
}

/** The most memory that it had so far. Linux only. */
export function peakMb({ child }: CliProcess): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
