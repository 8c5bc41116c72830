/** Passes the agent's requests to whoever answers them. */
import type { Disposable, Session, UserAnswer, UserRequest } from '../../core/index.js';
import { type AnswerPolicy, answerByPolicy, nonInteractiveCancel } from './answerPolicy.js';

/** A person or a program that can be asked. */
export interface Answerer extends Disposable {
  /** `answer` returns whether the answer was accepted; otherwise the request stays open. */
  ask(request: UserRequest, answer: (answer: UserAnswer) => boolean): void;
  /** The request was closed, no matter by whom. */
  closed(requestId: string): void;
}

/** Answers at once where nobody can be asked. */
export function answersWithout(anybody: (request: UserRequest) => UserAnswer): Answerer {
  return { ask: (request, answer) => void answer(anybody(request)), closed: () => {}, dispose: () => {} };
}

export interface AnsweringOptions {
  readonly policy: AnswerPolicy;
  readonly answerer: Answerer;
  /** Called where the agent does not accept `--answer`. */
  readonly onUnusable: (request: UserRequest) => void;
}

/** Answers the session's requests until disposal. */
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
