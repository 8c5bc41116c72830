/** One of several processes that use a lock, and leave it behind again and again, as if they had died. */
import { mkdirSync, rmdirSync, utimesSync } from 'node:fs';
import { underLock } from '../../../src/core/node/privateFiles.js';

export interface LockOrder {
  /** Absolute. */
  readonly lock: string;
  readonly uses: number;
}

export interface LockReport {
  readonly uses: number;
  /** Set if another one had the lock at the same time. */
  readonly error?: string;
}

function leaveBehind(lock: string): void {
  try {
    mkdirSync(lock);
    utimesSync(lock, 1, 1);
  } catch {
    // Another process has the lock.
  }
}

function use({ lock, uses }: LockOrder): LockReport {
  const inside = `${lock}.inside`;
  let used = 0;
  try {
    while (used < uses) {
      const got = underLock(lock, () => {
        mkdirSync(inside);
        rmdirSync(inside);
        return true;
      });
      if (!got) continue;
      used++;
      leaveBehind(lock);
    }
    return { uses: used };
  } catch (error) {
    return { uses: used, error: String(error) };
  }
}

process.on('message', (order: LockOrder) => process.send?.(use(order)));
