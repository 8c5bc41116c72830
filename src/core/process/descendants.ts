import type { Disposable } from '../base/disposable.js';
import type { Logger } from '../base/logger.js';
import { type ProcessIdentity, listTree } from '../node/processTree.js';

/** Looking costs milliseconds, for every process of the machine is looked at; an agent that streams is not looked at for every word. */
const lookAfterMs = 500;

/**
 * What a process has started, as it was seen last. Shells of agents lead sessions of their own: once the agent was killed, nothing leads to
 * them any more. Looked for a moment after each sign of life, for an agent speaks when it starts something; a silent one costs nothing.
 */
export class Descendants implements Disposable {
  readonly #root: Promise<ProcessIdentity | undefined>;
  readonly #log: Logger;
  readonly #onChange: (seen: readonly ProcessIdentity[]) => void;
  #seen: readonly ProcessIdentity[] = [];
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  /** @param onChange called when others are there than at the last look */
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

  /** The process is gone: what was seen stays. */
  dispose(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    // Whatever comes while this look lasts may be too late for it.
    this.#timer = undefined;
    const root = await this.#root;
    const members =
      root === undefined
        ? undefined
        : await listTree(root).catch((error: unknown) => this.#log.debug('What the agent started could not be looked at', error));
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
