/** Passes the agent's requests to a user or a program. */
import {
  type CloseReason,
  closeReasonOf,
  type Disposable,
  hasCounted,
  isAcceptable,
  type UserAnswer,
  type UserRequest,
} from '../../core/index.js';
import { type AnswerPolicy, answerByPolicy, nonInteractiveCancel } from './answerPolicy.js';

/** A user or a program that can be asked. */
export interface Answerer extends Disposable {
  /**
   * `answer` returns whether the answer was accepted; otherwise the request stays open.
   * Its `feedback` is what the agent is to do instead.
   */
  ask(request: UserRequest, answer: (answer: UserAnswer, feedback?: string) => boolean): void;
  /** Call this when the request was closed, no matter by whom. @param why why it ended without a decision; absent if there was one */
  closed(requestId: string, why?: CloseReason): void;
}

/** Answers at once, for runs without a user. */
export function answersWithout(anybody: (request: UserRequest) => UserAnswer): Answerer {
  return { ask: (request, answer) => void answer(anybody(request)), closed: () => {}, dispose: () => {} };
}

export interface AnsweringOptions {
  readonly policy: AnswerPolicy;
  readonly answerer: Answerer;
  readonly send: (requestId: string, answer: UserAnswer, feedback: string | undefined) => void;
  /** Called if the agent does not accept `--answer`. */
  readonly onUnusable: (request: UserRequest) => void;
}

/** Answers requests according to the options, or passes them on. */
export class Answering {
  readonly #options: AnsweringOptions;
  /** Requests that are not answered yet. */
  readonly #open = new Set<string>();
  /** The answers that were given here, until it is known which one counted. */
  readonly #given = new Map<string, UserAnswer>();

  constructor(options: AnsweringOptions) {
    this.#options = options;
  }

  /** The number of requests that are waiting for an answer. */
  get openCount(): number {
    return this.#open.size;
  }

  opened(request: UserRequest): void {
    const { policy, answerer, onUnusable } = this.#options;
    this.#open.add(request.id);
    const answer = (chosen: UserAnswer, feedback?: string): boolean => this.#answer(request, chosen, feedback);
    const decided = answerByPolicy(request, policy);
    if (decided === undefined) return answerer.ask(request, answer);
    if (answer(decided)) return;
    onUnusable(request);
    answer(nonInteractiveCancel);
  }

  /** @returns whether that is not the answer that was given here */
  closed(requestId: string, answer: UserAnswer): boolean {
    this.#open.delete(requestId);
    this.#options.answerer.closed(requestId, closeReasonOf(answer));
    const given = this.#given.get(requestId);
    this.#given.delete(requestId);
    return given === undefined || !hasCounted(given, answer);
  }

  #answer(request: UserRequest, answer: UserAnswer, feedback?: string): boolean {
    if (!this.#open.has(request.id) || !isAcceptable(request, answer)) return false;
    // The next line of input belongs to another request.
    this.#open.delete(request.id);
    this.#options.answerer.closed(request.id);
    this.#given.set(request.id, answer);
    this.#options.send(request.id, answer, feedback);
    return true;
  }
}
