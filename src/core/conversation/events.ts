/** The changes of a conversation, as numbered batches. A replica that reduces them in order has the state of the conversation. */
import type { ChangeSet } from '../session/changes.js';
import type { RequestEvent, SessionEvent } from '../session/event.js';
import type { UserRequest } from '../session/userRequest.js';
import { joinSessionEvents } from '../session/eventBatcher.js';
import type { SessionState } from '../session/model.js';
import { reduceAll, wholeSession } from '../session/reducer.js';
import { type ConversationState, emptyConversation } from './state.js';
import { isDeepStrictEqual } from 'node:util';
import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { SessionBatch } from '../host/api.js';
import type { SessionBeginning } from './thread.js';

const otherParts = ['revision', 'id', 'cwd', 'session', 'changes', 'requests'] as const satisfies readonly (keyof ConversationState)[];

/** The parts of the state that an event replaces as a whole. */
export type Facet = Exclude<keyof ConversationState, (typeof otherParts)[number]>;

/** In the order in which they are told. */
export const facets = Object.keys(emptyConversation('', '')).filter((part): part is Facet => !otherParts.some((other) => other === part));

export type FacetEvent = { readonly [F in Facet]: { readonly type: F } & Pick<ConversationState, F> }[Facet];

/** A change of a conversation. The event of a facet has its whole new value. */
export type ConversationEvent =
  | FacetEvent
  /** Another session is on screen, or this one was opened again. */
  | { readonly type: 'session_shown'; readonly session: SessionState | undefined }
  /** Change sets that are new or different, by their ids, and the ids of those that are gone. */
  | { readonly type: 'change_sets'; readonly sets: readonly ChangeSet[]; readonly gone: readonly string[] }
  /** The agent asks something outside of its session, or does not any more. */
  | { readonly type: 'asked'; readonly event: RequestEvent }
  /** The changes in the session on screen, for the reducer of sessions. */
  | { readonly type: 'session'; readonly events: readonly SessionEvent[] };

/** Events that belong together, in order. */
export interface Batch<Event> {
  /** One more than that of the previous batch. */
  readonly revision: number;
  readonly events: readonly Event[];
}
export type ConversationBatch = Batch<ConversationEvent>;

/** Applies a batch to the state. Pure; returns a new state that shares what did not change. */
export function reduceConversation(state: ConversationState, { revision, events }: ConversationBatch): ConversationState {
  let next: ConversationState = { ...state, revision };
  for (const event of events) next = apply(next, event);
  return next;
}

function apply(state: ConversationState, event: ConversationEvent): ConversationState {
  if (event.type === 'session_shown') return { ...state, session: event.session && wholeSession(event.session) };
  if (event.type === 'session') {
    return state.session === undefined ? state : { ...state, session: reduceShared(state.session, event.events) };
  }
  if (event.type === 'asked') return { ...state, requests: withRequest(state.requests, event.event) };
  if (event.type === 'change_sets') return { ...state, changes: withSets(state.changes, event) };
  // By its name: JSON leaves out a fact that has become undefined.
  return { ...state, [event.type]: (event as Partial<ConversationState>)[event.type] };
}

/**
 * Whether the events only add to what the agent says or thinks in its turn. Nothing else of the conversation changes with them, and there are
 * more of them than of all others.
 */
export function onlySpeak(session: SessionState | undefined, events: readonly ConversationEvent[]): boolean {
  return session !== undefined && events.every((event) => event.type === 'session' && isSpeech(session, event.events));
}

/** The same of the events of a session. */
export function isSpeech({ turn }: SessionState, events: readonly SessionEvent[]): boolean {
  return turn.type !== 'idle' && events.every((event) => event.type === 'message' && event.role !== 'user');
}

/** The open requests after the event. */
export function withRequest(before: readonly UserRequest[], event: RequestEvent): readonly UserRequest[] {
  return event.type === 'request_opened' ? [...before, event.request] : before.filter(({ id }) => id !== event.requestId);
}

function withSets(
  before: readonly ChangeSet[],
  { sets, gone }: Extract<ConversationEvent, { readonly type: 'change_sets' }>,
): readonly ChangeSet[] {
  const byId = new Map(before.map((set) => [set.id, set]));
  for (const set of sets) byId.set(set.id, set);
  for (const id of gone) byId.delete(id);
  return [...byId.values()];
}

interface Reduction {
  readonly before: SessionState;
  readonly after: SessionState;
}

const known = new WeakMap<readonly SessionEvent[], Reduction>();

/**
 * Remembers the state that results from the events, so that replicas in the same process neither compute it again nor hold the transcript
 * twice.
 */
export function rememberReduction(before: SessionState, events: readonly SessionEvent[], after: SessionState): void {
  known.set(events, { before, after });
}

/** Like `reduceAll`, which returns the same state for the same events. */
function reduceShared(before: SessionState, events: readonly SessionEvent[]): SessionState {
  const reduction = known.get(events);
  return reduction?.before === before ? reduction.after : reduceAll(before, events);
}

/** Joins what follows in the same session, and of what changed several times in a row keeps the last value. Leads to the same state. */
export function joinEvents(events: readonly ConversationEvent[]): readonly ConversationEvent[] {
  const joined: ConversationEvent[] = [];
  let session: SessionEvent[] | undefined;
  const endSession = (): void => {
    if (session !== undefined) joined.push({ type: 'session', events: joinSessionEvents(session) });
    session = undefined;
  };
  for (const event of events) {
    if (event.type === 'session') {
      session ??= [];
      for (const one of event.events) session.push(one);
      continue;
    }
    endSession();
    if (event.type !== 'session_shown' && event.type !== 'asked' && joined.at(-1)?.type === event.type) joined.pop();
    joined.push(event);
  }
  endSession();
  return joined;
}

export type ConversationView = Omit<ConversationState, 'revision' | 'id' | 'cwd'>;

/** A batch of a conversation in this process. */
export interface PublishedBatch extends ConversationBatch {
  /** It only adds to what the agent says, and nothing else of the conversation changed. */
  readonly isSpeech: boolean;
}

/** Creates numbered batches of changes, and the state after them. */
export class Publisher implements Disposable {
  readonly #onBatch = new Emitter<PublishedBatch>();
  #state: ConversationState;
  /** Events of the session that are not published yet. */
  #pending: ConversationEvent[] = [];
  #session: SessionState | undefined;

  constructor(id: string, cwd: string) {
    this.#state = emptyConversation(id, cwd);
  }

  readonly onBatch = this.#onBatch.event;

  /** The state after the last batch. */
  get state(): ConversationState {
    return this.#state;
  }

  /**
   * Adds events of the session on screen. They are part of the next batch, before all other changes.
   * @returns false if it is not on screen yet; it will be shown in its state at that time
   */
  addSessionBatch({ before, events, state }: SessionBatch): boolean {
    if (before !== this.#session) return false;
    rememberReduction(before, events, state);
    this.#session = state;
    this.#pending.push({ type: 'session', events });
    return true;
  }

  /** Shows another session with the next batch: its state when it was opened, then the events since. */
  addBeginning({ state, batches }: SessionBeginning): void {
    if (state !== this.#session) this.#pending.push({ type: 'session_shown', session: state });
    this.#session = state;
    for (const batch of batches) this.addSessionBatch(batch);
  }

  addRequest(event: RequestEvent): void {
    this.#pending.push({ type: 'asked', event });
  }

  publish(view: ConversationView): void {
    const events = this.#pending;
    this.#pending = [];
    if (view.session !== this.#session) events.push({ type: 'session_shown', session: view.session });
    this.#session = view.session;
    // Most parts keep their identity as long as nothing changed, so that this costs little.
    for (const type of facets)
      if (!isDeepStrictEqual(this.#state[type], view[type])) events.push({ type, [type]: view[type] } as FacetEvent);
    if (view.changes !== this.#state.changes) {
      const [before, now] = [new Set(this.#state.changes), new Set(view.changes.map(({ id }) => id))];
      const sets = view.changes.filter((set) => !before.has(set));
      const gone = this.#state.changes.filter(({ id }) => !now.has(id)).map(({ id }) => id);
      if (sets.length + gone.length > 0) events.push({ type: 'change_sets', sets, gone });
    }
    if (events.length > 0) this.#fire(view, events, false);
  }

  /** Publishes what the agent says, with which nothing else changes. */
  publishSpeech(): void {
    const events = this.#pending;
    this.#pending = [];
    // Another session may wait to be shown.
    this.#fire({ ...this.#state, session: this.#session }, events, events.length === 1);
  }

  #fire(view: ConversationView, events: readonly ConversationEvent[], isSpeech: boolean): void {
    const { id, cwd } = this.#state;
    const revision = this.#state.revision + 1;
    this.#state = { ...view, id, cwd, revision };
    this.#onBatch.fire({ revision, events, isSpeech });
  }

  dispose(): void {
    this.#onBatch.dispose();
  }
}
