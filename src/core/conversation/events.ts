/** The changes of a conversation, as numbered batches. A replica that reduces them in order has the state of the conversation. */
import type { SessionEvent } from '../session/event.js';
import type { ChangeSet } from '../session/changes.js';
import type { SessionState } from '../session/model.js';
import { wholeSession } from '../session/reducer.js';
import { reduceShared } from './sharedReduction.js';
import { type ConversationState, emptyConversation } from './state.js';

/** The parts of the state that an event replaces as a whole. */
export type Facet = Exclude<keyof ConversationState, 'revision' | 'id' | 'cwd' | 'session' | 'changes'>;

export type FacetEvent = { readonly [F in Facet]: { readonly type: F } & Pick<ConversationState, F> }[Facet];

/** A change of a conversation. The event of a facet has its whole new value. */
export type ConversationEvent =
  | FacetEvent
  /** Another session is on screen, or this one was opened again. */
  | { readonly type: 'session_shown'; readonly session: SessionState | undefined }
  /** Change sets that are new or different, by their ids, and the ids of those that are gone. */
  | { readonly type: 'change_sets'; readonly sets: readonly ChangeSet[]; readonly gone: readonly string[] }
  /** The changes in the session on screen, for the reducer of sessions. */
  | { readonly type: 'session'; readonly events: readonly SessionEvent[] };

/** Events of a conversation that belong together, in order. */
export interface ConversationBatch {
  /** One more than that of the previous batch. */
  readonly revision: number;
  readonly events: readonly ConversationEvent[];
}

/** Applies a batch to the state. Pure; returns a new state that shares what did not change. */
export function reduceConversation(state: ConversationState, { revision, events }: ConversationBatch): ConversationState {
  let next: ConversationState = { ...state, revision };
  for (const event of events) next = apply(next, event);
  return next;
}

/** The same state, with the parts that an engine of an older version does not know. */
export function wholeConversation(state: ConversationState): ConversationState {
  return { ...emptyConversation(state.id, state.cwd), ...state, ...(state.session && { session: wholeSession(state.session) }) };
}

function apply(state: ConversationState, event: ConversationEvent): ConversationState {
  if (event.type === 'session_shown') return { ...state, session: event.session && wholeSession(event.session) };
  if (event.type === 'session') {
    return state.session === undefined ? state : { ...state, session: reduceShared(state.session, event.events) };
  }
  if (event.type === 'change_sets') return { ...state, changes: withSets(state.changes, event) };
  // By its name: JSON leaves out a fact that has become undefined.
  return { ...state, [event.type]: (event as Partial<ConversationState>)[event.type] };
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
