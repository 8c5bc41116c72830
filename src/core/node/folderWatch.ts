import { type FSWatcher, mkdirSync, statSync, watch } from 'node:fs';
import type { Disposable } from '../base/disposable.js';

/** Several changes within this time are told as one. */
const settleMs = 15;

export interface FolderWatchOptions {
  /** Made when missing. */
  readonly directory: string;
  /** Where the system tells of no changes, or forgets some: so often the folder itself is looked at. */
  readonly pollMs: number;
  /** @param names of the files that changed; undefined: any may have */
  readonly onChange: (names: readonly string[] | undefined) => void;
}

/** Tells of changes in a folder, by any process, until it is disposed. Does not keep the process alive. */
export function watchFolder({ directory, pollMs, onChange }: FolderWatchOptions): Disposable {
  let names: Set<string> | undefined = new Set();
  let settling: NodeJS.Timeout | undefined;
  let seen = modifiedAt(directory);
  const tell = (): void => {
    settling = undefined;
    const changed = names;
    names = new Set();
    seen = modifiedAt(directory);
    onChange(changed === undefined ? undefined : [...changed]);
  };
  const note = (name: string | undefined): void => {
    if (name === undefined) names = undefined;
    else names?.add(name);
    settling ??= setTimeout(tell, settleMs);
    settling.unref();
  };
  const watcher = startWatching(directory, note);
  const poll = setInterval(() => {
    if (modifiedAt(directory) !== seen) note(undefined);
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

/** @returns undefined where the system cannot: there is still the poll */
function startWatching(directory: string, note: (name: string | undefined) => void): FSWatcher | undefined {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const watcher = watch(directory, { persistent: false }, (_, name) => note(name ?? undefined));
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

function modifiedAt(directory: string): number | undefined {
  return statSync(directory, { throwIfNoEntry: false })?.mtimeMs;
}
