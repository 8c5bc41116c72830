import { Emitter } from '../base/event.js';
import type { CommandResult } from '../conversation/commands.js';
import type { Batch, Change, Replica } from '../conversation/replica.js';
import type { Replicated } from './contract.js';

export interface RemoteReplicaOptions<State, BatchEvent, Command> {
  /** Until the first snapshot. */
  readonly initial: State;
  /** Adds the parts that an engine of an older version does not know. Default: those of `initial`. */
  readonly complete?: (state: State) => State;
  /** Pure. */
  readonly reduce: (state: State, batch: Batch<BatchEvent>) => State;
  readonly execute: (command: Command) => Promise<CommandResult>;
  /** Asks for a snapshot, because batches are missing. */
  readonly resync: () => void;
}

/** The state of something in an engine, as a front end last heard of it. Keeps it while the engine cannot be reached. */
export class RemoteReplica<State extends { readonly revision: number }, BatchEvent, Command>
  implements Replica<State, BatchEvent, Command>
{
  readonly #options: RemoteReplicaOptions<State, BatchEvent, Command>;
  readonly #onChange = new Emitter<Change<State, BatchEvent>>();
  #state: State;
  #isWaiting = true;

  constructor(options: RemoteReplicaOptions<State, BatchEvent, Command>) {
    this.#options = options;
    this.#state = options.initial;
  }

  readonly onChange = this.#onChange.event;

  get state(): State {
    return this.#state;
  }

  execute(command: Command): Promise<CommandResult> {
    return this.#options.execute(command);
  }

  /** Takes what the engine told. What this version does not understand is as good as missing: a snapshot follows. */
  receive(message: Exclude<Replicated<State, BatchEvent>, { type: 'closed' }>): void {
    if (message.type === 'snapshot') {
      this.#isWaiting = false;
      const { initial, complete } = this.#options;
      this.#state = complete?.(message.state) ?? { ...initial, ...message.state };
      return this.#onChange.fire({ state: this.#state, events: undefined });
    }
    if (this.#isWaiting) return;
    const next = this.#after(message);
    if (next === 'missing') {
      this.#isWaiting = true;
      return this.#options.resync();
    }
    if (next === 'known') return;
    this.#state = next;
    this.#onChange.fire({ state: next, events: message.batch.events });
  }

  #after({ after, batch }: Extract<Replicated<State, BatchEvent>, { type: 'batch' }>): State | 'known' | 'missing' {
    try {
      if (batch.revision <= this.#state.revision) return 'known';
      return after === this.#state.revision ? this.#options.reduce(this.#state, batch) : 'missing';
    } catch {
      return 'missing';
    }
  }

  dispose(): void {
    this.#isWaiting = true;
    this.#onChange.dispose();
  }
}
