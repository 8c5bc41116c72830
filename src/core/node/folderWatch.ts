import { type FSWatcher, type Stats, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import type { Disposable } from '../base/disposable.js';

/** Changes within this time are reported together. */
const settleMs = 15;

export interface FolderWatchOptions {
  /** Not created if it is missing, because watching only reads. */
  readonly directory: string;
  /** The interval for checking the folder itself, in case it is missing, or the system reports no changes or misses some. */
  readonly pollMs: number;
  /** Returns the path of a file in the folder that grows. Checking the folder does not show that a file in it grows. */
  readonly growing?: () => string | undefined;
  /** @param names the names of the files that changed; undefined if any file may have */
  readonly onChange: (names: readonly string[] | undefined) => void;
}

/** Reports changes in a folder, made by any process, until it is disposed. Does not keep the process alive. */
export function watchFolder({ directory, pollMs, growing, onChange }: FolderWatchOptions): Disposable {
  let names: Set<string> | undefined = new Set();
  let settling: NodeJS.Timeout | undefined;
  const version = (): string => `${modifiedAt(directory)} ${sizeOf(growing?.())}`;
  let seen = version();
  const tell = (): void => {
    settling = undefined;
    const changed = names;
    names = new Set();
    seen = version();
    onChange(changed === undefined ? undefined : [...changed]);
  };
  const note = (name: string | undefined): void => {
    if (name === undefined) names = undefined;
    else names?.add(name);
    settling ??= setTimeout(tell, settleMs);
    settling.unref();
  };
  let watcher: FSWatcher | undefined;
  let watched = '';
  /** Watches the folder or, until it exists, the nearest one above. */
  const attach = (): void => {
    const nearest = nearestFolder(directory);
    if (nearest === watched) return;
    watcher?.close();
    watched = nearest;
    watcher = startWatching(nearest, nearest === directory ? note : attach);
    if (nearest === directory && seen !== version()) note(undefined);
  };
  attach();
  const poll = setInterval(() => {
    if (version() === seen) return;
    if (watched !== directory) attach();
    note(undefined);
  }, pollMs);
  poll.unref();
  return {
    dispose() {
      clearInterval(poll);
      clearTimeout(settling);
      watcher?.close();
    },
  };
}

function nearestFolder(directory: string): string {
  const above = dirname(directory);
  return factsOf(directory) !== undefined || above === directory ? directory : nearestFolder(above);
}

/** @returns undefined if the system cannot watch the folder; the interval still works */
function startWatching(directory: string, note: (name: string | undefined) => void): FSWatcher | undefined {
  try {
    const watcher = watch(directory, { persistent: false }, (_, name) => note(name ?? undefined));
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

function modifiedAt(directory: string): number | undefined {
  return factsOf(directory)?.mtimeMs;
}

function sizeOf(path: string | undefined): number | undefined {
  return path === undefined ? undefined : factsOf(path)?.size;
}

/** @returns undefined also for what cannot be reached: a folder on the way may be a file, or closed to this user */
function factsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
