/** Everything an agent may ask its user, and what it can be told. All values are immutable plain data. */
import type { AlwaysScope } from './agentHint.js';
import type { ToolCallContent, ToolCallLocation, ToolKind } from './content.js';

interface RequestBase {
  /** Unique in the session. */
  readonly id: string;
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** When it closes by itself, as `cancel` with the reason `deadline`; absent: it waits. Milliseconds since the epoch. */
  readonly deadlineAt?: number;
}

/** What the agent wants to do, as a permission request shows it. */
export interface PermissionSubject {
  /** The card in the transcript that it belongs to, if there is one. */
  readonly itemId: string | undefined;
  readonly toolCallId: string;
  readonly title: string;
  readonly toolKind: ToolKind;
  readonly rawInput: unknown;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly ToolCallLocation[];
}

/** In the order in which a person sees them. `other`: of a kind that the host does not know, so that it never chooses the option itself. */
export const permissionOptionKinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always', 'other'] as const;
export type PermissionOptionKind = (typeof permissionOptionKinds)[number];

export interface PermissionOption {
  readonly optionId: string;
  /** The agent's own words. */
  readonly name: string;
  readonly kind: PermissionOptionKind;
}

/** The agent waits for a decision. Accepted with `{ option: optionId }`, one of those offered; there is no `decline`: the agent names its own ways to refuse. */
export interface PermissionRequest extends RequestBase {
  readonly kind: 'permission';
  readonly subject: PermissionSubject;
  /** The agent's options in the agent's order. */
  readonly options: readonly PermissionOption[];
  /** How far the agent's "always" reaches, where the host knows it. */
  readonly alwaysScope?: AlwaysScope;
}

/** `label` is what a person sees, `value` what the agent gets. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

interface FieldBase {
  /** Unique in the form; the key of the field's value. */
  readonly name: string;
  /** Absent: the form's message says what is asked. */
  readonly label?: string;
  readonly description?: string;
  /** A form without it is not accepted. */
  readonly required: boolean;
}

export const textFormats = ['email', 'uri', 'date', 'date-time'] as const;
export type TextFormat = (typeof textFormats)[number];

export interface TextField extends FieldBase {
  readonly type: 'text';
  readonly multiline?: boolean;
  readonly placeholder?: string;
  /** In characters; inclusive, as `maxLength`. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: TextFormat;
  /** A regular expression, to be shown only: tried here, one that an agent made up could take for ever. */
  readonly pattern?: string;
  readonly defaultValue?: string;
}

export interface NumberField extends FieldBase {
  readonly type: 'number' | 'integer';
  /** Inclusive, as `max`. */
  readonly min?: number;
  readonly max?: number;
  readonly defaultValue?: number;
}

export interface BooleanField extends FieldBase {
  readonly type: 'boolean';
  readonly defaultValue?: boolean;
}

export interface SelectField extends FieldBase {
  readonly type: 'select';
  readonly choices: readonly Choice[];
  /** A text that is no choice is a value, too. */
  readonly allowCustom: boolean;
  readonly defaultValue?: string;
}

/** Its value is an array, without repetitions. */
export interface MultiselectField extends FieldBase {
  readonly type: 'multiselect';
  readonly choices: readonly Choice[];
  readonly allowCustom: boolean;
  /** Of what is chosen; inclusive. A required field takes at least one. */
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly defaultValue?: readonly string[];
}

export type FormField = TextField | NumberField | BooleanField | SelectField | MultiselectField;

/** What the host itself has to ask on behalf of a command; src/text has the words. */
export const hostQuestions = ['fork_point'] as const;
export type HostQuestion = (typeof hostQuestions)[number];

/** Questions, answered together. A single question is a form of one field. */
export interface FormRequest extends RequestBase {
  readonly kind: 'form';
  readonly title?: string;
  readonly message: string;
  /** The host asks, and not the agent: the message is the command that needs the answer. */
  readonly question?: HostQuestion;
  readonly fields: readonly FormField[];
  /** The agent tells a `decline` from a `cancel`. */
  readonly canDecline?: boolean;
}

/** A page that the user is to open in a browser. Accepted without values: it was opened. */
export interface UrlRequest extends RequestBase {
  readonly kind: 'url';
  readonly message: string;
  readonly url: string;
}

/** Yes is `accept` without values, no is `decline`. */
export interface ConfirmRequest extends RequestBase {
  readonly kind: 'confirm';
  readonly title: string;
  readonly message?: string;
}

/** A text to be edited. Accepted with `{ text }`. */
export interface EditorRequest extends RequestBase {
  readonly kind: 'editor';
  readonly title: string;
  readonly prefill: string;
}

export type UserRequest = PermissionRequest | FormRequest | UrlRequest | ConfirmRequest | EditorRequest;

/** Why a request went away without the user's decision; shown to the user. `dismissed`: the user closed it. */
export const closeReasons = [
  'turn_cancelled',
  'agent_gone',
  'session_closed',
  'deadline',
  'withdrawn',
  'no_options',
  'not_interactive',
  'dismissed',
] as const;
export type CloseReason = (typeof closeReasons)[number];

/** An array is the value of a multiselect. */
export type FieldValue = string | number | boolean | readonly string[];
export type FieldValues = Readonly<Record<string, FieldValue>>;

export type UserAnswer =
  /** `why`: nobody decided, and the agent is told no by the option that it offers for that. */
  | { readonly type: 'accept'; readonly values: FieldValues; readonly why?: CloseReason }
  /** The user says no; the agent is told so, where its protocol has a word for it. */
  | { readonly type: 'decline' }
  /** No decision. `why` absent: the user closed it. */
  | { readonly type: 'cancel'; readonly why?: CloseReason };

/** The key of the value of a `PermissionRequest`. */
export const optionKey = 'option';
/** The key of the value of an `EditorRequest`. */
export const textKey = 'text';

export function selectOption(optionId: string): UserAnswer {
  return { type: 'accept', values: { [optionKey]: optionId } };
}

/** @returns undefined for every answer but an accepted permission */
export function selectedOption(answer: UserAnswer): string | undefined {
  const option = answer.type === 'accept' ? answer.values[optionKey] : undefined;
  return typeof option === 'string' ? option : undefined;
}

/**
 * What the agent is told where nobody decides while its turn goes on. ACP has `cancelled` for a cancelled turn only, and an agent was seen that
 * takes it for consent; so it is a no where the agent offers one.
 * @param why absent: the user closed it
 */
export function dismissalOf(request: UserRequest, why?: CloseReason): UserAnswer {
  const no = dismissingOption(request);
  if (no !== undefined) return { type: 'accept', values: { [optionKey]: no.optionId }, why: why ?? 'dismissed' };
  return { type: 'cancel', ...(why === undefined ? {} : { why }) };
}

/** The option that stands for no decision. */
export function dismissingOption(request: UserRequest): PermissionOption | undefined {
  return request.kind === 'permission' ? request.options.find(({ kind }) => kind === 'reject_once') : undefined;
}

/** Why nobody decided; undefined for a decision, and for a request that was closed by the user without another answer. */
export function closeReasonOf(answer: UserAnswer): CloseReason | undefined {
  return answer.type === 'decline' ? undefined : answer.why;
}

/** The agent's own words for what it asks, on one line. */
export function requestTitle(request: UserRequest): string {
  switch (request.kind) {
    case 'permission':
      return request.subject.title;
    case 'form':
    case 'url':
      return request.message;
    case 'confirm':
    case 'editor':
      return request.title;
  }
}
