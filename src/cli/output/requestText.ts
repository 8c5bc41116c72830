/** Requests and answers as in the documented JSON lines: options for a choice, one text for any other answer; and permissions as lines of a terminal. */
import {
  type ConfirmRequest,
  type FieldValue,
  type FormField,
  type FormRequest,
  joinChoices,
  type PermissionDescription,
  type PermissionRequest,
  type RequestPart,
  requestTitle,
  revealHidden,
  revealOnOneLine,
  selectedOption,
  selectOption,
  shownHunk,
  splitChoices,
  type UrlRequest,
  type UserAnswer,
  type UserRequest,
} from '../../core/index.js';
import { formMessage, optionLabel, partLabel, placeText, riskText, subjectText } from '../../text/requestText.js';
import { diffText } from './changeText.js';
import { boxed, fitsOnLine, type Paint } from './terminalText.js';

/** A request that is answered with one of its options; the event is `permission`. */
export type OptionRequest = PermissionRequest | ConfirmRequest;

export function isOptionRequest(request: UserRequest): request is OptionRequest {
  return request.kind === 'permission' || request.kind === 'confirm';
}

/** The options of a `confirm`. */
const confirmOptions = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
] as const;

export function optionsOf(request: OptionRequest): PermissionRequest['options'] {
  if (request.kind === 'confirm') return confirmOptions;
  return request.options.map((option) => ({ ...option, name: optionLabel(option) }));
}

/** Returns undefined for an option that a `confirm` does not have. The host checks the options of a permission. */
export function answerFromOption(request: OptionRequest, optionId: string): UserAnswer | undefined {
  if (request.kind === 'permission') return selectOption(optionId);
  if (optionId === 'yes') return { type: 'accept', values: {} };
  return optionId === 'no' ? { type: 'decline' } : undefined;
}

/** Returns undefined for an answer without a decision. */
export function optionFromAnswer(request: OptionRequest, answer: UserAnswer): string | undefined {
  if (request.kind === 'permission') return selectedOption(answer);
  return answer.type === 'cancel' ? undefined : answer.type === 'accept' ? 'yes' : 'no';
}

/** The answers that a `url` accepts, and those of one whose page is open. */
const urlAnswers: ReadonlyMap<string, UserAnswer> = new Map([
  ['opened', { type: 'accept', values: {} }],
  ['declined', { type: 'decline' }],
]);
const openedAnswers: ReadonlyMap<string, UserAnswer> = new Map([['done', { type: 'accept', values: {} }]]);

function answersOf({ isOpened }: UrlRequest): ReadonlyMap<string, UserAnswer> {
  return isOpened === true ? openedAnswers : urlAnswers;
}

/** A request whose event is `question`. */
export type QuestionRequest = Exclude<UserRequest, OptionRequest>;

interface QuestionText {
  readonly header?: string;
  readonly question: string;
  readonly options: readonly string[];
  readonly multiple: boolean;
  readonly allowCustom: boolean;
}

export function questionText(request: QuestionRequest): QuestionText {
  switch (request.kind) {
    case 'form':
      return formText(request);
    case 'url':
      return { question: urlText(request), options: [...answersOf(request).keys()], multiple: false, allowCustom: false };
    case 'editor':
      return { question: requestTitle(request), options: [], multiple: false, allowCustom: true };
  }
}

function urlText({ message, url }: UrlRequest): string {
  return message.includes(url) ? message : `${message}\n${url}`;
}

function formText(request: FormRequest): QuestionText {
  const { title, fields } = request;
  const field = onlyField(fields);
  const choices = field?.type === 'select' || field?.type === 'multiselect' ? field : undefined;
  return {
    ...(title !== undefined && { header: title }),
    question: formMessage(request),
    options: choices?.choices.map(({ label }) => label) ?? [],
    multiple: choices?.type === 'multiselect',
    allowCustom: choices?.allowCustom ?? true,
  };
}

/** Returns the field of a form that one text can answer. */
export function onlyField(fields: readonly FormField[]): FormField | undefined {
  return fields.length === 1 ? fields[0] : undefined;
}

/** Returns undefined if a text cannot answer the request. The host checks whether it accepts the answer. */
export function answerFromText(request: QuestionRequest, text: string): UserAnswer | undefined {
  switch (request.kind) {
    case 'editor':
      return { type: 'accept', values: { text } };
    case 'url':
      return answersOf(request).get(text);
    case 'form': {
      const values = fieldsFor(request.fields, text).map((field) => [field.name, valueFromText(field, text)] as const);
      const given = values.filter((entry): entry is readonly [string, FieldValue] => entry[1] !== undefined);
      return given.length === 0 ? undefined : { type: 'accept', values: Object.fromEntries(given) };
    }
  }
}

/**
 * Returns the fields that a text is the answer to: those that offer it as a choice, else the only one for a text of one's own. None if another
 * one needs a value.
 */
function fieldsFor(fields: readonly FormField[], text: string): readonly FormField[] {
  if (fields.length <= 1) return fields;
  const offering = fields.filter(
    (field) =>
      (field.type === 'select' || field.type === 'multiselect') &&
      field.choices.some(({ label, value }) => label === text || value === text),
  );
  const free = fields.filter(({ type }) => type === 'text');
  const chosen = offering.length > 0 ? offering : free.length === 1 ? free : [];
  return fields.some((field) => field.required && !chosen.includes(field)) ? [] : chosen;
}

const yes = /^(?:y|yes|true)$/i;
const no = /^(?:n|no|false)$/i;

export function valueFromText(field: FormField, text: string): FieldValue | undefined {
  switch (field.type) {
    case 'text':
      return text;
    case 'number':
    case 'integer':
      return text.trim() === '' || Number.isNaN(Number(text)) ? undefined : Number(text);
    case 'boolean':
      return yes.test(text) ? true : no.test(text) ? false : undefined;
    case 'select':
      return choiceOf(field, text);
    case 'multiselect': {
      const names = field.choices.flatMap(({ label, value }) => [label, value]);
      return splitChoices(names, text)?.map((name) => choiceOf(field, name)) ?? [text];
    }
  }
}

/** Returns the value of the choice with this label, otherwise the text itself. */
function choiceOf({ choices }: Extract<FormField, { type: 'select' | 'multiselect' }>, text: string): string {
  return choices.find(({ label }) => label === text)?.value ?? text;
}

/** Returns undefined if one text cannot express the answer. */
export function textFromAnswer(request: QuestionRequest, answer: UserAnswer): string | undefined {
  if (request.kind === 'url') return answer.type === 'accept' ? (request.isOpened !== true ? 'opened' : 'done') : 'declined';
  if (answer.type !== 'accept') return undefined;
  if (request.kind === 'form' && onlyField(request.fields) === undefined) return undefined;
  const [value] = Object.values(answer.values);
  if (value === undefined) return '';
  return typeof value === 'object' ? joinChoices(value) : String(value);
}

// Formats a permission request as lines of a terminal: everything that it contains, in the agent's column, and what the host adds.

interface PermissionLines {
  /** Lines in the agent's column. */
  readonly carried: readonly string[];
  readonly risks: readonly string[];
}

export function permissionLines(
  { subject, parts, risks }: PermissionDescription,
  { paint, columns }: { readonly paint: Paint; readonly columns?: () => number | undefined },
): PermissionLines {
  const said = [subjectText(subject), ...parts.flatMap((part) => (part.type === 'command' ? [part.text] : []))];
  const shown = parts.filter((part) => part.type !== 'title' || !said.some((text) => text.includes(part.text)));
  return {
    carried: shown.flatMap((part) => partLines(part, paint)).flatMap((line) => boxed(line, columns?.(), paint)),
    risks: risks.map(riskText).flatMap((risk) => {
      if (fitsOnLine(`  ! ${risk}`, columns?.())) return [`  ${paint.yellow('!')} ${risk}`];
      return [`  ${paint.yellow('!')}`, ...boxed(risk, columns?.(), paint)];
    }),
  };
}

function partLines(part: RequestPart, paint: Paint): readonly string[] {
  switch (part.type) {
    case 'title':
      return [paint.dim(revealOnOneLine(part.text))];
    case 'call':
      return [paint.dim(`${partLabel(part) ?? ''}:`), revealOnOneLine(part.text)];
    case 'more_calls':
      return [`${partLabel(part) ?? ''}: ${part.count}`];
    case 'command':
      return revealHidden(part.text)
        .split('\n')
        .map((line, index) => paint.bold(`${index === 0 ? '$' : ' '} ${line}`));
    case 'web':
      return [paint.bold(`${part.method === undefined ? '' : `${revealOnOneLine(part.method)} `}${revealOnOneLine(part.url)}`)];
    case 'move':
      return [`${revealOnOneLine(part.from.label)} → ${revealOnOneLine(part.to.label)}`];
    case 'path':
      return [`${revealOnOneLine(part.label)}${part.line === undefined ? '' : `:${part.line}`}`];
    case 'diff': {
      const isNew = part.placed === undefined ? part.change.oldText == null : part.placed.fit.type === 'new';
      const place = part.placed && placeText(part.placed);
      return [
        `${revealOnOneLine(part.label)}${isNew ? ' (new file)' : ''}`,
        ...(place === undefined ? [] : [paint.bold(place)]),
        ...diffText(part.change, paint, shownHunk(part)),
      ];
    }
    case 'folder':
      return labelled(part, part.path, paint);
    default:
      return labelled(part, part.text, paint);
  }
}

/** Puts a text with several lines below its label. */
function labelled(part: RequestPart, text: string, paint: Paint): readonly string[] {
  const label = partLabel(part);
  const lines = revealHidden(text).split('\n');
  if (label === undefined) return lines;
  return lines.length === 1
    ? [`${paint.dim(`${label}:`)} ${lines[0] ?? ''}`]
    : [paint.dim(`${label}:`), ...lines.map((line) => `  ${line}`)];
}
