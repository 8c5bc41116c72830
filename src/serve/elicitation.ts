/** Shows dialogs as ACP elicitations. */
import {
  type AgentContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type ElicitationPropertySchema,
  type ElicitationSchema,
  type JsonRpcId,
  methods,
} from '@agentclientprotocol/sdk';
import { formMessage } from '../text/requestText.js';
import { type FieldValue, type FieldValues, type FormField, type UserAnswer, type UserRequest, withoutAbsent } from '../core/index.js';
import { membersOf, wrongShape } from './permission.js';

const textField = 'text';
/** The suffix for the name of a field for a custom text, which ACP's lists of choices do not allow. */
const customSuffix = '.other';

const actions: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel']);

/** @param callId the client's request that it belongs to; absent: it belongs to its session */
export async function askByElicitation(
  request: UserRequest,
  client: AgentContext,
  signal: AbortSignal,
  callId: JsonRpcId | undefined,
): Promise<UserAnswer> {
  const response = await client.request(
    methods.client.elicitation.create,
    elicitationOf(request, callId === undefined ? { sessionId: request.sessionId } : { requestId: callId }),
    {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    },
  );
  const { action } = membersOf(response, methods.client.elicitation.create);
  if (!actions.has(action)) throw wrongShape(methods.client.elicitation.create, 'action');
  return answerOf(request, response);
}

/** The agent may refer to it later, also in a request after this one. */
export function elicitationIdOf({ id, pageId }: Extract<UserRequest, { kind: 'url' }>): string {
  return pageId ?? id;
}

function elicitationOf(
  request: UserRequest,
  scope: { readonly sessionId: string } | { readonly requestId: JsonRpcId },
): CreateElicitationRequest {
  switch (request.kind) {
    case 'url':
      return { mode: 'url', ...scope, message: request.message, elicitationId: elicitationIdOf(request), url: request.url };
    case 'form': {
      const title = request.title === undefined ? {} : { title: request.title };
      return { mode: 'form', ...scope, message: formMessage(request), requestedSchema: { ...title, ...schemaOf(request.fields) } };
    }
    case 'editor': {
      const field = { type: 'text', name: textField, required: false, defaultValue: request.prefill } as const;
      return { mode: 'form', ...scope, message: request.title, requestedSchema: schemaOf([field]) };
    }
    case 'confirm': {
      const description = request.message === undefined ? {} : { description: request.message };
      return { mode: 'form', ...scope, message: request.title, requestedSchema: { ...description, ...schemaOf([]) } };
    }
    case 'permission':
      throw new Error('A permission is a request of its own');
  }
}

function schemaOf(fields: readonly FormField[]): ElicitationSchema {
  const required = fields.filter((field) => field.required && !('allowCustom' in field && field.allowCustom)).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.flatMap((field) => propertiesOf(field).map(({ name, property }) => [name, property]))),
    required,
  };
}

interface NamedProperty {
  readonly name: string;
  readonly property: ElicitationPropertySchema;
}

function propertiesOf(field: FormField): readonly NamedProperty[] {
  const { name, label, description } = field;
  const about = { ...(label === undefined ? {} : { title: label }), ...(description === undefined ? {} : { description }) };
  const own = { name, property: { ...about, ...typeOf(field) } };
  if (!('allowCustom' in field) || !field.allowCustom) return [own];
  return [own, { name: name + customSuffix, property: { type: 'string', title: label === undefined ? 'Other' : `${label} (other)` } }];
}

function typeOf(field: FormField): ElicitationPropertySchema {
  const value = 'defaultValue' in field && field.defaultValue !== undefined ? { default: field.defaultValue } : {};
  switch (field.type) {
    case 'text': {
      const { minLength, maxLength, format, pattern } = field;
      return { type: 'string', ...value, ...withoutAbsent({ minLength, maxLength, format, pattern }) };
    }
    case 'number':
    case 'integer':
      return { type: field.type, ...value, ...withoutAbsent({ minimum: field.min, maximum: field.max }) };
    case 'boolean':
      return { type: 'boolean', ...value };
    case 'select':
      return { type: 'string', ...value, oneOf: field.choices.map(labelled) };
    case 'multiselect': {
      const { minItems, maxItems } = field;
      return { type: 'array', ...value, ...withoutAbsent({ minItems, maxItems }), items: { anyOf: field.choices.map(labelled) } };
    }
  }
}

function labelled({ value, label, description }: { readonly value: string; readonly label: string; readonly description?: string }) {
  return { const: value, title: label, ...(description === undefined ? {} : { description }) };
}

/**
 * Only an accepted response counts as accepted. A value that a field does not accept results in an answer that the request does not allow.
 */
function answerOf(request: UserRequest, response: CreateElicitationResponse): UserAnswer {
  if (response.action === 'decline') return { type: 'decline' };
  if (response.action !== 'accept') return { type: 'cancel' };
  const content = contentOf(response);
  switch (request.kind) {
    case 'form':
      return { type: 'accept', values: valuesOf(request.fields, content) };
    case 'editor':
      return { type: 'accept', values: { [textField]: textOf(request.prefill, response, content) } };
    default:
      return { type: 'accept', values: {} };
  }
}

/**
 * If the response has no content, the text stays unchanged. A field with one line removes line breaks, which is not a change by the user.
 */
function textOf(prefill: string, response: CreateElicitationResponse, content: FieldValues): string {
  if (!('content' in response) || response.content == null) return prefill;
  const text = String(content[textField] ?? '');
  const isJoined = prefill.includes('\n') && !text.includes('\n') && withoutSpace(text) === withoutSpace(prefill);
  return isJoined ? prefill : text;
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, '');
}

/** Checks the shape, because the SDK does not check responses of a client. */
function contentOf(response: CreateElicitationResponse): FieldValues {
  const content: unknown = 'content' in response ? response.content : undefined;
  if (typeof content !== 'object' || content === null) return {};
  return Object.fromEntries(Object.entries(content).filter((entry): entry is [string, FieldValue] => isFieldValue(entry[1])));
}

function isFieldValue(value: unknown): value is FieldValue {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string');
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function valuesOf(fields: readonly FormField[], content: FieldValues): FieldValues {
  const values = fields.flatMap((field): readonly (readonly [string, FieldValue])[] => {
    const value = valueOf(field, content);
    return value === undefined ? [] : [[field.name, value]];
  });
  return Object.fromEntries(values);
}

function valueOf(field: FormField, content: FieldValues): FieldValue | undefined {
  const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined;
  const custom = 'allowCustom' in field && field.allowCustom ? content[field.name + customSuffix] : undefined;
  if (typeof custom !== 'string' || custom === '') return value;
  return field.type === 'multiselect' ? [...(typeof value === 'object' ? value : []), custom] : custom;
}
