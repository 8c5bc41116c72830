/** Brings the agent's requests to whoever answers them. */
import type { Disposable, Session, UserAnswer, UserRequest } from '../core/index.js';
import { type AnswerPolicy, answerByPolicy, nonInteractiveCancel } from './answerPolicy.js';

/** Somebody or something that can be asked. */
export interface Answerer extends Disposable {
  /** `answer` says whether the answer counted; where it did not, the request stays open. */
  ask(request: UserRequest, answer: (answer: UserAnswer) => boolean): void;
  /** The request is closed, by whomever. */
  closed(requestId: string): void;
}

/** Answers at once what nobody can be asked. */
export function answersWithout(anybody: (request: UserRequest) => UserAnswer): Answerer {
  return { ask: (request, answer) => void answer(anybody(request)), closed: () => {}, dispose: () => {} };
}

export interface AnsweringOptions {
  readonly policy: AnswerPolicy;
  readonly answerer: Answerer;
  /** Is told when `--answer` is none that the agent allows. */
  readonly onUnusable: (request: UserRequest) => void;
}

/** Answers the session's requests as they come, until it is disposed. */
export function answerRequests(session: Session, { policy, answerer, onUnusable }: AnsweringOptions): Disposable {
  return session.onEvent((event) => {
    if (event.type === 'request_closed') answerer.closed(event.requestId);
    if (event.type !== 'request_opened') return;
    const { request } = event;
    const answer = (chosen: UserAnswer): boolean => session.answer(request.id, chosen);
    const decided = answerByPolicy(request, policy);
    if (decided !== undefined) {
      if (answer(decided)) return;
      onUnusable(request);
      answer(nonInteractiveCancel);
    } else {
      answerer.ask(request, answer);
    }
  });
}
