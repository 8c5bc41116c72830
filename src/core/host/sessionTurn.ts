import type { BackendSession, PromptResult } from '../backends/agentBackend.js';
import { type HostError, toHostError } from '../base/errors.js';
import type { ContentBlock, TurnOutcome } from '../session/model.js';
import { lossCodes, lostSoon, notRunning, type SessionLink } from './sessionLink.js';

/** How much of the agent's stderr is shown where it may explain something. */
const stderrTailLines = 12;
/** How long the agent's last words may take. */
const stderrSettleMs = 100;

export interface Turn {
  readonly id: string;
  readonly startedAt: number;
  cancelling: boolean;
  /** The agent showed something in it. */
  sawOutput: boolean;
}

/** The session of a turn. It may be lost, and entered again, while the turn runs, so it is looked at whenever it matters. */
export interface TurnSession {
  readonly link: () => SessionLink;
  readonly isLive: () => boolean;
  /** Why the agent does not go on with the session; undefined: it does. */
  readonly refuse: (error: HostError | undefined) => void;
  /** @returns what came in this turn, redacted; empty where there is nothing */
  readonly stderrTail: (lines: number) => string;
}

/** From the prompt to what became of its turn, whatever the agent or its process does meanwhile. Never rejects. */
export async function promptAgent(turn: Turn, content: readonly ContentBlock[], session: TurnSession): Promise<TurnOutcome> {
  try {
    const { stopReason, usage } = await promptOnceMore(turn, content, session);
    // A cancel that nobody wanted may be the last words of an agent whose launcher was killed.
    const gone = stopReason === 'cancelled' && !turn.cancelling ? await lostSoon(session.link()) : undefined;
    if (gone !== undefined) return { type: 'interrupted', error: gone.toData(), ...(await lastStderr(session)) };
    const silent = stopReason === 'end_turn' && !turn.sawOutput;
    return { type: 'ended', stopReason, silent, ...(silent ? await lastStderr(session) : {}), ...(usage && { usage }) };
  } catch (thrown) {
    let error = toHostError(thrown);
    const link = session.link();
    // The request dies with the pipe, the process a little later, or a little before: only with it is known how it ended, and may a new one start.
    if (error.code === 'agent_exited') error = await lossOf(link, error);
    // An agent that answers a cancel with an error was cancelled all the same (ACP: cancellation).
    if (turn.cancelling && session.isLive() && error.code !== 'agent_exited') {
      return { type: 'ended', stopReason: 'cancelled', silent: false };
    }
    const lost = lossCodes.has(error.code) || !session.isLive();
    return { type: lost ? 'interrupted' : 'failed', error: error.toData(), ...(await lastStderr(session)) };
  }
}

/** An agent that lost the session while it runs is handed it again, once; and the prompt, where it did not take that. */
async function promptOnceMore(turn: Turn, content: readonly ContentBlock[], session: TurnSession): Promise<PromptResult> {
  try {
    return await open(session).prompt(turn.id, content, 'turn');
  } catch (thrown) {
    const error = toHostError(thrown);
    const link = session.link();
    if (error.code !== 'session_unknown' || link.state !== 'live') throw error;
    const failed = await link.reenter().then(() => undefined, toHostError);
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
  // Two pipes have no order: what was written to stderr before the answer may come after it. Of a process that is gone all is known, and the turn has to be
  // over before another one enters the session.
  const link = session.link();
  if (link.state === 'live') await Promise.race([link.lost, new Promise((resolve) => setTimeout(resolve, stderrSettleMs))]);
  const stderrTail = session.stderrTail(stderrTailLines);
  return stderrTail === '' ? {} : { stderrTail };
}
