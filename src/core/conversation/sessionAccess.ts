/** What a conversation reads of a session, and does to it, beyond prompts: requests of the agent and options. The only file that knows their shape. */
import type { AgentStatus, Session } from '../host/api.js';
import type { SessionState } from '../session/model.js';

export type RequestAnswer = Parameters<Session['answer']>[1];

/** @returns false when there is no such request any more, or the answer is none that it allows */
export function answerRequest(session: Session, requestId: string, answer: RequestAnswer): boolean {
  return session.answer(requestId, answer);
}

/** What the agent does in one session, while it runs. */
export function activityOf(session: SessionState | undefined): Extract<AgentStatus, { state: 'ready' | 'busy' | 'waiting' }> {
  const request = session?.asks[0];
  if (session === undefined) return { state: 'ready' };
  if (request !== undefined) return { state: 'waiting', since: request.at, asks: session.asks.length };
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
  const { configOptions, modes } = session.state;
  const option = configOptions.find((one) => one.type === 'select' && one.category === category);
  if (option?.type === 'select') {
    return {
      value: option.currentValue,
      offered: option.options.flatMap((entry) => ('options' in entry ? entry.options.map(({ value }) => value) : [entry.value])),
      set: (value) => session.setConfigOption(option.id, value),
    };
  }
  if (category !== 'mode' || modes === undefined) return undefined;
  return { value: modes.currentModeId, offered: modes.availableModes.map(({ id }) => id), set: (value) => session.setMode(value) };
}

/** Sets an option by its id; `mode` is that of the modes where the agent has no option of this id. @returns false where there is none */
export async function setOption(session: Session, optionId: string, value: string | boolean): Promise<boolean> {
  const { configOptions, modes } = session.state;
  if (configOptions.some(({ id }) => id === optionId)) await session.setConfigOption(optionId, value);
  else if (optionId === 'mode' && typeof value === 'string' && modes?.availableModes.some(({ id }) => id === value))
    await session.setMode(value);
  else return false;
  return true;
}
