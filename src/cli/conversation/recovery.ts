/** What blocks the next prompt of a session, and how to recover. */
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

/** `refused`: the agent is running but can't resume the session; `gone`: the agent is not running and is not restarted automatically. */
export interface Blocker {
  readonly type: 'refused' | 'gone';
  readonly error: HostError;
}

/** Returns undefined while the session accepts prompts, or will do so without help. */
export function toBlocker({ live, refusal, host }: Session): Blocker | undefined {
  if (live) return undefined;
  if (refusal !== undefined && host.status.state === 'failed') return { type: 'refused', error: toResumeError(refusal) };
  if (host.status.state === 'failed') return { type: 'gone', error: toResumeError(host.status.error) };
  return host.status.state === 'stopped'
    ? { type: 'gone', error: toResumeError(new HostError('agent_exited', `${host.agent.label} exited`)) }
    : undefined;
}

function toResumeError(cause: HostError): HostError {
  return new HostError(cause.code, `The session could not be resumed: ${cause.message}`, { cause, data: cause.data });
}

const refusals: ReadonlySet<HostErrorCode> = new Set(['session_unknown', 'unsupported', 'request_failed', 'invalid_response']);

/** The agent is running and did not open this session. It may open another one. */
export function isRefusal({ code }: HostError): boolean {
  return refusals.has(code);
}

/** Resolves once the session accepts prompts: at once, or when its lost agent is back. @throws HostError why it will not */
export function untilLive(session: Session): Promise<void> {
  return new Promise((resolve, reject) => {
    const subscriptions = new DisposableStore();
    const look = (): void => {
      const blocker = toBlocker(session);
      if (session.live) resolve();
      else if (blocker) reject(blocker.error);
      else return;
      subscriptions.dispose();
    };
    subscriptions.add(session.host.onStatus(look));
    subscriptions.add(session.host.onSession(look));
    look();
  });
}

/** The session that the agent can't resume. */
interface LostSession {
  readonly sessionId: string;
  /** Milliseconds since the epoch; absent: the newest session with that ID. */
  readonly createdAt: number | undefined;
}

/** @throws HostError `storage_failed` */
export async function offerRecovery(
  host: AgentHost,
  journals: JournalStore,
  { sessionId, createdAt }: LostSession,
  reason: HostError,
): Promise<RecoveryOffer> {
  const state = host.sessions.get(sessionId)?.state;
  const earlier = await (state === undefined
    ? readSessionHistory(journals, host.agent.id, sessionId, { createdAt })
    : readEarlierSessions(journals, host.agent.id, state));
  const history = state === undefined ? earlier : [...earlier, state];
  return {
    sessionId,
    reason,
    context: contextOf(history, defaultContextLimitChars),
    block: contextBlock(history, defaultContextLimitChars),
  };
}
