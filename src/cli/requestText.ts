/** Requests and answers as the documented JSON lines have them: every choice an option, every other answer one text. */
import {
  type ConfirmRequest,
  type FieldValue,
  type FormField,
  type FormRequest,
  joinChoices,
  type PermissionRequest,
  requestTitle,
  selectedOption,
  selectOption,
  splitChoices,
  type UrlRequest,
  type UserAnswer,
  type UserRequest,
} from '../core/index.js';

/** A request that is answered by one of its options, and what the events call it. */
export type OptionRequest = PermissionRequest | ConfirmRequest;

export function isOptionRequest(request: UserRequest): request is OptionRequest {
  return request.kind === 'permission' || request.kind === 'confirm';
}

/** What a `confirm` offers, as if it were a permission. */
const confirmOptions = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
] as const;

export function optionsOf(request: OptionRequest): PermissionRequest['options'] {
  return request.kind === 'permission' ? request.options : confirmOptions;
}

/** @returns undefined for an option that a `confirm` does not have; of a permission the host knows */
export function answerFromOption(request: OptionRequest, optionId: string): UserAnswer | undefined {
  if (request.kind === 'permission') return selectOption(optionId);
  if (optionId === 'yes') return { type: 'accept', values: {} };
  return optionId === 'no' ? { type: 'decline' } : undefined;
}

/** @returns undefined for an answer that decides nothing */
export function optionFromAnswer(request: OptionRequest, answer: UserAnswer): string | undefined {
  if (request.kind === 'permission') return selectedOption(answer);
  return answer.type === 'cancel' ? undefined : answer.type === 'accept' ? 'yes' : 'no';
}

/** What a `url` takes for an answer. */
const urlAnswers: ReadonlyMap<string, UserAnswer> = new Map([
  ['opened', { type: 'accept', values: {} }],
  ['declined', { type: 'decline' }],
]);

/** A request that is asked as a question. */
export type QuestionRequest = Exclude<UserRequest, OptionRequest>;

export interface QuestionText {
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
      return { question: urlText(request), options: [...urlAnswers.keys()], multiple: false, allowCustom: false };
    case 'editor':
      return { question: requestTitle(request), options: [], multiple: false, allowCustom: true };
  }
}

function urlText({ message, url }: UrlRequest): string {
  return message.includes(url) ? message : `${message}\n${url}`;
}

function formText({ title, message, fields }: FormRequest): QuestionText {
  const field = onlyField(fields);
  const choices = field?.type === 'select' || field?.type === 'multiselect' ? field : undefined;
  return {
    ...(title !== undefined && { header: title }),
    question: message,
    options: choices?.choices.map(({ label }) => label) ?? [],
    multiple: choices?.type === 'multiselect',
    allowCustom: choices?.allowCustom ?? true,
  };
}

/** One text says all that the form asks for. */
export function onlyField(fields: readonly FormField[]): FormField | undefined {
  return fields.length === 1 ? fields[0] : undefined;
}

/** @returns undefined where a text cannot be an answer; whether it is one that is allowed, the host knows */
export function answerFromText(request: QuestionRequest, text: string): UserAnswer | undefined {
  switch (request.kind) {
    case 'editor':
      return { type: 'accept', values: { text } };
    case 'url':
      return urlAnswers.get(text);
    case 'form': {
      const field = onlyField(request.fields);
      const value = field && valueFromText(field, text);
      return field && value !== undefined ? { type: 'accept', values: { [field.name]: value } } : undefined;
    }
  }
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

/** By what a person sees, else as it is. */
function choiceOf({ choices }: Extract<FormField, { type: 'select' | 'multiselect' }>, text: string): string {
  return choices.find(({ label }) => label === text)?.value ?? text;
}

/** @returns undefined where it takes more than one text to say it */
export function textFromAnswer(request: QuestionRequest, answer: UserAnswer): string | undefined {
  if (request.kind === 'url') return answer.type === 'accept' ? 'opened' : 'declined';
  if (answer.type !== 'accept') return undefined;
  if (request.kind === 'form' && onlyField(request.fields) === undefined) return undefined;
  const [value] = Object.values(answer.values);
  if (value === undefined) return '';
  return typeof value === 'object' ? joinChoices(value) : String(value);
}
