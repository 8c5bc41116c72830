/** How a request was answered in another front end. */
import {
  closeReasonOf,
  type FrontEndProgram,
  foldToOneLine,
  requestTitle,
  selectedOption,
  type UserAnswer,
  type UserRequest,
} from '../core/index.js';

const places: Readonly<Record<FrontEndProgram, string>> = { editor: 'in another window', terminal: 'in a terminal' };

/** `Answered in a terminal: Allow once (Edit a.txt)`. */
export function answeredElsewhereText(request: UserRequest, answer: UserAnswer, by: FrontEndProgram): string {
  const how = howAnswered(request, answer);
  const title = foldToOneLine(requestTitle(request)).slice(0, 80);
  return `${how === undefined ? 'Dismissed' : 'Answered'} ${places[by]}${how === undefined ? '' : `: ${foldToOneLine(how)}`} (${title})`;
}

/** Returns undefined if there was no decision. */
function howAnswered(request: UserRequest, answer: UserAnswer): string | undefined {
  if (answer.type === 'cancel' || closeReasonOf(answer) !== undefined) return undefined;
  if (answer.type === 'decline') return request.kind === 'confirm' ? 'No' : 'declined';
  if (request.kind === 'confirm') return 'Yes';
  if (request.kind === 'url') return request.isOpened !== true ? 'opened' : 'done';
  if (request.kind !== 'permission') return 'with a text';
  const optionId = selectedOption(answer);
  return request.options.find((option) => option.optionId === optionId)?.name ?? optionId;
}
