/** The conversation as a pure function of its events. No clock, no I/O, no identity: the same events give the same state, byte for byte. */
import type { SessionEvent } from './event.js';
import type { MessageItem, SessionState, TranscriptItem, TurnState } from './model.js';
import { appendMessage, closeOpenMessage } from './reduceMessage.js';
import { endTools, upsertTool } from './reduceTool.js';

export function emptySession(sessionId: string, cwd: string, createdAt: number): SessionState {
  return {
    sessionId, cwd, createdAt, title: undefined, items: [], plan: [], commands: [], configOptions: [], modes: undefined, usage: undefined,
    turn: { type: 'idle' }, asks: [], queue: [],
  };
}

export function reduceAll(state: SessionState, events: Iterable<SessionEvent>): SessionState {
  let next = state;
  for (const event of events) next = reduce(next, event);
  return next;
}

export function reduce(state: SessionState, event: SessionEvent): SessionState {
  const next = apply(state, event);
  return next.turn.type === 'idle' || next.turn.lastEventAt === event.at || !isSignOfLife(event)
    ? next
    : { ...next, turn: { ...next.turn, lastEventAt: event.at } };
}

function apply(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'opened':
      return { ...interrupt(state, event.at), cwd: event.cwd };
    case 'turn_started':
      return startTurn(state, event);
    case 'turn_cancelling':
      return cancelTurn(state, event);
    case 'turn_ended':
      return endTurn(state, event);
    case 'message':
      return { ...state, items: appendMessage(state.items, event, currentTurnId(state)) };
    case 'tool':
      return { ...state, items: upsertTool(closeOpenMessage(state.items), event, currentTurnId(state)) };
    case 'plan':
      return { ...state, plan: event.entries };
    case 'commands':
      return { ...state, commands: event.commands };
    case 'config_options':
      return { ...state, configOptions: event.configOptions };
    case 'modes':
      return { ...state, modes: event.modes };
    case 'mode':
      return state.modes === undefined ? state : { ...state, modes: { ...state.modes, currentModeId: event.currentModeId } };
    case 'info':
      return event.title === undefined ? state : { ...state, title: event.title ?? undefined };
    case 'usage':
      return { ...state, usage: event.usage };
    case 'notice':
      return { ...state, items: [...closeOpenMessage(state.items), notice(state, event)] };
    case 'compaction':
      return { ...state, items: upsertCompaction(state.items, event) };
    case 'ask_opened':
      return state.asks.some((ask) => ask.id === event.ask.id) ? state : { ...state, asks: [...state.asks, event.ask] };
    case 'ask_closed':
      return { ...state, asks: without(state.asks, event.askId) };
    case 'queued':
      return { ...state, queue: [...state.queue, event.prompt] };
    case 'unqueued':
      return { ...state, queue: without(state.queue, event.promptId) };
  }
}

/** What the agent does, as against what the user or the host does. */
function isSignOfLife(event: SessionEvent): boolean {
  return event.type === 'message' || event.type === 'tool' || event.type === 'plan' || event.type === 'ask_opened' || event.type === 'ask_closed' || event.type === 'usage';
}

function currentTurnId(state: SessionState): string | undefined {
  return state.turn.type === 'idle' ? undefined : state.turn.turnId;
}

type TurnStarted = Extract<SessionEvent, { type: 'turn_started' }>;
type TurnEnded = Extract<SessionEvent, { type: 'turn_ended' }>;
type TurnCancelling = Extract<SessionEvent, { type: 'turn_cancelling' }>;

/** A new process, or a new turn, while one still seems to run: its end was never seen, for the host or the agent died under it. */
function interrupt(state: SessionState, at: number): SessionState {
  const quiet = state.asks.length === 0 ? state : { ...state, asks: [] };
  if (quiet.turn.type === 'idle') return quiet;
  const error = { code: 'agent_exited', message: 'The turn was cut: the agent or its host ended before it did', data: {} } as const;
  return endTurn(quiet, { type: 'turn_ended', at, turnId: quiet.turn.turnId, outcome: { type: 'interrupted', error } });
}

function startTurn(before: SessionState, event: TurnStarted): SessionState {
  const state = interrupt(before, event.at);
  const turn: TurnState = { type: 'running', turnId: event.turnId, startedAt: event.at, lastEventAt: event.at };
  const items = closeOpenMessage(state.items);
  if (event.content === undefined) return { ...state, items, turn };
  const prompt: MessageItem = {
    kind: 'message', id: `m${items.length}`, role: 'user', content: event.content, turnId: event.turnId, startedAt: event.at, updatedAt: event.at, open: false,
  };
  return { ...state, items: [...items, prompt], turn };
}

function cancelTurn(state: SessionState, event: TurnCancelling): SessionState {
  if (state.turn.type !== 'running' || state.turn.turnId !== event.turnId) return state;
  const { turnId, startedAt, lastEventAt } = state.turn;
  return { ...state, turn: { type: 'cancelling', turnId, startedAt, lastEventAt, since: event.at } };
}

function endTurn(state: SessionState, event: TurnEnded): SessionState {
  const startedAt = state.turn.type !== 'idle' && state.turn.turnId === event.turnId ? state.turn.startedAt : event.at;
  const items = endTools(closeOpenMessage(state.items), event.turnId, event.at);
  const end: TranscriptItem = { kind: 'turn_end', id: `e${items.length}`, turnId: event.turnId, outcome: event.outcome, startedAt, at: event.at };
  // A finished plan has done its work; an unfinished one stays, for it tells what is left.
  const plan = state.plan.every((entry) => entry.status === 'completed') ? [] : state.plan;
  return { ...state, items: [...items, end], plan, turn: { type: 'idle' } };
}

function notice(state: SessionState, event: Extract<SessionEvent, { type: 'notice' }>): TranscriptItem {
  return {
    kind: 'notice', id: `n${state.items.length}`, severity: event.severity, title: event.title, description: event.description,
    turnId: currentTurnId(state), at: event.at,
  };
}

function upsertCompaction(items: readonly TranscriptItem[], event: Extract<SessionEvent, { type: 'compaction' }>): readonly TranscriptItem[] {
  const id = `c:${event.id}`;
  const index = items.findLastIndex((item) => item.id === id);
  const known = items[index];
  const before = known?.kind === 'compaction' ? known : { kind: 'compaction' as const, id, status: 'in_progress', summary: [], error: undefined, at: event.at };
  const summary = event.summary ?? before.summary;
  const next: TranscriptItem = {
    ...before,
    status: event.status ?? before.status,
    summary: event.summaryChunk === undefined ? summary : [...summary, event.summaryChunk],
    error: event.error === undefined ? before.error : (event.error ?? undefined),
  };
  return index < 0 ? [...closeOpenMessage(items), next] : items.with(index, next);
}

function without<T extends { readonly id: string }>(list: readonly T[], id: string): readonly T[] {
  return list.some((entry) => entry.id === id) ? list.filter((entry) => entry.id !== id) : list;
}
