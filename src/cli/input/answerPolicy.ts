import type { Ask, AskAnswer, PermissionAsk } from '../../core/index.js';
import type { PermissionPolicy } from '../arguments/request.js';

export interface AnswerPolicy {
  readonly permission: PermissionPolicy;
  /** The answer to every question. */
  readonly answer: string | undefined;
}

/** Returns the answer that the options give, or undefined where somebody has to be asked. Never chooses an option that applies beyond this request. */
export function answerByPolicy(ask: Ask, { permission, answer }: AnswerPolicy): AskAnswer | undefined {
  if (ask.kind === 'question') return answer === undefined ? undefined : { type: 'answered', text: answer };
  switch (permission) {
    case 'ask':
      return undefined;
    case 'allow':
      return optionOfKind(ask, 'allow_once');
    case 'reject':
      return rejection(ask);
  }
}

/** The answer where nobody can be asked. */
export function nonInteractiveAnswer(ask: Ask): AskAnswer {
  return ask.kind === 'permission' ? rejection(ask) : nonInteractiveCancel;
}

/** No decision: there was nobody to make one. */
export const nonInteractiveCancel: AskAnswer = { type: 'cancelled', why: 'not_interactive' };

function rejection(ask: PermissionAsk): AskAnswer {
  return optionOfKind(ask, 'reject_once') ?? nonInteractiveCancel;
}

function optionOfKind(ask: PermissionAsk, kind: 'allow_once' | 'reject_once'): AskAnswer | undefined {
  const option = ask.options.find((candidate) => candidate.kind === kind);
  return option && { type: 'selected', optionId: option.optionId };
}
