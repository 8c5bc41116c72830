/** Waits, each with its owner, its reason and its age. */
import type { WaitView } from '../../contract/view.js';
import type { AgentStatus, SessionState } from '../../core/index.js';
import { buttons } from '../errorText.js';

/** Without a sign of life for so long, an agent at work is called quiet. agentao retries a failing provider for two minutes without a word. */
export const quietAfterMs = 60_000;
/** An agent that has not stopped by then can be ended by force. */
export const forceStopAfterMs = 10_000;

export interface WaitInput {
  readonly agent: string;
  readonly status: AgentStatus;
  readonly session: SessionState | undefined;
  /** The session is being opened. Milliseconds since the epoch, as `now`. */
  readonly connectingSince: number | undefined;
  /** Messages that no turn has taken, oldest first; with their times. */
  readonly unsent: readonly { readonly at: number }[];
  readonly now: number;
}

export interface Wait {
  readonly view: WaitView | null;
  /** When the words change although nothing happens; milliseconds since the epoch. */
  readonly wakeAt?: number;
}

export function waitOf({ agent, status, session, connectingSince, unsent, now }: WaitInput): Wait {
  if (connectingSince !== undefined && status.state !== 'reconnecting') return { view: startWait(agent, status, connectingSince) };
  switch (status.state) {
    case 'starting':
      return { view: startWait(agent, status, status.since) };
    case 'reconnecting':
      return reconnectWait(agent, status, now);
    case 'stopped':
    case 'failed':
      return { view: null };
    case 'ready':
    case 'busy':
    case 'waiting':
      if (session === undefined) return { view: null };
      return session.turn.type === 'idle' && unsent[0] !== undefined ? { view: heldWait(unsent.length, unsent[0].at) } : turnWait(agent, session, now);
  }
}

/** What stood behind a turn that was cut may make no sense without it: the user decides. */
function heldWait(count: number, since: number): WaitView {
  return { text: `${count === 1 ? 'Your message waits' : `${count} messages wait`}: the turn before was cut`, since, buttons: [buttons.sendHeld] };
}

type Reconnecting = Extract<AgentStatus, { readonly state: 'reconnecting' }>;

/** Counts down second by second; the page does so itself, the status bar cannot. */
function reconnectWait(agent: string, { since, attempt, of, retryAt }: Reconnecting, now: number): Wait {
  const which = attempt === undefined ? '' : ` (${attempt} of ${of})`;
  if (retryAt === undefined) return { view: { text: `Restarting ${agent} and taking the conversation up${which}`, since, buttons: [buttons.stop, buttons.log] } };
  const view = { text: `${agent} was lost. Restarting it${which}`, since, until: retryAt, buttons: [buttons.retryNow, buttons.stop, buttons.log] };
  return { view, wakeAt: now + 1000 };
}

function startWait(agent: string, status: AgentStatus, since: number): WaitView {
  const running = status.state === 'ready' || (status.state === 'starting' && status.awaiting === 'session');
  return { text: running ? `${agent} is opening a session` : `Starting ${agent}`, since, buttons: [buttons.stop, buttons.log] };
}

function turnWait(agent: string, { turn, asks, items }: SessionState, now: number): Wait {
  const ask = asks[0];
  if (turn.type === 'cancelling') {
    const forceAt = turn.since + forceStopAfterMs;
    return now >= forceAt
      ? { view: { text: `${agent} is still stopping`, since: turn.since, buttons: [buttons.forceStop, buttons.log] } }
      : { view: { text: 'Stopping', since: turn.since, buttons: [] }, wakeAt: forceAt };
  }
  if (ask !== undefined) return { view: { text: 'Waiting for you', since: ask.at, buttons: [] } };
  if (turn.type === 'idle') return { view: null };
  const quietAt = turn.lastEventAt + quietAfterMs;
  return now >= quietAt
    ? { view: { text: `${agent} is quiet`, since: turn.lastEventAt, buttons: [buttons.log, buttons.stop] } }
    : { view: { text: `${agent} is ${activity(items)}`, since: turn.startedAt, buttons: [] }, wakeAt: quietAt };
}

/** What the agent does, as far as it can be seen. */
function activity(items: SessionState['items']): string {
  const last = items.at(-1);
  if (last?.kind === 'tool' && last.status === 'in_progress') return 'running a tool';
  return last?.kind === 'message' && last.role === 'agent' && last.open ? 'answering' : 'thinking';
}
