import type { Disposable } from '../base/disposable.js';
import type { Logger } from '../base/logger.js';
import { type ProcessIdentity, listTree } from '../node/processTree.js';

/** Listing visits every process of the machine, which takes milliseconds, so it does not happen for each chunk that an agent streams. */
const listAfterMs = 500;

/**
 * Keeps track of what a process has started. The shells of agents lead their own sessions, so they can't be found once the agent was killed.
 * It lists them shortly after each sign of life, because an agent writes something when it starts a process. A silent agent costs
 * nothing.
 */
export class Descendants implements Disposable {
  readonly #root: Promise<ProcessIdentity | undefined>;
  readonly #log: Logger;
  readonly #onChange: (seen: readonly ProcessIdentity[]) => void;
  #seen: readonly ProcessIdentity[] = [];
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  /** @param onChange is called when the processes differ from the last time */
  constructor(root: Promise<ProcessIdentity | undefined>, log: Logger, onChange: (seen: readonly ProcessIdentity[]) => void) {
    this.#root = root;
    this.#log = log;
    this.#onChange = onChange;
  }

  get seen(): readonly ProcessIdentity[] {
    return this.#seen;
  }

  onSignOfLife(): void {
    if (this.#ended) return;
    this.#timer ??= setTimeout(() => void this.#list(), listAfterMs).unref();
  }

  /** The process is gone; what was found so far stays in `seen`. */
  dispose(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  async #list(): Promise<void> {
    // A sign of life from here on may be too late for this listing, so it causes another one.
    this.#timer = undefined;
    const root = await this.#root;
    const members =
      root === undefined
        ? undefined
        : await listTree(root).catch((error: unknown) => {
            this.#log.debug('Could not list the child processes of the agent', error);
            return undefined;
          });
    if (this.#ended || members === undefined) return;
    const changed = !isSame(this.#seen, members);
    this.#seen = members;
    if (changed) this.#onChange(members);
  }
}

function isSame(before: readonly ProcessIdentity[], now: readonly ProcessIdentity[]): boolean {
  const known = new Map(before.map(({ pid, startedAt }) => [pid, startedAt]));
  return now.length === before.length && now.every(({ pid, startedAt }) => known.get(pid) === startedAt);
}
