/** Passes the agent's requests to a user or a program. */
import {
  type CloseReason,
  closeReasonOf,
  type Disposable,
  isAcceptable,
  type PermissionOption,
  requestTitle,
  type UserAnswer,
  type UserRequest,
} from '../../core/index.js';
import type { PermissionPolicy } from '../arguments/optionValues.js';
import { answerFromOption, answerFromText, isOptionRequest, type OptionRequest, optionsOf } from '../output/requestText.js';
import { oneLine } from '../../text/plainText.js';

/** A user or a program that can be asked. */
export interface Answerer extends Disposable {
  /**
   * `answer` returns whether the answer was accepted; otherwise the request stays open.
   * Its `feedback` is what the agent is to do instead.
   */
  ask(request: UserRequest, answer: (answer: UserAnswer, feedback?: string) => boolean): void;
  /** Call this when the request was closed. @param why what closed it, if no answer given here did: that of another front end, or else */
  closed(requestId: string, why?: CloseReason | 'answered'): void;
}

/** Answers at once, for runs without a user. */
export function answersWithout(anybody: (request: UserRequest) => UserAnswer): Answerer {
  return { ask: (request, answer) => void answer(anybody(request)), closed: () => {}, dispose: () => {} };
}

interface AnsweringOptions {
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

  closed(requestId: string, answer: UserAnswer): void {
    this.#open.delete(requestId);
    this.#options.answerer.closed(requestId, closeReasonOf(answer) ?? 'answered');
  }

  #answer(request: UserRequest, answer: UserAnswer, feedback?: string): boolean {
    if (!this.#open.has(request.id) || !isAcceptable(request, answer)) return false;
    // The next line of input belongs to another request.
    this.#open.delete(request.id);
    this.#options.answerer.closed(request.id);
    this.#options.send(request.id, answer, feedback);
    return true;
  }
}

interface AnswerPolicy {
  readonly permission: PermissionPolicy;
  /** The answer to every question, and the name of the option if a permission has several to allow once. */
  readonly answer: string | undefined;
}

/**
 * Returns the answer that the options determine, or undefined if the user has to decide. It never chooses an option that applies beyond
 * this request. `--permission` only answers permissions and yes-or-no questions. Several options to allow once are a question too, because
 * their kind does not tell them apart, and one of them may stand for more.
 */
export function answerByPolicy(request: UserRequest, { permission, answer }: AnswerPolicy): UserAnswer | undefined {
  // No option can confirm that a page was opened.
  if (request.kind === 'url') return undefined;
  if (!isOptionRequest(request)) return answer === undefined ? undefined : (answerFromText(request, answer) ?? unusable);
  const allowing = optionsOfKind(request, 'allow_once');
  const named = allowing.length > 1 && permission !== 'reject' ? allowing.find(({ name }) => name === answer) : undefined;
  if (named !== undefined) return answerFromOption(request, named.optionId);
  const [allowed] = allowing;
  switch (permission) {
    case 'ask':
      return undefined;
    case 'allow':
      return allowed === undefined || allowing.length > 1 ? undefined : answerFromOption(request, allowed.optionId);
    case 'reject':
      return rejection(request);
  }
}

/** Returns the answer for a run without a user. The host turns it into the agent's own refusal of a permission if there is one. */
export function nonInteractiveAnswer(request: UserRequest): UserAnswer {
  return request.kind === 'confirm' ? rejection(request) : nonInteractiveCancel;
}

/** Returns why a run without a user does not allow what the agent asks for, for users; undefined for a request that is not rejected. */
export function refusalReason(request: UserRequest, permission: PermissionPolicy): string | undefined {
  if (!isOptionRequest(request)) return undefined;
  const title = `"${oneLine(requestTitle(request), 80)}" was rejected`;
  const allowing = optionsOfKind(request, 'allow_once');
  if (permission === 'ask') return `${title}: nobody can be asked. --permission decides in advance`;
  if (allowing.length === 0) return `${title}: it offers no option that allows it once`;
  const names = allowing.map(({ name }) => `"${oneLine(name, 60)}"`).join(', ');
  return `${title}: it offers several options that allow it once. Choose one with --answer: ${names}`;
}

/** No decision, because there was no user to make one. */
export const nonInteractiveCancel: UserAnswer = { type: 'cancel', why: 'not_interactive' };

/** An answer that no question accepts, because one text cannot answer a form of several fields. */
const unusable: UserAnswer = { type: 'accept', values: { '': '' } };

function rejection(request: OptionRequest): UserAnswer {
  const [rejecting] = optionsOfKind(request, 'reject_once');
  return (rejecting && answerFromOption(request, rejecting.optionId)) ?? nonInteractiveCancel;
}

function optionsOfKind(request: OptionRequest, kind: PermissionOption['kind']): readonly PermissionOption[] {
  return optionsOf(request).filter((option) => option.kind === kind);
}
