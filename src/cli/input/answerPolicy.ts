import type { UserAnswer, UserRequest } from '../../core/index.js';
import type { PermissionPolicy } from '../arguments/request.js';
import { answerFromOption, answerFromText, isOptionRequest, type OptionRequest, optionsOf } from '../output/requestText.js';

export interface AnswerPolicy {
  readonly permission: PermissionPolicy;
  /** The answer to every question. */
  readonly answer: string | undefined;
}

/**
 * Returns the answer that the options give, or undefined where somebody has to be asked. Never chooses an option that applies beyond this request.
 * `--permission` answers only permissions and yes-or-no questions.
 */
export function answerByPolicy(request: UserRequest, { permission, answer }: AnswerPolicy): UserAnswer | undefined {
  // No option can tell that a page was opened.
  if (request.kind === 'url') return undefined;
  if (!isOptionRequest(request)) return answer === undefined ? undefined : (answerFromText(request, answer) ?? unusable);
  switch (permission) {
    case 'ask':
      return undefined;
    case 'allow':
      return optionOfKind(request, 'allow_once');
    case 'reject':
      return rejection(request);
  }
}

/** The answer where nobody can be asked. */
export function nonInteractiveAnswer(request: UserRequest): UserAnswer {
  return isOptionRequest(request) ? rejection(request) : nonInteractiveCancel;
}

/** No decision: there was nobody to make one. */
export const nonInteractiveCancel: UserAnswer = { type: 'cancel', why: 'not_interactive' };

/** An answer that no question accepts, because one text cannot answer a form of several fields. */
const unusable: UserAnswer = { type: 'accept', values: { '': '' } };

function rejection(request: OptionRequest): UserAnswer {
  return optionOfKind(request, 'reject_once') ?? nonInteractiveCancel;
}

function optionOfKind(request: OptionRequest, kind: 'allow_once' | 'reject_once'): UserAnswer | undefined {
  const option = optionsOf(request).find((candidate) => candidate.kind === kind);
  return option && answerFromOption(request, option.optionId);
}
