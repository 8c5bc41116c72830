/**
 * Computes a conversation from its events as a pure function. It uses no clock, no I/O and no identity: the same events result in the same
 * state, byte for byte.
 */
import type { SessionEvent } from './event.js';
import { ItemsDraft } from './itemsDraft.js';
import { type HostNotice, unansweredReasons } from './hostNotice.js';
import type { AgentWait, SessionOrigin, SessionState, TranscriptItem, TurnState } from './model.js';
import { appendMessage, closeMessages } from './reduceMessage.js';
import { addNotice, leaveFinished, updatePlan } from './reducePlan.js';
import { endSubagents, upsertSubagent } from './reduceSubagent.js';
import { endTools, markWaitingTools, stopWaitingTools, upsertTool } from './reduceTool.js';
import { closeReasonOf, requestTitle } from './userRequest.js';

/**
 * Returns the state of a session without events.
 * @param sessionId the agent's id @param cwd absolute @param createdAt milliseconds since the epoch @param id the host's id; absent where
 * there is only one session
 */
export function emptySession(sessionId: string, cwd: string, createdAt: number, id = sessionId): SessionState {
  return {
    id,
    sessionId,
    cwd,
    createdAt,
    title: undefined,
    items: [],
    plans: [],
    commands: [],
    options: [],
    usage: undefined,
    turn: { type: 'idle' },
    requests: [],
    queue: [],
  };
}

/** The same session, with the parts that an older version of ACP Host did not know. */
export function wholeSession(session: SessionState): SessionState {
  const whole = emptySession(session.sessionId, session.cwd, session.createdAt);
  return Object.keys(whole).every((part) => part in session) ? session : { ...whole, ...session };
}

/** Applies one event to the state. Pure; returns a new state that shares what did not change. */
export function reduce(state: SessionState, event: SessionEvent): SessionState {
  return reduceAll(state, [event]);
}

/** Same result as reducing one event after another, but cheaper, because it copies the transcript only once. */
export function reduceAll(state: SessionState, events: Iterable<SessionEvent>): SessionState {
  const draft = new ItemsDraft(state.items);
  let next = state;
  for (const event of events) {
    const isSign = isSignOfLife(next, event);
    const applied = apply(next, draft, event);
    next = isSign ? withSignOfLife(applied, event) : applied;
  }
  draft.end();
  return draft.items === next.items ? next : { ...next, items: draft.items };
}

function withSignOfLife(state: SessionState, event: SessionEvent): SessionState {
  if (state.turn.type === 'idle' || (state.turn.lastEventAt >= event.at && state.turn.wait === undefined)) return state;
  const { wait: _over, ...turn } = state.turn;
  // The journal may contain an update of a tool after events that happened later.
  return { ...state, turn: { ...turn, lastEventAt: Math.max(turn.lastEventAt, event.at) } };
}

function setWait(state: SessionState, wait: AgentWait | null): SessionState {
  if (state.turn.type === 'idle') return state;
  const { wait: _before, ...turn } = state.turn;
  return { ...state, turn: wait === null ? turn : { ...turn, wait } };
}

/** Returns only the members of the origin that are present. */
export function originOf({ continues, fork }: { readonly [K in keyof SessionOrigin]: SessionOrigin[K] | undefined }): SessionOrigin {
  return { ...(continues !== undefined && { continues }), ...(fork !== undefined && { fork }) };
}

/**
 * Changes the transcript in the draft and returns the rest of the state. The `items` of the returned state are those from before the batch.
 */
function apply(state: SessionState, draft: ItemsDraft, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'opened': {
      const interrupted = interrupt(state, draft);
      endSubagents(draft);
      return { ...interrupted, cwd: event.cwd, ...originOf(event) };
    }
    case 'turn_started':
      return startTurn(state, draft, event);
    case 'wait':
      return setWait(state, event.wait);
    case 'turn_cancelling':
      return cancelTurn(state, event);
    case 'turn_ended':
      return endTurn(state, draft, event);
    case 'message':
      appendMessage(draft, event, currentTurnId(state));
      return state;
    case 'tool':
      upsertTool(draft, event, currentTurnId(state));
      return state;
    case 'subagent':
      upsertSubagent(draft, event, currentTurnId(state));
      return state;
    case 'plan':
      return updatePlan(state, draft, event, currentTurnId(state));
    case 'commands':
      return { ...state, commands: event.commands };
    case 'options':
      return { ...state, options: event.options };
    case 'context':
      return { ...state, context: event.context };
    case 'extension':
      return state;
    case 'info':
      return event.title === undefined ? state : { ...state, title: event.title ?? undefined };
    case 'usage':
      return { ...state, usage: event.usage };
    case 'notice':
      addNotice(draft, event, { title: event.title, description: event.description }, currentTurnId(state), event.subagentId);
      return state;
    case 'host_notice':
      addNotice(draft, event, hostNoticeOf(event), currentTurnId(state));
      return state;
    case 'compaction':
      upsertCompaction(draft, event);
      return state;
    case 'request_opened':
      return openRequest(state, draft, event);
    case 'request_closed':
      return closeRequest(state, draft, event);
    case 'queued':
      return { ...state, queue: [...state.queue, event.prompt] };
    case 'unqueued':
      return { ...state, queue: without(state.queue, event.promptId) };
    default:
      // An engine of a newer version has more.
      event satisfies never;
      return state;
  }
}

/** Whether the agent did something that a user can see, as opposed to the user or the host. The same usage again shows nothing. */
function isSignOfLife(before: SessionState, event: SessionEvent): boolean {
  switch (event.type) {
    case 'message':
      return event.content.type !== 'text' || event.content.text !== '';
    case 'tool':
    case 'plan':
    case 'subagent':
      return true;
    case 'usage':
      return JSON.stringify(event.usage) !== JSON.stringify(before.usage);
    default:
      return event.type === 'request_opened' || event.type === 'request_closed';
  }
}

function currentTurnId(state: SessionState): string | undefined {
  return state.turn.type === 'idle' ? undefined : state.turn.turnId;
}

type TurnStarted = Extract<SessionEvent, { type: 'turn_started' }>;
type TurnEnded = Extract<SessionEvent, { type: 'turn_ended' }>;
type TurnCancelling = Extract<SessionEvent, { type: 'turn_cancelling' }>;

/**
 * Interrupts a turn that appears to be running when a new process or a new turn starts. Its end was not seen, because the host or the agent
 * died.
 */
function interrupt(state: SessionState, draft: ItemsDraft): SessionState {
  const quiet = state.requests.length === 0 ? state : { ...state, requests: [] };
  if (quiet.turn.type === 'idle') return quiet;
  const error = { code: 'agent_exited', params: { reason: 'unseen' } } as const;
  // Uses the last sign of life, so that the time is the same whoever computes it: the process that resumes the session, or one that only
  // reads it.
  return endTurn(quiet, draft, {
    type: 'turn_ended',
    at: quiet.turn.lastEventAt,
    turnId: quiet.turn.turnId,
    outcome: { type: 'interrupted', error },
  });
}

function startTurn(before: SessionState, draft: ItemsDraft, event: TurnStarted): SessionState {
  // The agent may have asked something before the turn, and still waits for the answer.
  const state = before.turn.type === 'idle' ? before : interrupt(before, draft);
  const turn: TurnState = { type: 'running', turnId: event.turnId, startedAt: event.at, lastEventAt: event.at };
  closeMessages(draft);
  if (event.content === undefined) return { ...state, turn };
  draft.append({
    kind: 'message',
    id: `m${draft.length}`,
    role: 'user',
    content: event.content,
    turnId: event.turnId,
    ...(event.promptId === undefined ? {} : { promptId: event.promptId }),
    startedAt: event.at,
    updatedAt: event.at,
    open: false,
  });
  return { ...state, turn };
}

function cancelTurn(state: SessionState, event: TurnCancelling): SessionState {
  if (state.turn.type !== 'running' || state.turn.turnId !== event.turnId) return state;
  return { ...state, turn: { ...state.turn, type: 'cancelling', since: event.at } };
}

function endTurn(state: SessionState, draft: ItemsDraft, event: TurnEnded): SessionState {
  const startedAt = state.turn.type !== 'idle' && state.turn.turnId === event.turnId ? state.turn.startedAt : event.at;
  closeMessages(draft);
  const { turnId, at, outcome } = event;
  const isCancelled = state.turn.type === 'cancelling' || (outcome.type === 'ended' && outcome.stopReason === 'cancelled');
  markWaitingTools(draft, [], at);
  endTools(draft, { at, status: isCancelled ? 'cancelled' : 'unreported' });
  const plans = leaveFinished(state.plans, draft, at, currentTurnId(state));
  const ended = withUserWait(state.turn, false, at);
  const waitedMs = ended.type === 'idle' || ended.turnId !== turnId ? undefined : ended.waitedMs;
  draft.append({
    kind: 'turn_end',
    id: `e${draft.length}`,
    turnId,
    outcome,
    startedAt,
    at,
    ...(waitedMs === undefined ? {} : { waitedMs }),
  });
  return { ...state, plans, turn: { type: 'idle' } };
}

function hostNoticeOf({ type: _, at: _at, severity: _severity, ...notice }: Extract<SessionEvent, { type: 'host_notice' }>): HostNotice {
  return notice;
}

function openRequest(
  state: SessionState,
  draft: ItemsDraft,
  { at, request }: Extract<SessionEvent, { type: 'request_opened' }>,
): SessionState {
  if (state.requests.some(({ id }) => id === request.id)) return state;
  const requests = [...state.requests, request];
  markWaitingTools(draft, requests, at, request);
  return { ...state, requests, turn: withUserWait(state.turn, true, at) };
}

function closeRequest(
  state: SessionState,
  draft: ItemsDraft,
  { at, requestId, answer }: Extract<SessionEvent, { type: 'request_closed' }>,
): SessionState {
  const request = state.requests.find(({ id }) => id === requestId);
  const why = unansweredReasons.find((reason) => reason === closeReasonOf(answer));
  if (request !== undefined && why !== undefined) {
    const notice: HostNotice = { code: 'request_closed_unanswered', params: { request: requestTitle(request), why } };
    addNotice(draft, { at, severity: 'warning' }, notice, currentTurnId(state));
  }
  if (request !== undefined && closeReasonOf(answer) === 'turn_cancelled') stopWaitingTools(draft, request, at);
  const requests = without(state.requests, requestId);
  markWaitingTools(draft, requests, at, request);
  return { ...state, requests, turn: withUserWait(state.turn, requests.length > 0, at) };
}

/** Counts the time in which the agent waits for the user, however many requests are open. */
function withUserWait(turn: TurnState, isWaiting: boolean, at: number): TurnState {
  if (turn.type === 'idle' || isWaiting === (turn.asksSince !== undefined)) return turn;
  const { asksSince, ...rest } = turn;
  return asksSince === undefined ? { ...turn, asksSince: at } : { ...rest, waitedMs: (turn.waitedMs ?? 0) + Math.max(0, at - asksSince) };
}

function upsertCompaction(draft: ItemsDraft, event: Extract<SessionEvent, { type: 'compaction' }>): void {
  const id = `c:${event.id}`;
  const index = draft.indexOf(id);
  const known = draft.items[index];
  const before =
    known?.kind === 'compaction'
      ? known
      : { kind: 'compaction' as const, id, status: 'in_progress', summary: [], error: undefined, at: event.at };
  const summary = event.summary ?? before.summary;
  const next: TranscriptItem = {
    ...before,
    status: event.status ?? before.status,
    summary: event.summaryChunk === undefined ? summary : draft.withBlock(summary, event.summaryChunk),
    error: event.error === undefined ? before.error : (event.error ?? undefined),
  };
  if (index >= 0) draft.replace(index, next);
  else draft.append(next);
}

function without<T extends { readonly id: string }>(list: readonly T[], id: string): readonly T[] {
  return list.some((entry) => entry.id === id) ? list.filter((entry) => entry.id !== id) : list;
}
