/** What stands between a session and its next prompt, and what can be done about it. */
import {
  type AgentHost,
  contextBlock,
  contextOf,
  defaultContextLimitChars,
  DisposableStore,
  HostError,
  type HostErrorCode,
  type JournalStore,
  readEarlierSessions,
  readSessionHistory,
  type Session,
} from '../../core/index.js';
import type { RecoveryOffer } from '../output/output.js';

/** `refused`: the agent runs and does not take the session up; `gone`: it does not run, and is not started by itself. */
export interface Blocker {
  readonly type: 'refused' | 'gone';
  readonly error: HostError;
}

/** Undefined while the session can be prompted, or is going to be by itself. */
export function toBlocker({ live, refusal, host }: Session): Blocker | undefined {
  if (live) return undefined;
  if (refusal !== undefined && host.status.state === 'failed') return { type: 'refused', error: notTakenUp(refusal) };
  if (host.status.state === 'failed') return { type: 'gone', error: notTakenUp(host.status.error) };
  return host.status.state === 'stopped'
    ? { type: 'gone', error: notTakenUp(new HostError('agent_exited', `${host.agent.label} ended by itself`)) }
    : undefined;
}

function notTakenUp(cause: HostError): HostError {
  return new HostError(cause.code, `The session could not be taken up again: ${cause.message}`, { cause, data: cause.data });
}

const refusals: ReadonlySet<HostErrorCode> = new Set(['session_unknown', 'unsupported', 'request_failed', 'invalid_response']);

/** The agent runs and did not open this session; it may open another one. */
export function isRefusal({ code }: HostError): boolean {
  return refusals.has(code);
}

/** Resolves when the session can be prompted: at once, or when its lost agent is back. @throws HostError why it will not be */
export function untilLive(session: Session): Promise<void> {
  return new Promise((resolve, reject) => {
    const subscriptions = new DisposableStore();
    const look = (): void => {
      const obstacle = toBlocker(session);
      if (session.live) resolve();
      else if (obstacle) reject(obstacle.error);
      else return;
      subscriptions.dispose();
    };
    subscriptions.add(session.host.onStatus(look));
    subscriptions.add(session.host.onSession(look));
    look();
  });
}

/** The one that the agent does not take up. */
interface LeftSession {
  readonly sessionId: string;
  /** Milliseconds since the epoch; absent: the newest with that id. */
  readonly createdAt: number | undefined;
}

/** @throws HostError `storage_failed` */
export async function offerRecovery(
  host: AgentHost,
  journals: JournalStore,
  { sessionId, createdAt }: LeftSession,
  reason: HostError,
): Promise<RecoveryOffer> {
  const state = host.sessions.get(sessionId)?.state;
  const kept = await (state === undefined
    ? readSessionHistory(journals, host.agent.id, sessionId, { createdAt })
    : readEarlierSessions(journals, host.agent.id, state));
  const chain = state === undefined ? kept : [...kept, state];
  return { sessionId, reason, context: contextOf(chain, defaultContextLimitChars), block: contextBlock(chain, defaultContextLimitChars) };
}
