/**
 * What a conversation reads from a session, and does with it, besides prompts: requests of the agent and options. Only this file knows
 * their shape.
 */
import { HostError, toHostError } from '../base/errors.js';
import type { AgentStatus, Session } from '../host/api.js';
import type { SessionState } from '../session/model.js';
import { type ChosenOption, chooseOption, optionName, type OptionWish } from '../session/chooseOption.js';
import type { SessionOption } from '../session/sessionOption.js';

/** `by`: the engine sets it, to the program of the front end that answers. */
export interface RequestAnswered {
  readonly requestId: string;
  readonly answer: Parameters<Session['answer']>[1];
  readonly by?: Parameters<Session['answer']>[2];
  /** What the agent is to do instead: it gets this in the running turn if it can be reached there, otherwise with the next prompt. */
  readonly feedback?: string;
}

/** @returns false if the request is gone, or if it does not allow the answer */
export function answerRequest(session: Session, { requestId, answer, by }: RequestAnswered): boolean {
  return session.answer(requestId, answer, by);
}

/** What the agent does in one session while it is running. */
export function activityOf(session: SessionState | undefined): Extract<AgentStatus, { state: 'ready' | 'busy' | 'waiting' }> {
  const request = session?.requests[0];
  if (session === undefined) return { state: 'ready' };
  if (request !== undefined) return { state: 'waiting', since: request.at, requests: session.requests.length };
  return session.turn.type === 'idle' ? { state: 'ready' } : { state: 'busy', since: session.turn.startedAt };
}

/**
 * Sets an option as the user typed it. Waits for the choices if the agent reports them late.
 * @throws HostError `usage` if the agent doesn't offer it or refuses it, `agent_exited`
 */
export async function setWished(session: Session, wish: OptionWish): Promise<void> {
  let chosen = chooseOption(session.state.options, wish);
  if (chosen.type !== 'found' && session.moreOptions !== undefined) {
    await session.moreOptions;
    chosen = chooseOption(session.state.options, wish);
  }
  if (chosen.type !== 'found') throw toUnavailable(chosen, session.state.options);
  const { option, value } = chosen;
  if (option.currentValue === value) return;
  await session.setOption(option.id, value).catch((thrown: unknown) => {
    const error = toHostError(thrown);
    throw error.code === 'request_failed' ? toRefused(option, value, error) : error;
  });
}

/** The agent answered, so the session is open and works, only not with this value. */
function toRefused(option: SessionOption, value: string | boolean, error: HostError): HostError {
  const { detail } = error.params;
  const named = typeof value === 'boolean' ? (value ? 'on' : 'off') : value;
  const facts = { option: optionName(option), value: named, ...(detail !== undefined && { detail }) };
  return new HostError('usage', { reason: 'option_refused', ...facts }, { cause: error });
}

function toUnavailable(chosen: Exclude<ChosenOption, { type: 'found' }>, options: readonly SessionOption[]): HostError {
  if (chosen.type === 'unknown') {
    return new HostError('usage', { reason: 'option_unknown', option: chosen.id, offered: options.map(optionName) });
  }
  const { type, id: option, value, offered } = chosen;
  return new HostError('usage', { reason: type === 'ambiguous' ? 'option_ambiguous' : 'option_unavailable', option, value, offered });
}
