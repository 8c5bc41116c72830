/** A state that another object or process replicates: a snapshot, numbered batches, and commands. Conversations and their list share this. */
import * as z from 'zod/mini';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import { Emitter, type Event } from '../base/event.js';
import { isFields } from '../base/fields.js';
import type { CommandResult, ConversationCommand } from '../conversation/commands.js';
import type { ConversationListCommand, ConversationListEvent, ConversationListState } from '../conversation/conversationList.js';
import type { Batch, ConversationEvent } from '../conversation/events.js';
import { type ConversationState, emptyConversation } from '../conversation/state.js';
import type { Wire } from '../link/wire.js';
import { wholeSession } from '../session/reducer.js';

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

/** A front end's view of a conversation. */
export type ConversationClient = Replica<ConversationState, ConversationEvent, ConversationCommand>;

/** A front end's view of the list of conversations. */
export type ConversationListClient = Replica<ConversationListState, ConversationListEvent, ConversationListCommand>;

/** What an engine tells on the channel of something that it replicates. */
export type Replicated<State, Event> =
  | { readonly type: 'snapshot'; readonly state: State }
  /** @param after the revision that the batch continues */
  | { readonly type: 'batch'; readonly after: number; readonly batch: Batch<Event> }
  /** The engine has closed it. */
  | { readonly type: 'closed' };

// What an engine tells is parsed where it arrives: the engine may be of another version. The reducers leave out what they do not know inside of
// an event.

const revision = z.number();
const event = z.custom<{ readonly type: string }>((value) => isFields(value) && typeof value['type'] === 'string');
const told = z.discriminatedUnion('type', [
  z.object({ type: z.literal('snapshot'), state: z.looseObject({ revision }) }),
  z.object({ type: z.literal('batch'), after: revision, batch: z.object({ revision, events: z.array(event) }) }),
  z.object({ type: z.literal('closed') }),
]);

/**
 * The states and events are the engine's own: what a reducer cannot use is as good as missing.
 * @returns undefined for anything else
 */
export function parseReplicated<State, Event>(message: unknown): Replicated<State, Event> | undefined {
  return told.safeParse(message).success ? (message as Replicated<State, Event>) : undefined;
}

const parts = new Set<string>([...Object.keys(emptyConversation('', '')), 'session_shown', 'change_sets', 'asked']);

/** Like `parseReplicated`, without the parts of a conversation that this version does not know, and with those that the engine does not know. */
export function parseConversation(message: unknown): Replicated<ConversationState, ConversationEvent> | undefined {
  const replicated = parseReplicated<ConversationState, ConversationEvent>(message);
  if (replicated?.type === 'snapshot') {
    const state = Object.fromEntries(Object.entries(replicated.state).filter(([part]) => parts.has(part))) as ConversationState;
    return { type: 'snapshot', state: { ...state, ...(state.session && { session: wholeSession(state.session) }) } };
  }
  const isKnown = ({ type }: ConversationEvent): boolean => parts.has(type);
  if (replicated?.type !== 'batch' || replicated.batch.events.every(isKnown)) return replicated;
  const { after, batch } = replicated;
  return { type: 'batch', after, batch: { ...batch, events: batch.events.filter(isKnown) } };
}

/** What can be replicated: a state that counts its batches. */
export interface Source<State extends { readonly revision: number }, BatchEvent> {
  readonly state: State;
  readonly onBatch: Event<Batch<BatchEvent>>;
}

export interface ChannelServerOptions<State extends { readonly revision: number }, BatchEvent> {
  readonly source: Source<State, BatchEvent>;
  readonly wire: Wire;
  readonly channel: string;
  /** Merges batches that waited. If it is absent, their events follow one another. */
  readonly join?: (events: readonly BatchEvent[]) => readonly BatchEvent[];
  /**
   * What the front end may see only once it is saved. @returns when it is; undefined if the events need not wait. Must not reject
   */
  readonly whenSaved?: (events: readonly BatchEvent[]) => Promise<unknown> | undefined;
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
  /** The number of messages that the front end has not taken in yet. */
  #untaken = 0;
  #isBehind = false;
  #saving: Promise<void> | undefined;

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

  /** Sends what waits: a result that follows must find its effects there. @returns when it is sent, if that must wait for the disk */
  flush(): Promise<void> | undefined {
    if (this.#saving !== undefined) return this.#saving;
    const saved = this.#options.whenSaved?.(this.#waiting);
    if (saved === undefined) this.#sendWaiting();
    else this.#sendAfter(saved);
    return this.#saving;
  }

  #sendAfter(saved: Promise<unknown>): void {
    this.#saving = saved.then(() => {
      this.#saving = undefined;
      this.#sendWaiting();
    });
  }

  #sendWaiting(): void {
    if (this.#owned.disposed) return;
    if (this.#isBehind) return this.snapshot();
    if (this.#waiting.length === 0) return;
    const events = this.#waiting;
    this.#waiting = [];
    this.#tellBatch(this.#options.join?.(events) ?? events);
  }

  #tellBatch(events: readonly BatchEvent[]): void {
    const after = this.#sent;
    this.#sent = this.#revision;
    this.#tell({ type: 'batch', after, batch: { revision: this.#revision, events } });
  }

  /** Tells the front end that there is nothing to follow any more. */
  close(): void {
    if (this.#owned.disposed) return;
    this.#sendWaiting();
    void this.#options.wire.tell(this.#options.channel, { type: 'closed' });
    this.dispose();
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #take({ revision, events }: Batch<BatchEvent>): void {
    this.#revision = revision;
    if (this.#isBehind) return;
    const isFree = this.#waiting.length === 0 && this.#untaken === 0 && this.#saving === undefined;
    const saved = isFree ? this.#options.whenSaved?.(events) : undefined;
    if (isFree && saved === undefined) return this.#tellBatch(events);
    if (this.#waiting.length + events.length > mostWaiting) {
      this.#waiting = [];
      this.#isBehind = true;
    } else for (const event of events) this.#waiting.push(event);
    if (saved !== undefined) this.#sendAfter(saved);
  }

  #tell(message: Replicated<State, BatchEvent>): void {
    const { wire, channel } = this.#options;
    const taken = wire.tell(channel, message);
    if (taken === undefined) return;
    this.#untaken++;
    void taken.then(() => {
      if (--this.#untaken === 0 && !this.#owned.disposed) void this.flush();
    });
  }
}

export interface RemoteReplicaOptions<State, BatchEvent, Command> {
  /** Until the first snapshot; also the parts that an engine of an older version does not know. */
  readonly initial: State;
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

  /** Takes what could be parsed of a message. Asks for a snapshot instead of another message. @returns false if nothing could */
  take(told: Replicated<State, BatchEvent> | undefined, message: unknown): boolean {
    if (told !== undefined && told.type !== 'closed') {
      this.receive(told);
      return true;
    }
    // The next snapshot would be the same.
    const isSnapshot = isFields(message) && message['type'] === 'snapshot';
    if (!isSnapshot && !this.#isWaiting) this.#ask();
    return false;
  }

  /** Takes what the engine told. What this version does not understand is as good as missing: a snapshot follows. */
  receive(message: Exclude<Replicated<State, BatchEvent>, { type: 'closed' }>): void {
    if (message.type === 'snapshot') {
      this.#isWaiting = false;
      this.#state = { ...this.#options.initial, ...message.state };
      return this.#onChange.fire({ state: this.#state, events: undefined });
    }
    if (this.#isWaiting) return;
    const next = this.#after(message);
    if (next === 'missing') return this.#ask();
    if (next === 'known') return;
    this.#state = next;
    this.#onChange.fire({ state: next, events: message.batch.events });
  }

  #ask(): void {
    this.#isWaiting = true;
    this.#options.resync();
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
