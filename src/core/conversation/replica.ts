/** Replicates the state of another object or process: a snapshot, numbered batches, and commands. Conversations and their list share this code. */
import { type Disposable, DisposableStore } from '../base/disposable.js';
import { Emitter, type Event } from '../base/event.js';
import type { CommandResult } from './commands.js';

/** One end of a connection. Delivers in order what the other end posts while there is a listener. */
export interface Port<In, Out> {
  postMessage(message: Out): void;
  onMessage(listener: (message: In) => void): Disposable;
}

export type ToServer<Command> =
  /** Requests a snapshot, and the batches after it. */
  { readonly type: 'subscribe' } | { readonly type: 'execute'; readonly callId: number; readonly command: Command };

export type ToClient<State, Event> =
  | { readonly type: 'snapshot'; readonly state: State }
  | { readonly type: 'batch'; readonly batch: Batch<Event> }
  | { readonly type: 'result'; readonly callId: number; readonly result: CommandResult };

export interface Batch<Event> {
  readonly revision: number;
  readonly events: readonly Event[];
}

interface Numbered {
  readonly revision: number;
}

export interface Source<State extends Numbered, BatchEvent, Command> {
  readonly state: State;
  readonly onBatch: Event<Batch<BatchEvent>>;
  execute(command: Command): Promise<CommandResult>;
}

export interface Change<State, BatchEvent> {
  readonly state: State;
  /** The events that led to this state. Undefined if the state is a new snapshot: the events before it are unknown. */
  readonly events: readonly BatchEvent[] | undefined;
}

export interface Replica<State, BatchEvent, Command> extends Disposable {
  readonly state: State;
  readonly onChange: Event<Change<State, BatchEvent>>;
  /** Never rejects. When it resolves, the state includes the immediate effects of the command. */
  execute(command: Command): Promise<CommandResult>;
}

/** Serves one replica, until disposed. */
export function serve<State extends Numbered, BatchEvent, Command>(
  source: Source<State, BatchEvent, Command>,
  port: Port<ToServer<Command>, ToClient<State, BatchEvent>>,
): Disposable {
  const owned = new DisposableStore();
  let isSubscribed = false;
  const post = (message: ToClient<State, BatchEvent>): void => {
    if (!owned.disposed) port.postMessage(message);
  };
  owned.add(source.onBatch((batch) => isSubscribed && post({ type: 'batch', batch })));
  owned.add(
    port.onMessage((message) => {
      if (message.type === 'subscribe') {
        isSubscribed = true;
        post({ type: 'snapshot', state: source.state });
      } else {
        const { callId, command } = message;
        void source.execute(command).then((result) => post({ type: 'result', callId, result }));
      }
    }),
  );
  return owned;
}

/** Resolves with the first snapshot. @param reduce pure */
export function connect<State extends Numbered, BatchEvent, Command>(
  port: Port<ToClient<State, BatchEvent>, ToServer<Command>>,
  reduce: (state: State, batch: Batch<BatchEvent>) => State,
): Promise<Replica<State, BatchEvent, Command>> {
  return new Promise((resolve) => {
    const first = port.onMessage((message) => {
      if (message.type !== 'snapshot') return;
      first.dispose();
      resolve(new PortReplica(port, reduce, message.state));
    });
    port.postMessage({ type: 'subscribe' });
  });
}

/** Like `connect`, for two ends in the same process, so that it needs no await. @param state the current state of the source */
export function follow<State extends Numbered, BatchEvent, Command>(
  port: Port<ToClient<State, BatchEvent>, ToServer<Command>>,
  reduce: (state: State, batch: Batch<BatchEvent>) => State,
  state: State,
): Replica<State, BatchEvent, Command> {
  const replica = new PortReplica(port, reduce, state);
  port.postMessage({ type: 'subscribe' });
  return replica;
}

/** Whether the next batch continues the state, or a snapshot that includes it is on its way. */
type Sync = 'current' | 'waiting';

class PortReplica<State extends Numbered, BatchEvent, Command> implements Replica<State, BatchEvent, Command> {
  readonly #port: Port<ToClient<State, BatchEvent>, ToServer<Command>>;
  readonly #reduce: (state: State, batch: Batch<BatchEvent>) => State;
  readonly #onChange = new Emitter<Change<State, BatchEvent>>();
  readonly #calls = new Map<number, (result: CommandResult) => void>();
  readonly #listening: Disposable;
  #state: State;
  #sync: Sync = 'current';
  #lastCallId = 0;
  #disposed = false;

  constructor(
    port: Port<ToClient<State, BatchEvent>, ToServer<Command>>,
    reduce: (state: State, batch: Batch<BatchEvent>) => State,
    state: State,
  ) {
    this.#port = port;
    this.#reduce = reduce;
    this.#state = state;
    this.#listening = port.onMessage((message) => this.#receive(message));
  }

  readonly onChange = this.#onChange.event;

  get state(): State {
    return this.#state;
  }

  execute(command: Command): Promise<CommandResult> {
    if (this.#disposed) return Promise.resolve(disposedResult);
    const callId = ++this.#lastCallId;
    return new Promise((resolve) => {
      this.#calls.set(callId, resolve);
      this.#port.postMessage({ type: 'execute', callId, command });
    });
  }

  dispose(): void {
    this.#disposed = true;
    this.#listening.dispose();
    for (const resolve of this.#calls.values()) resolve(disposedResult);
    this.#calls.clear();
    this.#onChange.dispose();
  }

  #receive(message: ToClient<State, BatchEvent>): void {
    switch (message.type) {
      case 'snapshot':
        return this.#onSnapshot(message.state);
      case 'batch':
        return this.#onBatch(message.batch);
      case 'result':
        this.#calls.get(message.callId)?.(message.result);
        this.#calls.delete(message.callId);
    }
  }

  #onSnapshot(state: State): void {
    this.#sync = 'current';
    this.#state = state;
    this.#onChange.fire({ state, events: undefined });
  }

  #onBatch(batch: Batch<BatchEvent>): void {
    const missed = batch.revision - this.#state.revision - 1;
    if (this.#sync === 'waiting' || missed < 0) return;
    if (missed > 0) {
      this.#sync = 'waiting';
      return this.#port.postMessage({ type: 'subscribe' });
    }
    this.#state = this.#reduce(this.#state, batch);
    this.#onChange.fire({ state: this.#state, events: batch.events });
  }
}

const disposedResult: CommandResult = { ok: false, error: { code: 'disposed', params: { reason: 'conversation' } } };
