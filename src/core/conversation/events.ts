/** The changes of a conversation, as numbered batches. A replica that reduces them in order has the state of the conversation. */
import type { ChangeSet } from '../session/changes.js';
import type { RequestEvent, SessionEvent, ToolPatch } from '../session/event.js';
import type { UserRequest } from '../session/userRequest.js';
import { joinChunks } from '../session/eventBatcher.js';
import type { SessionState } from '../session/model.js';
import { reduceAll, wholeSession } from '../session/reducer.js';
import { type ConversationState, emptyConversation } from './state.js';

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

/**
 * Joins what follows in the same session, and of what changed several times in a row keeps the last value: serializing a long output of a tool
 * that nobody sees costs more than everything else. Leads to the same state.
 */
export function joinEvents(events: readonly ConversationEvent[]): readonly ConversationEvent[] {
  const joined: ConversationEvent[] = [];
  let session: SessionEvent[] | undefined;
  const endSession = (): void => {
    if (session !== undefined) joined.push({ type: 'session', events: joinChunks(withoutReplaced(session)) });
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

/** The long members of a patch. Unlike its status, they have no effect on anything but the value that they replace. */
const replaceable = ['content', 'rawOutput', 'rawInput', 'locations'] as const satisfies readonly (keyof ToolPatch)[];

/**
 * Leaves out of the updates of a tool call what a later one of these events replaces as a whole. The first one gets the last value: what is
 * printed when a call ends need not wait for a repetition of its end. Leads to the same state.
 */
export function withoutReplaced(events: readonly SessionEvent[]): readonly SessionEvent[] {
  const last = new Map<string, unknown>();
  for (const event of events) {
    if (event.type !== 'tool') continue;
    for (const member of replaceable) if (event.patch[member] !== undefined) last.set(`${member} ${event.id}`, event.patch[member]);
  }
  return events.map((event) => (event.type === 'tool' ? { ...event, patch: withLast(last, event.id, event.patch) } : event));
}

/** @param last the values of the calls; those of this patch are removed */
function withLast(last: Map<string, unknown>, id: string, patch: ToolPatch): ToolPatch {
  const result: Record<string, unknown> = { ...patch };
  for (const member of replaceable) {
    if (patch[member] === undefined) continue;
    const key = `${member} ${id}`;
    if (last.has(key)) result[member] = last.get(key);
    else delete result[member];
    last.delete(key);
  }
  return result;
}
