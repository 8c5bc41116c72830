import type { Disposable } from '../base/disposable.js';
import type { Logger } from '../base/logger.js';
import { type ProcessIdentity, listTree } from '../node/processTree.js';

/**
 * Listing takes milliseconds, because it visits every process of the machine, so it does not happen for every word that an agent streams.
 */
const lookAfterMs = 500;

/**
 * Keeps track of what a process has started. The shells of agents lead their own sessions, so nothing leads to them once the agent was
 * killed. It looks shortly after each sign of life, because an agent writes something when it starts a process. A silent agent costs
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
    this.#timer ??= setTimeout(() => void this.#look(), lookAfterMs).unref();
  }

  /** The process is gone; what was found so far stays in `seen`. */
  dispose(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    // Anything that happens from here on may be too late for this listing.
    this.#timer = undefined;
    const root = await this.#root;
    const members =
      root === undefined
        ? undefined
        : await listTree(root).catch((error: unknown) => this.#log.debug('Could not list the child processes of the agent', error));
    if (this.#ended || !members) return;
    const changed = !isSame(this.#seen, members);
    this.#seen = members;
    if (changed) this.#onChange(members);
  }
}

function isSame(before: readonly ProcessIdentity[], now: readonly ProcessIdentity[]): boolean {
  const known = new Map(before.map(({ pid, startedAt }) => [pid, startedAt]));
  return now.length === before.length && now.every(({ pid, startedAt }) => known.get(pid) === startedAt);
}
