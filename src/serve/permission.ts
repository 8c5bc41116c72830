/** Permission requests, and dialogs in the form of permission requests. */
import { type AgentContext, methods, type RequestPermissionRequest, type PermissionOption as WireOption } from '@agentclientprotocol/sdk';
import {
  type FieldValue,
  type FieldValues,
  type FormField,
  HostError,
  isFields,
  type PermissionOption,
  selectOption,
  toAcpPermission,
  type UserAnswer,
  type UserRequest,
} from '../core/index.js';
import { formMessage, optionLabel } from '../text/requestText.js';

/** An option for the client, and the answer that it stands for. */
interface Way {
  readonly option: WireOption;
  readonly answer: UserAnswer;
}

export async function askByPermission(request: UserRequest, client: AgentContext, signal: AbortSignal): Promise<UserAnswer> {
  const ways = waysOf(request);
  const params: RequestPermissionRequest = {
    sessionId: request.sessionId,
    toolCall: toolCallOf(request),
    options: ways.map(({ option }) => option),
  };
  const response: unknown = await client.request(methods.client.session.requestPermission, params, {
    cancellationSignal: signal,
    stopWaitingOnCancel: true,
  });
  const offered = ways.map(({ option }) => option.optionId);
  const chosen = chosenOption(response, offered);
  return ways.find(({ option }) => option.optionId === chosen)?.answer ?? { type: 'cancel' };
}

const dismiss: Way = { option: { optionId: 'dismiss', name: 'Dismiss', kind: 'reject_once' }, answer: { type: 'cancel' } };

function waysOf(request: UserRequest): readonly Way[] {
  switch (request.kind) {
    case 'permission':
      return request.options.flatMap(wayOf);
    case 'confirm':
      return [
        once('yes', 'Yes', { type: 'accept', values: {} }),
        { option: { optionId: 'no', name: 'No', kind: 'reject_once' }, answer: { type: 'decline' } },
      ];
    case 'url':
      return [dismiss, toRead('opened', 'I opened the page', { type: 'accept', values: {} })];
    case 'editor':
      return [dismiss];
    case 'form':
      return choicesOf(request);
  }
}

/** Leaves out an option of a kind that ACP does not have: under any other kind, a rule of the client could choose it. */
function wayOf(option: PermissionOption): readonly Way[] {
  const { optionId, kind } = option;
  return kind === 'other' ? [] : [{ option: { optionId, name: optionLabel(option), kind }, answer: selectOption(optionId) }];
}

function once(optionId: string, name: string, answer: UserAnswer): Way {
  return { option: { optionId, name, kind: 'allow_once' }, answer };
}

/**
 * An answer that only a user can give, who read the question. ACP has no kind for that, and a client that allows or rejects requests by a
 * rule would give one unseen: none of these is an allowing option, and `dismiss` precedes them as the first rejecting one.
 */
function toRead(optionId: string, name: string, answer: UserAnswer): Way {
  return { option: { optionId, name, kind: 'reject_once' }, answer };
}

/**
 * Returns the choices of a form with one list or one switch; none for any other form, because its answers are not a few options, and a
 * suggested value would be an answer that the user did not see.
 */
function choicesOf({ fields }: Extract<UserRequest, { kind: 'form' }>): readonly Way[] {
  const [field, ...others] = fields;
  if (field === undefined) return [once('ok', 'OK', { type: 'accept', values: {} }), dismiss];
  const value = (optionId: string, name: string, given: string | boolean): Way =>
    toRead(optionId, name, { type: 'accept', values: { ...defaultsOf(others), [field.name]: given } });
  if (!isComplete(others)) return [dismiss];
  if (field.type === 'boolean') return [dismiss, value('on', 'Yes', true), value('off', 'No', false)];
  if (field.type === 'select')
    return [dismiss, ...field.choices.map((choice, index) => value(`choice-${index + 1}`, choice.label, choice.value))];
  return [dismiss];
}

/** Whether every required field has a value. */
function isComplete(fields: readonly FormField[]): boolean {
  return fields.every((field) => !field.required || field.defaultValue !== undefined);
}

function defaultsOf(fields: readonly FormField[]): FieldValues {
  return Object.fromEntries(
    fields.flatMap(({ name, defaultValue }): readonly (readonly [string, FieldValue])[] =>
      defaultValue === undefined ? [] : [[name, defaultValue]],
    ),
  );
}

function toolCallOf(request: UserRequest): RequestPermissionRequest['toolCall'] {
  if (request.kind === 'permission') return toAcpPermission(request.subject);
  const said =
    request.kind === 'url'
      ? request.url
      : request.kind === 'editor'
        ? [request.prefill, unwritable].filter((text) => text !== '').join('\n\n')
        : request.kind === 'confirm'
          ? request.message
          : aboutFields(request);
  const content = said === undefined || said === '' ? [] : [{ type: 'content' as const, content: { type: 'text' as const, text: said } }];
  const title = request.kind === 'form' ? formMessage(request) : request.kind === 'url' ? request.message : request.title;
  return { toolCallId: `acp-host-${request.id}`, title, kind: 'other', content };
}

/**
 * Returns the labels of the fields if there are several, the suggested values, and a hint if a text is wanted that cannot be entered here.
 */
function aboutFields({ fields }: Extract<UserRequest, { kind: 'form' }>): string {
  const labels = fields.map((field) => {
    const suggested = field.defaultValue === undefined ? '' : `: ${String(field.defaultValue)}`;
    return fields.length < 2 && suggested === '' ? '' : `${field.label ?? field.name}${suggested}`;
  });
  const isWritten = fields.some((field) => !['boolean', 'select'].includes(field.type) || ('allowCustom' in field && field.allowCustom));
  return [...labels, isWritten ? unwritable : ''].filter((line) => line !== '').join('\n');
}

const unwritable = "You can't enter your own answer here, because this editor doesn't support forms for agents.";

/**
 * @returns the chosen option; undefined if the request was dismissed
 * @throws HostError `invalid_response`
 */
function chosenOption(response: unknown, offered: readonly string[]): string | undefined {
  const method = methods.client.session.requestPermission;
  const { outcome: given } = membersOf(response, method);
  const { outcome, optionId } = membersOf(given, method, 'outcome');
  if (outcome === 'cancelled') return undefined;
  if (outcome !== 'selected') throw wrongShape(method, 'outcome.outcome');
  const chosen = offered.find((one) => one === optionId);
  if (chosen === undefined) throw wrongShape(method, 'outcome.optionId');
  return chosen;
}

/**
 * @param path the position of the value in the answer
 * @throws HostError `invalid_response` if the value is not an object
 */
export function membersOf(value: unknown, method: string, path?: string): Readonly<Record<string, unknown>> {
  if (!isFields(value)) throw wrongShape(method, path);
  return { ...value };
}

export function wrongShape(method: string, path?: string): HostError {
  return new HostError('invalid_response', { reason: 'wrong_shape', method, ...(path !== undefined && { path }) });
}
