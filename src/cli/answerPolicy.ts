import type { UserAnswer, UserRequest } from '../core/index.js';
import type { PermissionPolicy } from './arguments.js';
import { answerFromOption, answerFromText, isOptionRequest, type OptionRequest, optionsOf } from './requestText.js';

export interface AnswerPolicy {
  readonly permission: PermissionPolicy;
  /** What every question is answered with. */
  readonly answer: string | undefined;
}

/**
 * What the command line decides by itself; undefined where somebody has to be asked. Never an option that lasts longer than this once, and
 * `--permission` decides nothing but permissions and yes-or-no questions.
 */
export function answerByPolicy(request: UserRequest, { permission, answer }: AnswerPolicy): UserAnswer | undefined {
  // That a page was opened is nothing that can be said beforehand.
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

/** Where nobody can be asked. */
export function nonInteractiveAnswer(request: UserRequest): UserAnswer {
  return isOptionRequest(request) ? rejection(request) : nonInteractiveCancel;
}

/** No decision: nobody was there to make one. */
export const nonInteractiveCancel: UserAnswer = { type: 'cancel', why: 'not_interactive' };

/** No question allows it: a form of several fields is not answered by one text. */
const unusable: UserAnswer = { type: 'accept', values: { '': '' } };

function rejection(request: OptionRequest): UserAnswer {
  return optionOfKind(request, 'reject_once') ?? nonInteractiveCancel;
}

function optionOfKind(request: OptionRequest, kind: 'allow_once' | 'reject_once'): UserAnswer | undefined {
  const option = optionsOf(request).find((candidate) => candidate.kind === kind);
  return option && answerFromOption(request, option.optionId);
}
