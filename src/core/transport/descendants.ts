import type { Disposable } from '../base/disposable.js';
import { type ProcessIdentity, listTree } from '../node/processTree.js';

/** Looking costs milliseconds, for every process of the machine is looked at; an agent that streams is not looked at for every word. */
const lookAfterMs = 500;

/**
 * What a process has started, as it was seen last. Shells of agents lead sessions of their own: once the agent was killed, nothing leads to
 * them any more. Looked for a moment after each sign of life, for an agent speaks when it starts something; a silent one costs nothing.
 */
export class Descendants implements Disposable {
  readonly #root: Promise<ProcessIdentity | undefined>;
  #seen: readonly ProcessIdentity[] = [];
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(root: Promise<ProcessIdentity | undefined>) {
    this.#root = root;
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
    const root = await this.#root;
    const tree = root === undefined ? [] : await listTree(root);
    this.#timer = undefined;
    if (!this.#ended) this.#seen = tree;
  }
}
