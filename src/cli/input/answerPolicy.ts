import type { Ask, AskAnswer, PermissionAsk } from '../../core/index.js';
import type { PermissionPolicy } from '../arguments/request.js';

export interface AnswerPolicy {
  readonly permission: PermissionPolicy;
  /** What every question is answered with. */
  readonly answer: string | undefined;
}

/** What the command line decides by itself; undefined where somebody has to be asked. Never an option that lasts longer than this once. */
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

/** Where nobody can be asked. */
export function nonInteractiveAnswer(ask: Ask): AskAnswer {
  return ask.kind === 'permission' ? rejection(ask) : nonInteractiveCancel;
}

/** No decision: nobody was there to make one. */
export const nonInteractiveCancel: AskAnswer = { type: 'cancelled', why: 'not_interactive' };

function rejection(ask: PermissionAsk): AskAnswer {
  return optionOfKind(ask, 'reject_once') ?? nonInteractiveCancel;
}

function optionOfKind(ask: PermissionAsk, kind: 'allow_once' | 'reject_once'): AskAnswer | undefined {
  const option = ask.options.find((candidate) => candidate.kind === kind);
  return option && { type: 'selected', optionId: option.optionId };
}
