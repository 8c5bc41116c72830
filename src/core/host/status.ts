import { findKnownAgent } from '../agents/knownAgents.js';
import type { HostError } from '../base/errors.js';
import type { ExitInfo } from '../node/exitInfo.js';
import type { AgentStatus } from './api.js';
import type { AgentEnd, RestartDecision } from './restartPolicy.js';
import type { HostSession } from './hostSession.js';
import type { RestartPlan } from './supervisor.js';

export function isSameStatus(a: AgentStatus, b: AgentStatus): boolean {
  switch (a.state) {
    case 'ready':
      return b.state === 'ready';
    case 'stopped':
      return b.state === 'stopped' && a.exit?.code === b.exit?.code && a.exit?.signal === b.exit?.signal;
    case 'waiting':
      return b.state === 'waiting' && a.since === b.since && a.requests === b.requests;
    case 'busy':
      return b.state === 'busy' && a.since === b.since;
    case 'starting':
      return b.state === 'starting' && a.awaiting === b.awaiting;
    case 'reconnecting':
      return b.state === 'reconnecting' && a.attempt === b.attempt && a.retryAt === b.retryAt;
    case 'failed':
      return b.state === 'failed' && a.error === b.error;
  }
}

/** Derives the state of a running agent from its sessions. */
export function runningStatus(of: {
  readonly sessions: Iterable<HostSession>;
  /** A session is being opened. */
  readonly awaiting: 'session' | 'next_minute' | undefined;
  /** What prevents the use of the agent. */
  readonly problem: { readonly error: HostError; readonly stderrTail: string } | undefined;
  readonly now: number;
}): AgentStatus {
  const { problem, now } = of;
  const sessions = [...of.sessions];
  const requests = sessions.flatMap(({ state }) => state.requests);
  if (requests.length > 0) return { state: 'waiting', since: Math.min(...requests.map(({ at }) => at)), requests: requests.length };
  for (const session of sessions) if (session.busy) return { state: 'busy', since: session.busySince ?? now };
  if (problem !== undefined) return { state: 'failed', ...problem };
  return of.awaiting === undefined ? { state: 'ready' } : { state: 'starting', since: now, awaiting: of.awaiting };
}

/** Whether an agent that was asked to end will have nothing left to do. @param names by which the agent may be known */
export function nothingRuns(sessions: Iterable<HostSession>, names: readonly (string | undefined)[]): boolean {
  return [...sessions].every(({ busy }) => !busy) && names.every((name) => findKnownAgent(name)?.endsWithInput !== true);
}

export function reconnecting(since: number, plan: RestartPlan | undefined): AgentStatus {
  if (plan === undefined) return { state: 'reconnecting', since };
  const { attempt, of, retryAt, reason } = plan;
  return { state: 'reconnecting', since, attempt, of, reason, ...(retryAt === undefined ? {} : { retryAt }) };
}

const ofConnections: ReadonlySet<unknown> = new Set([
  'connection_closed',
  'connection_silent',
  'message_too_large',
  'bad_frame',
  'stop_ignored',
]);

/** What happened to the process, or if there is none, to the connection. */
export function lossOf(error: HostError, exit: ExitInfo | undefined): HostError {
  if (exit === undefined && ofConnections.has(error.params.reason)) return error;
  return error.code === 'agent_exited' ? error.with({ reason: exit === undefined ? 'output_closed' : 'process_ended' }) : error;
}

/** The state of an agent that won't be restarted automatically. */
export function atRest(
  { error, exit, isMidTurn = false }: AgentEnd,
  decision: RestartDecision | undefined,
  stderrTail: string,
): AgentStatus {
  if (exit?.requested === true || (exit?.code === 0 && !isMidTurn)) return { state: 'stopped', exit };
  const why = decision?.type === 'stay' ? decision.why : undefined;
  return { state: 'failed', error: why === 'too_often' ? error.with({ circuit: 'open' }) : error, stderrTail };
}
