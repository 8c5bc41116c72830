/** Describes what the conversation is waiting for, and since when. */
import type { WaitView } from '../../contract/view.js';
import {
  type AgentStatus,
  type AgentWait,
  canStopLate,
  type ConversationState,
  lastLateItem,
  lateSince,
  lateWorkIn,
  type SessionState,
} from '../../core/index.js';
import { isOfConnection } from '../../text/errorText.js';
import { retryText } from '../../text/hintText.js';
import { lateWorkText } from '../../text/workText.js';
import { buttons } from '../advice/advice.js';

/** How long an agent may take to stop before users can force it. */
export const forceStopAfterMs = 10_000;
/** How long an agent that still works after its turn may be silent before it counts as done. */
const lateQuietMs = 5_000;
/** Most agents have answered within this time. */
const slowStartMs = 5_000;

export interface WaitInput {
  readonly agent: string;
  readonly status: AgentStatus;
  readonly session: SessionState | undefined;
  /** What the agent asks outside of the session. */
  readonly requests: ConversationState['requests'];
  readonly opening: ConversationState['opening'];
  readonly live: boolean;
  /** How long a working agent may be silent before it counts as unresponsive. */
  readonly quietAfterMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Wait {
  readonly view: WaitView | null;
  /** When the text changes although nothing happens, in milliseconds since the epoch. */
  readonly wakeAt?: number;
}

export function waitOf({ agent, status, session, requests, opening, live, quietAfterMs, now }: WaitInput): Wait {
  const [request] = requests;
  if (request !== undefined) return { view: { text: `${agent} needs your input`, since: request.at, buttons: [buttons.stop] } };
  if (opening !== undefined && status.state !== 'reconnecting') return startWait(agent, status, opening.since, now);
  switch (status.state) {
    case 'starting':
      return startWait(agent, status, status.since, now);
    case 'reconnecting':
      return reconnectWait(agent, status, now);
    case 'stopped':
    case 'failed':
      return { view: null };
    case 'ready':
    case 'busy':
    case 'waiting':
      if (session === undefined) return { view: null };
      if (session.turn.type === 'idle' && session.requests.length === 0) return live ? lateWait(agent, session, now) : { view: null };
      return turnWait(agent, session, quietAfterMs, now);
  }
}

type Reconnecting = Extract<AgentStatus, { readonly state: 'reconnecting' }>;

/** Counts down every second. The page could do that itself, but the status bar can't. */
function reconnectWait(agent: string, { since, attempt, of, retryAt, reason }: Reconnecting, now: number): Wait {
  const isServer = reason !== undefined && isOfConnection(reason);
  const which = attempt === undefined ? '' : ` (${attempt} of ${of})`;
  if (retryAt === undefined)
    return {
      view: {
        text: `${isServer ? 'Connecting to' : 'Restarting'} ${agent} and resuming the conversation${which}`,
        since,
        buttons: [buttons.stop, buttons.log],
      },
    };
  const view = {
    text: isServer ? `The connection to ${agent} was lost. Reconnecting${which}` : `${agent} stopped unexpectedly. Restarting it${which}`,
    since,
    until: retryAt,
    buttons: [buttons.retryNow, buttons.stop, buttons.log],
  };
  return { view, wakeAt: now + 1000 };
}

function startWait(agent: string, status: AgentStatus, since: number, now: number): Wait {
  const view = (text: string): WaitView => ({ text, since, buttons: [buttons.stop, buttons.log] });
  if (status.state === 'starting' && status.awaiting === 'next_minute')
    return { view: view(`Waiting for the next minute: ${agent} can't load a session in the minute it was created`) };
  if (status.state === 'ready' || (status.state === 'starting' && status.awaiting === 'session'))
    return { view: view(`${agent} is opening a session`) };
  if (status.state !== 'starting' || status.protocol === undefined) return { view: view(`Starting ${agent}`) };
  const slowAt = status.since + slowStartMs;
  if (now < slowAt) return { view: view(`Starting ${agent}`), wakeAt: slowAt };
  return { view: view(`Waiting for ${agent} to answer over the protocol "${status.protocol}"`) };
}

function turnWait(agent: string, { turn, requests, items }: SessionState, quietAfterMs: number, now: number): Wait {
  const request = requests[0];
  if (turn.type === 'cancelling') {
    const forceAt = turn.since + forceStopAfterMs;
    return now >= forceAt
      ? { view: { text: `${agent} is still stopping`, since: turn.since, buttons: [buttons.forceStop, buttons.log] } }
      : { view: { text: 'Stopping', since: turn.since, buttons: [] }, wakeAt: forceAt };
  }
  if (request !== undefined) return { view: { text: `${agent} needs your input`, since: request.at, buttons: [] } };
  if (turn.type === 'idle') return { view: null };
  if (turn.wait !== undefined) return knownWait(agent, turn.wait, turn.lastEventAt, now);
  const quietAt = turn.lastEventAt + quietAfterMs;
  return now >= quietAt
    ? { view: { text: `${agent} has been silent`, since: turn.lastEventAt, buttons: [buttons.log, buttons.stop, buttons.forceStop] } }
    : { view: { text: `${agent} is ${activity(items)}`, since: turn.startedAt, buttons: [] }, wakeAt: quietAt };
}

/** Describes what goes on although no turn is running. */
function lateWait(agent: string, session: SessionState, now: number): Wait {
  const late = lateWorkIn({ session, live: true });
  const [first] = late;
  if (first !== undefined)
    return { view: { text: lateWorkText(late), since: lateSince(first), buttons: late.some(canStopLate) ? [buttons.stop] : [] } };
  const last = lastLateItem(session.items);
  const at = last?.kind === 'message' ? last.updatedAt : last?.kind === 'tool' ? (last.endedAt ?? last.startedAt) : 0;
  if (last?.kind === undefined || now >= at + lateQuietMs) return { view: null };
  const since = last.kind === 'message' || last.kind === 'tool' ? last.startedAt : at;
  return { view: { text: `${agent} is still working`, since, buttons: [buttons.stop] }, wakeAt: at + lateQuietMs };
}

/** Describes a wait whose reason is known. */
function knownWait(agent: string, wait: AgentWait, silentSince: number, now: number): Wait {
  switch (wait.kind) {
    case 'retry': {
      const view = {
        text: `${agent} is retrying its provider (${retryText(wait.reason)})`,
        since: silentSince,
        buttons: [buttons.stop, buttons.log],
      };
      return now < wait.until ? { view: { ...view, until: wait.until }, wakeAt: wait.until } : { view };
    }
    case 'not_reading':
      return {
        view: {
          text: `${agent} isn't reading input: ${sizeOf(wait.queuedBytes)} queued`,
          since: silentSince,
          buttons: [buttons.log, buttons.stop, buttons.forceStop],
        },
      };
  }
}

/** "12 KB", "3.2 MB". */
function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.max(1, Math.round(bytes / 1024))} KB` : `${(bytes / (1024 * 1024)).toFixed(1)} MB`;
}

/** Returns what the agent is doing, as far as its output shows. */
function activity(items: SessionState['items']): string {
  const last = items.at(-1);
  if (last !== undefined && 'subagentId' in last && last.subagentId !== undefined) return 'running a sub-agent';
  if (last?.kind === 'tool' && last.status === 'in_progress') return 'running a tool';
  return last?.kind === 'message' && last.role === 'agent' && last.open ? 'answering' : 'thinking';
}
