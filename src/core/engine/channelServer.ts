import { type Disposable, DisposableStore } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import type { Batch } from '../conversation/replica.js';
import type { Wire } from '../link/wire.js';
import type { Replicated } from './contract.js';

/** What can be replicated: a state that counts its batches. */
export interface Source<State extends { readonly revision: number }, BatchEvent> {
  readonly state: State;
  readonly onBatch: Event<Batch<BatchEvent>>;
}

export interface ChannelServerOptions<State extends { readonly revision: number }, BatchEvent> {
  readonly source: Source<State, BatchEvent>;
  readonly wire: Wire;
  readonly channel: string;
  /** Merges events of several batches. Called only if the front end is slower than the source. */
  readonly join?: (events: readonly BatchEvent[]) => readonly BatchEvent[];
  /** Two batches follow each other no faster. */
  readonly intervalMs: number;
}

/** Beyond this, a new snapshot costs less than what waits. */
const mostWaiting = 20_000;

/**
 * Sends the state of a source and its changes to one front end. What follows while the front end still takes in an earlier batch is merged,
 * and replaced by a snapshot if it becomes too much: a slow front end costs nobody else anything.
 */
export class ChannelServer<State extends { readonly revision: number }, BatchEvent> implements Disposable {
  readonly #options: ChannelServerOptions<State, BatchEvent>;
  readonly #owned = new DisposableStore();
  #waiting: BatchEvent[] = [];
  /** The revision that the front end has, or is about to have. */
  #sent = 0;
  #revision = 0;
  #isBusy = false;
  #isBehind = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ChannelServerOptions<State, BatchEvent>) {
    this.#options = options;
    this.#owned.add(options.source.onBatch((batch) => this.#take(batch)));
    this.snapshot();
  }

  /** Sends the whole state again. */
  snapshot(): void {
    const { state } = this.#options.source;
    this.#waiting = [];
    this.#isBehind = false;
    this.#sent = this.#revision = state.revision;
    this.#tell({ type: 'snapshot', state });
  }

  /** Sends what waits: a result that follows must find its effects there. */
  flush(): void {
    if (this.#owned.disposed) return;
    if (this.#isBehind) return this.snapshot();
    if (this.#waiting.length === 0) return;
    const { join } = this.#options;
    const events = join === undefined ? this.#waiting : join(this.#waiting);
    this.#waiting = [];
    const after = this.#sent;
    this.#sent = this.#revision;
    this.#tell({ type: 'batch', after, batch: { revision: this.#revision, events } });
  }

  /** Tells the front end that there is nothing to follow any more. */
  close(): void {
    if (this.#owned.disposed) return;
    this.flush();
    void this.#options.wire.tell(this.#options.channel, { type: 'closed' });
    this.dispose();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#owned.dispose();
  }

  #take({ revision, events }: Batch<BatchEvent>): void {
    this.#revision = revision;
    if (this.#isBehind) return;
    if (this.#waiting.length === 0 && !this.#isBusy) {
      // Unchanged, so that a front end in the same process shares what was reduced already.
      const after = this.#sent;
      this.#sent = revision;
      return this.#tell({ type: 'batch', after, batch: { revision, events } });
    }
    if (this.#waiting.length + events.length > mostWaiting) {
      this.#waiting = [];
      this.#isBehind = true;
    } else for (const event of events) this.#waiting.push(event);
  }

  #tell(message: Replicated<State, BatchEvent>): void {
    const { wire, channel, intervalMs } = this.#options;
    const told = wire.tell(channel, message);
    if (intervalMs === 0) return;
    this.#isBusy = true;
    clearTimeout(this.#timer);
    void told.then(() => {
      if (this.#owned.disposed) return;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        this.#isBusy = false;
        this.flush();
      }, intervalMs);
    });
  }
}
