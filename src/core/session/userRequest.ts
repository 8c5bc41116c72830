/** Everything that an agent may ask its user, and the answers that it can get. All values are immutable plain data. */
import type { AlwaysScope } from './agentHint.js';
import type { ToolCallContent, ToolCallLocation, ToolKind } from './content.js';

interface RequestBase {
  /** Unique in the session. */
  readonly id: string;
  /** Empty if the agent asks outside of its sessions: to open one, or to sign the user in. */
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /**
   * When the request closes by itself, with the reason `deadline`, in milliseconds since the epoch: a permission is rejected once if the
   * agent offers that, and everything else is canceled. If it is absent, the request has no deadline.
   */
  readonly deadlineAt?: number;
  /** The sub-agent that asks, by the name that it had then; absent: the agent itself. */
  readonly subagent?: AskingSubagent;
}

export interface AskingSubagent {
  readonly id: string;
  /** Empty if it has none. */
  readonly name: string;
}

/** What the agent wants to do, as a permission request shows it. */
export interface PermissionSubject {
  /** The tool call in the transcript that the request belongs to, if there is one. */
  readonly itemId: string | undefined;
  readonly toolCallId: string;
  readonly title: string;
  readonly toolKind: ToolKind;
  readonly rawInput: unknown;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly ToolCallLocation[];
}

/**
 * In the order in which the user sees them. `other` is a kind that the host does not know; the host never chooses such an option itself.
 */
export const permissionOptionKinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always', 'other'] as const;
export type PermissionOptionKind = (typeof permissionOptionKinds)[number];

/** An option that the agent offers. Its answer is the id. */
export interface PermissionOption {
  readonly optionId: string;
  /** The agent's own text. */
  readonly name: string;
  readonly kind: PermissionOptionKind;
}

/**
 * The agent waits for a decision. The user accepts with `{ option: optionId }`, where the id is one of those offered. There is no
 * `decline`: the agent's options include its own ways to refuse.
 */
export interface PermissionRequest extends RequestBase {
  readonly kind: 'permission';
  readonly subject: PermissionSubject;
  /** The host itself asks, before it does what the agent requested of it. */
  readonly byHost?: true;
  /**
   * What the agent announced and did not ask about separately, oldest first. Present if the request itself does not say what it is about,
   * or if its call changed to something else meanwhile: the answer may apply to any of them.
   */
  readonly calls?: readonly PermissionSubject[];
  /** The number of further calls, which are too many to show. */
  readonly moreCalls?: number;
  /** The agent's options in its order. */
  readonly options: readonly PermissionOption[];
  /** The scope of the agent's "always allow" option, if the host knows it. */
  readonly alwaysScope?: AlwaysScope;
}

/** The user sees `label`; the agent gets `value`. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly description?: string;
}

interface FieldBase {
  /** Unique in the form; the key of the field's value. */
  readonly name: string;
  /** If it is absent, the message of the form asks the question. */
  readonly label?: string;
  readonly description?: string;
  /** A form without a value for this field is not accepted. */
  readonly required: boolean;
}

export const textFormats = ['email', 'uri', 'date', 'date-time'] as const;
export type TextFormat = (typeof textFormats)[number];

export interface TextField extends FieldBase {
  readonly type: 'text';
  readonly multiline?: boolean;
  readonly placeholder?: string;
  /** In characters, inclusive; the same applies to `maxLength`. */
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly format?: TextFormat;
  /** A regular expression that is only shown and never evaluated: an expression from an agent could take forever. */
  readonly pattern?: string;
  readonly defaultValue?: string;
}

export interface NumberField extends FieldBase {
  readonly type: 'number' | 'integer';
  /** Inclusive; the same applies to `max`. */
  readonly min?: number;
  readonly max?: number;
  readonly defaultValue?: number;
}

/** A field with yes or no as its value. */
export interface BooleanField extends FieldBase {
  readonly type: 'boolean';
  readonly defaultValue?: boolean;
}

export interface SelectField extends FieldBase {
  readonly type: 'select';
  readonly choices: readonly Choice[];
  /** The user may also enter a text that is not among the choices. */
  readonly allowCustom: boolean;
  readonly defaultValue?: string;
}

/** The value is an array without duplicates. */
export interface MultiselectField extends FieldBase {
  readonly type: 'multiselect';
  readonly choices: readonly Choice[];
  readonly allowCustom: boolean;
  /** The number of chosen values, inclusive. A required field needs at least one. */
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly defaultValue?: readonly string[];
}

/** A field of a form, by its type. */
export type FormField = TextField | NumberField | BooleanField | SelectField | MultiselectField;

/** What the host itself has to ask for a command; src/text has the sentences. */
export const hostQuestions = ['fork_point'] as const;
export type HostQuestion = (typeof hostQuestions)[number];

/** Questions that are answered together. A single question is a form with one field. */
export interface FormRequest extends RequestBase {
  readonly kind: 'form';
  readonly title?: string;
  readonly message: string;
  /** Set if the host asks instead of the agent; `message` is then the command that needs the answer. */
  readonly question?: HostQuestion;
  readonly fields: readonly FormField[];
  /** The agent distinguishes `decline` from `cancel`. */
  readonly canDecline?: boolean;
}

/** Asks the user to open a page in a browser, `http:` or `https:`. It is accepted without values, which means that the page was opened. */
export interface UrlRequest extends RequestBase {
  readonly kind: 'url';
  readonly message: string;
  readonly url: string;
  /** The agent's own ID of the page. */
  readonly pageId?: string;
  /**
   * The page was opened, and the agent, which has that answer, waits for what the user does there. The request closes when the agent
   * reports that it is done. Any answer of the user only closes it.
   */
  readonly isOpened?: true;
}

/** Yes is `accept` without values, no is `decline`. */
export interface ConfirmRequest extends RequestBase {
  readonly kind: 'confirm';
  readonly title: string;
  readonly message?: string;
}

/** Asks the user to edit a text. Accepted with `{ text }`. */
export interface EditorRequest extends RequestBase {
  readonly kind: 'editor';
  readonly title: string;
  readonly prefill: string;
}

/** A request of an agent to its user, by kind. */
export type UserRequest = PermissionRequest | FormRequest | UrlRequest | ConfirmRequest | EditorRequest;

/** Why a request closed without a decision of the user; the user sees the reason. `dismissed` means that the user closed it. */
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
/** Why a request ended without a decision of the user. */
export type CloseReason = (typeof closeReasons)[number];

/** The value of a multiselect field is an array. */
export type FieldValue = string | number | boolean | readonly string[];
/** The values of a form by the keys of its fields. */
export type FieldValues = Readonly<Record<string, FieldValue>>;

/** An answer to a request: the user accepts with values, refuses, or decides nothing. */
export type UserAnswer =
  /** If `why` is present, there was no decision, and the agent gets the option that it offers for a refusal. */
  | { readonly type: 'accept'; readonly values: FieldValues; readonly why?: CloseReason }
  /** The user refuses. The agent learns this if its protocol can express it. */
  | { readonly type: 'decline' }
  /** There was no decision. If `why` is absent, the user closed the request. */
  | { readonly type: 'cancel'; readonly why?: CloseReason };

/** The key of the value of a `PermissionRequest`. */
export const optionKey = 'option';
/** The key of the value of an `EditorRequest`. */
export const textKey = 'text';

/** Returns the answer that selects an option of a permission. */
export function selectOption(optionId: string): UserAnswer {
  return { type: 'accept', values: { [optionKey]: optionId } };
}

/** @returns undefined for every answer except an accepted permission */
export function selectedOption(answer: UserAnswer): string | undefined {
  const option = answer.type === 'accept' ? answer.values[optionKey] : undefined;
  return typeof option === 'string' ? option : undefined;
}

/**
 * Returns the answer for the agent if a request ends without a decision while its turn continues. ACP has
 * `cancelled` for canceled turns only, and at least one agent takes it for consent, so this is a refusal if the agent offers one.
 * @param why absent if the user closed the request
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

/** Returns why there was no decision, or undefined if there was one or the user closed the request without another answer. */
export function closeReasonOf(answer: UserAnswer): CloseReason | undefined {
  return answer.type === 'decline' ? undefined : answer.why;
}

/** The agent's own text for what it asks, as one line. */
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
