/** Passes the agent's requests to whoever answers them. */
import type { Ask, AskAnswer, Disposable, Session } from '../../core/index.js';
import { type AnswerPolicy, answerByPolicy, nonInteractiveCancel } from './answerPolicy.js';

/** A person or a program that can be asked. */
export interface Answerer extends Disposable {
  /** `answer` returns whether the answer was accepted; otherwise the request stays open. */
  ask(ask: Ask, answer: (answer: AskAnswer) => boolean): void;
  /** The request was closed, no matter by whom. */
  closed(askId: string): void;
}

/** Answers at once where nobody can be asked. */
export function answersWithout(anybody: (ask: Ask) => AskAnswer): Answerer {
  return { ask: (ask, answer) => void answer(anybody(ask)), closed: () => {}, dispose: () => {} };
}

export interface AnsweringOptions {
  readonly policy: AnswerPolicy;
  readonly answerer: Answerer;
  /** Called where the agent does not accept `--answer`. */
  readonly onUnusable: (ask: Ask) => void;
}

/** Answers the session's requests until disposal. */
export function answerAsks(session: Session, { policy, answerer, onUnusable }: AnsweringOptions): Disposable {
  return session.onEvent((event) => {
    if (event.type === 'ask_closed') answerer.closed(event.askId);
    if (event.type !== 'ask_opened') return;
    const { ask } = event;
    const answer = (chosen: AskAnswer): boolean => session.answer(ask.id, chosen);
    const decided = answerByPolicy(ask, policy);
    if (decided !== undefined) {
      if (answer(decided)) return;
      onUnusable(ask);
      answer(nonInteractiveCancel);
    } else {
      answerer.ask(ask, answer);
    }
  });
}
