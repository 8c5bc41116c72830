/** What a conversation reads of a session, and does to it, beyond prompts: requests of the agent and options. The only file that knows their shape. */
import type { AgentStatus, Session } from '../host/api.js';
import type { SessionState } from '../session/model.js';
import { choicesOf, selectOf } from '../session/sessionOption.js';

export type RequestAnswer = Parameters<Session['answer']>[1];

/** @returns false when there is no such request any more, or the answer is none that it allows */
export function answerRequest(session: Session, requestId: string, answer: RequestAnswer): boolean {
  return session.answer(requestId, answer);
}

/** What the agent does in one session, while it runs. */
export function activityOf(session: SessionState | undefined): Extract<AgentStatus, { state: 'ready' | 'busy' | 'waiting' }> {
  const request = session?.requests[0];
  if (session === undefined) return { state: 'ready' };
  if (request !== undefined) return { state: 'waiting', since: request.at, requests: session.requests.length };
  return session.turn.type === 'idle' ? { state: 'ready' } : { state: 'busy', since: session.turn.startedAt };
}

/** Options that a front end chooses by what they are, whatever the agent calls them. */
export type OptionCategory = 'mode' | 'model';

export interface OfferedOption {
  readonly value: string | undefined;
  readonly offered: readonly string[];
  set(value: string): Promise<void>;
}

/** Undefined where the agent offers no such option. */
export function findOption(session: Session, category: OptionCategory): OfferedOption | undefined {
  const option = selectOf(session.state.options, category);
  if (option === undefined) return undefined;
  return {
    value: option.currentValue,
    offered: choicesOf(option).map(({ value }) => value),
    set: (value) => session.setOption(option.id, value),
  };
}
