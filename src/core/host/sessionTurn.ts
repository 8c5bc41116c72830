import type { BackendSession, PromptResult } from '../backends/agentBackend.js';
import { type ErrorReasons, HostError, type HostErrorCode, toHostError } from '../base/errors.js';
import { within } from '../base/deadline.js';
import type { ContentBlock, TurnOutcome } from '../session/model.js';
import type { KeySignIn } from './signIn.js';

/** The prompt was never written to a process. */
const unsentReasons: ReadonlySet<string> = new Set(['not_running', 'pipe_closed'] satisfies ErrorReasons['agent_exited'][]);

/** How much of the agent's stderr is shown if it may explain something. */
const stderrTailLines = 12;
/** How long to wait for the agent's last lines. */
const stderrSettleMs = 100;

export interface Turn {
  /** Unique for ever. */
  readonly id: string;
  readonly startedAt: number;
  cancelling: boolean;
  /**
   * Resolves when the agent may get the prompt: the prompt is on disk by then, and survives the host. Rejects with a HostError if the agent
   * is lost before, so that the turn ends before another agent enters the session.
   */
  readonly saved: Promise<void>;
  /** The prompt was handed to the agent. */
  isSent: boolean;
  /** The agent has ended the turn: its own end does not interrupt it any more. */
  isAnswered: boolean;
  /** A request of the agent was open during the turn. */
  wasAsked: boolean;
  /** The agent produced visible output in the turn. */
  sawOutput: boolean;
}

/** Whether the agent refused the prompt without any output. */
export function isBareFailure(turn: Turn, outcome: TurnOutcome): boolean {
  return outcome.type === 'failed' && outcome.error.code === 'request_failed' && !turn.sawOutput;
}

/** The session of a turn. It may be lost and opened again while the turn is running, so it is read each time. */
export interface TurnSession {
  readonly link: () => SessionLink;
  /** Why the agent doesn't continue the session; undefined: it does. */
  readonly refuse: (error: HostError | undefined) => void;
  /** The turn before this one failed, too, without any output. */
  readonly failedBefore: boolean;
  /** @returns what the agent wrote during this turn, redacted; empty if there is nothing */
  readonly stderrTail: (lines: number) => string;
}

/** Sends the prompt and follows the turn to its outcome, whatever the agent or its process does meanwhile. Never rejects. */
export async function promptAgent(turn: Turn, content: readonly ContentBlock[], session: TurnSession): Promise<TurnOutcome> {
  try {
    await turn.saved;
    if (turn.cancelling) return { type: 'ended', stopReason: 'cancelled', silent: false };
    turn.isSent = true;
    const { stopReason, usage } = await promptOrReopen(turn, content, session);
    // A cancel that the user did not request may be the last message of an agent whose launcher was killed.
    const gone = stopReason === 'cancelled' && !turn.cancelling ? await lostSoon(session.link()) : undefined;
    if (gone !== undefined) return { type: 'interrupted', error: gone.toData(), ...(await lastStderr(session)) };
    turn.isAnswered = true;
    // Agents also end a turn like this when their user dismisses a request.
    if (stopReason === 'cancelled' && !turn.cancelling && !turn.wasAsked)
      return { type: 'failed', error: { code: 'request_failed', params: { reason: 'agent_cancelled' } }, ...(await lastStderr(session)) };
    // A turn that ends because the user canceled its form may have nothing else to say.
    const isSilent = (): boolean => stopReason === 'end_turn' && !turn.sawOutput && !turn.wasAsked;
    const tail = isSilent() ? await lastStderr(session) : {};
    // Some agents send their last words right after the response.
    return { type: 'ended', stopReason, silent: isSilent(), ...(isSilent() ? tail : {}), ...(usage && { usage }) };
  } catch (thrown) {
    let error = toHostError(thrown);
    const link = session.link();
    // The request fails when the pipe closes, which may be before the process has ended. Only the process shows how it ended, and a new one
    // must not start earlier.
    const isUnsent = !turn.isSent || unsentReasons.has(String(error.params.reason));
    if (error.code === 'agent_exited') error = (await lossOf(link, error)).with(isUnsent ? { isUnsent } : {});
    // ACP: an agent that answers a canceled turn with an error has canceled it.
    const isLive = session.link().state === 'live';
    if (turn.cancelling && isLive && error.code !== 'agent_exited') {
      return { type: 'ended', stopReason: 'cancelled', silent: false };
    }
    return { type: lossCodes.has(error.code) || !isLive ? 'interrupted' : 'failed', error: error.toData(), ...(await lastStderr(session)) };
  }
}

/**
 * Returns `saved`, which rejects if the agent is lost before.
 * @param saved never rejects
 */
export async function savedInTime(saved: Promise<void>, link: SessionLink): Promise<void> {
  if (link.state !== 'live') return saved;
  const lost = await Promise.race([saved, link.lost]);
  if (lost !== undefined) throw lost;
}

/**
 * Sends the prompt. If the agent requires a sign-in first and a key in the environment is one, signs in. If it lost the session while
 * running, reopens the session once. Then sends the prompt again unless the agent may have accepted it.
 */
async function promptOrReopen(turn: Turn, content: readonly ContentBlock[], session: TurnSession): Promise<PromptResult> {
  try {
    return await open(session).prompt(turn.id, content, 'turn');
  } catch (thrown) {
    const error = toHostError(thrown);
    const link = session.link();
    // An agent whose inner process died answers every prompt with an error. Opening the session again cures that in some agents.
    if (error.code === 'request_failed' && session.failedBefore && !turn.sawOutput && !turn.cancelling && link.state === 'live')
      await link.reenter().catch(() => {});
    if (error.code === 'auth_required' && !turn.sawOutput && !turn.cancelling && link.state === 'live') {
      await link.signIn(error);
      return turn.cancelling ? { stopReason: 'cancelled' } : await open(session).prompt(turn.id, content, 'turn');
    }
    if (error.code !== 'session_unknown' || link.state !== 'live') throw error;
    const failed = await link.reenter().then(() => undefined, toHostError);
    // The agent does not have the prompt, which is sent again after the sign-in.
    if (failed?.code === 'auth_required' && error.params.reason === 'refused' && !turn.sawOutput) throw failed;
    session.refuse(failed);
    if (failed !== undefined) throw failed.code === 'agent_exited' ? failed : error;
    if (error.params.reason !== 'refused' || turn.sawOutput) throw error;
    if (turn.cancelling) return { stopReason: 'cancelled' };
    return await open(session)
      .prompt(turn.id, content, 'turn')
      .catch((again: unknown) => {
        session.refuse(toHostError(again).code === 'session_unknown' ? toHostError(again) : undefined);
        throw again;
      });
  }
}

async function lossOf(link: SessionLink, error: HostError): Promise<HostError> {
  if (link.state === 'live') return link.lost;
  return link.state === 'lost' ? link.error : error;
}

function open({ link }: TurnSession): BackendSession {
  const now = link();
  if (now.state !== 'live') throw notRunning();
  return now.session;
}

async function lastStderr(session: TurnSession): Promise<{ stderrTail?: string }> {
  // Two pipes have no common order: what was written to stderr before the response may arrive after it. If the process is gone,
  // everything has arrived, and the turn must end before another process enters the session.
  const link = session.link();
  if (link.state === 'live') await within(link.lost, stderrSettleMs);
  const stderrTail = session.stderrTail(stderrTailLines);
  return stderrTail === '' ? {} : { stderrTail };
}

/** Where a session is. `closed`: in no agent, as it was saved. `lost`: it lost its agent. */
export type SessionLink =
  | { readonly state: 'closed' }
  | {
      readonly state: 'live';
      readonly session: BackendSession;
      readonly lost: Promise<HostError>;
      readonly lose: (error: HostError) => void;
      readonly signIn: KeySignIn['signIn'];
      /** Opens and connects it again if the agent loses it while running. */
      readonly reenter: () => Promise<void>;
    }
  | { readonly state: 'lost'; readonly error: HostError };

/** If an agent sends an unexpected response because its launcher was killed, it ends within this time. */
const lastWordsMs = 500;

/** Errors after which no agent can continue the turn. */
const lossCodes: ReadonlySet<HostErrorCode> = new Set(['agent_exited', 'disposed', 'session_unknown']);

/** Returns why the agent was lost, if it is lost already or within that time. */
async function lostSoon(link: SessionLink): Promise<HostError | undefined> {
  if (link.state !== 'live') return link.state === 'lost' ? link.error : undefined;
  return within(link.lost, lastWordsMs);
}

export function notRunning(): HostError {
  return new HostError('agent_exited', { reason: 'not_running' });
}
