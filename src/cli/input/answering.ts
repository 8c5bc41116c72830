/** Brings the agent's requests to whoever answers them. */
import type { Ask, AskAnswer, Disposable, Session } from '../../core/index.js';
import { type AnswerPolicy, answerByPolicy, nonInteractiveCancel } from './answerPolicy.js';

/** Somebody or something that can be asked. */
export interface Answerer extends Disposable {
  /** `answer` says whether the answer counted; where it did not, the request stays open. */
  ask(ask: Ask, answer: (answer: AskAnswer) => boolean): void;
  /** The request is closed, by whomever. */
  closed(askId: string): void;
}

/** Answers at once what nobody can be asked. */
export function answersWithout(anybody: (ask: Ask) => AskAnswer): Answerer {
  return { ask: (ask, answer) => void answer(anybody(ask)), closed: () => {}, dispose: () => {} };
}

export interface AnsweringOptions {
  readonly policy: AnswerPolicy;
  readonly answerer: Answerer;
  /** Is told when `--answer` is none that the agent allows. */
  readonly onUnusable: (ask: Ask) => void;
}

/** Answers the session's requests as they come, until it is disposed. */
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
