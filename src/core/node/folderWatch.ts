import { type FSWatcher, mkdirSync, statSync, watch } from 'node:fs';
import type { Disposable } from '../base/disposable.js';

/** Several changes within this time are told as one. */
const settleMs = 15;

export interface FolderWatchOptions {
  /** Made when missing. */
  readonly directory: string;
  /** Where the system tells of no changes, or forgets some: so often the folder itself is looked at. */
  readonly pollMs: number;
  /** The path of a file in it that grows: where it is only looked at, a folder does not tell of that. */
  readonly growing?: () => string | undefined;
  /** @param names of the files that changed; undefined: any may have */
  readonly onChange: (names: readonly string[] | undefined) => void;
}

/** Tells of changes in a folder, by any process, until it is disposed. Does not keep the process alive. */
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
  const watcher = startWatching(directory, note);
  const poll = setInterval(() => {
    if (version() !== seen) note(undefined);
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

function sizeOf(path: string | undefined): number | undefined {
  return path === undefined ? undefined : statSync(path, { throwIfNoEntry: false })?.size;
}
