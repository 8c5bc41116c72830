import { type PermissionOption, requestTitle, type UserAnswer, type UserRequest } from '../../core/index.js';
import type { PermissionPolicy } from '../arguments/request.js';
import { answerFromOption, answerFromText, isOptionRequest, type OptionRequest, optionsOf } from '../output/requestText.js';
import { oneLine } from '../output/terminalText.js';

export interface AnswerPolicy {
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
