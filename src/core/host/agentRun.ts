import type { AgentBackend, BackendEvent } from '../backends/agentBackend.js';
import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.js';

/** One generation of the agent: its process and what belongs to it. A late event of an earlier one changes nothing. */
export class AgentRun implements Disposable {
  readonly backend: AgentBackend;
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;
  /** The user stops it: however it ends, that was wanted. */
  stopping = false;
  readonly #owned = new DisposableStore();

  /** @param onEvent is not called any more once it is disposed */
  constructor(backend: AgentBackend, onEvent: (generation: AgentRun, event: BackendEvent) => void) {
    this.ended = new Promise((resolve) => this.#owned.add(toDisposable(resolve)));
    this.backend = this.#owned.add(backend);
    this.#owned.add(backend.onEvent((event) => onEvent(this, event)));
  }

  dispose(): void {
    this.#owned.dispose();
  }
}
