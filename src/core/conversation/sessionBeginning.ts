import { type Disposable, DisposableStore } from '../base/disposable.js';
import type { AgentHost, Session, SessionBatch } from '../host/api.js';
import type { SessionState } from '../session/model.js';

/** A session in its state when it was opened, and its events before anyone showed it: an agent may send something at once. */
export interface SessionBeginning {
  readonly state: SessionState;
  readonly batches: readonly SessionBatch[];
}

/** Records how sessions begin that are opened in an agent, until disposed. */
export class BeginningRecord implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #beginnings = new Map<Session, SessionBeginning>();

  constructor(host: AgentHost) {
    this.#owned.add(host.onSession((session) => this.#begin(session)));
  }

  /** A session that was already open begins now. */
  of(session: Session): SessionBeginning {
    const { state } = session;
    // Reading the state delivers the remaining events.
    return this.#beginnings.get(session) ?? { state, batches: [] };
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #begin(session: Session): void {
    const batches: SessionBatch[] = [];
    this.#beginnings.set(session, { state: session.state, batches });
    this.#owned.add(session.onBatch((batch) => batches.push(batch)));
  }
}
