/** Parses `elicitation/create`: forms and pages. Source: ACP v1, `CreateElicitationRequest` of schema/v1/schema.json (SDK 2.4.0). */
import type { CreateElicitationResponse } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import type { NewRequest } from '../../../services/hostServices.js';
import { type Choice, type FormField, textFormats, type UserAnswer } from '../../../session/userRequest.js';
import { type Fields, isFields, itemParser, listOf, orNull } from './lenient.js';

const text = orNull(z.string());
const count = orNull(z.int().check(z.nonnegative()));
const number = orNull(z.number());

const scope = { sessionId: text, toolCallId: text, requestId: orNull(z.union([z.string(), z.number()])) };
const schema = z.looseObject({
  title: text,
  description: text,
  properties: orNull(z.record(z.string(), z.unknown())),
  required: orNull(listOf((name) => (typeof name === 'string' ? name : undefined))),
});
const request = z.discriminatedUnion('mode', [
  z.looseObject({ ...scope, mode: z.literal('form'), message: z.string(), requestedSchema: schema }),
  z.looseObject({ ...scope, mode: z.literal('url'), message: z.string(), elicitationId: z.string(), url: z.string() }),
]);

export type Elicitation = z.output<typeof request>;

/** @returns undefined for a request that cannot be shown as the agent means it, such as one with an unknown mode */
export const parseElicitation: (params: unknown) => Elicitation | undefined = itemParser(request);

export const parseCompletion = itemParser(z.looseObject({ elicitationId: z.string() }));

const labelled = itemParser(z.looseObject({ const: z.string(), title: text, description: text }));
const common = { title: text, description: text };
const texts = listOf((value) => (typeof value === 'string' ? value : undefined));

const properties = {
  string: z.looseObject({
    ...common,
    minLength: count,
    maxLength: count,
    pattern: text,
    format: orNull(z.enum(textFormats)),
    default: text,
    enum: orNull(texts),
    enumNames: orNull(texts),
    oneOf: orNull(listOf(labelled)),
  }),
  number: z.looseObject({ ...common, minimum: number, maximum: number, default: number }),
  boolean: z.looseObject({ ...common, default: orNull(z.boolean()) }),
  array: z.looseObject({
    ...common,
    minItems: count,
    maxItems: count,
    default: orNull(texts),
    items: z.looseObject({ enum: orNull(texts), anyOf: orNull(listOf(labelled)) }),
  }),
};

/** @returns undefined if a required field has an unknown type, because it must not appear as a field of a known type */
export function formOf(sessionId: string, { message, requestedSchema }: Extract<Elicitation, { mode: 'form' }>): NewRequest | undefined {
  const { title, description, properties: wanted, required } = requestedSchema;
  const fields: FormField[] = [];
  for (const [name, property] of Object.entries(wanted ?? {})) {
    const isRequired = required?.includes(name) === true;
    const field = name === '__proto__' ? undefined : fieldOf({ name, required: isRequired }, property);
    if (field !== undefined) fields.push(field);
    else if (isRequired) return undefined;
  }
  return {
    kind: 'form',
    sessionId,
    ...(title == null ? {} : { title }),
    message: description == null ? message : `${message}\n\n${description}`,
    fields,
    canDecline: true,
  };
}

type FieldBase = Pick<FormField, 'name' | 'required'>;

function fieldOf(base: FieldBase, property: unknown): FormField | undefined {
  if (!isFields(property)) return undefined;
  switch (property['type']) {
    case 'string':
      return textField(base, property);
    case 'number':
    case 'integer': {
      const { title, description, minimum, maximum, default: value } = properties.number.parse(property);
      return {
        type: property['type'],
        ...base,
        ...given({ label: title, description, min: minimum, max: maximum, defaultValue: value }),
      };
    }
    case 'boolean': {
      const { title, description, default: value } = properties.boolean.parse(property);
      return { type: 'boolean', ...base, ...given({ label: title, description, defaultValue: value }) };
    }
    case 'array':
      return multiselectField(base, property);
    default:
      return undefined;
  }
}

function textField(base: FieldBase, property: Fields): FormField {
  const { title, description, minLength, maxLength, pattern, format, default: value, ...offered } = properties.string.parse(property);
  const about = { ...base, ...given({ label: title, description, defaultValue: value }) };
  const choices =
    offered.oneOf?.map(toChoice) ?? offered.enum?.map((one, index) => ({ value: one, label: offered.enumNames?.[index] ?? one }));
  if (choices !== undefined) return { type: 'select', ...about, choices, allowCustom: false };
  // ACP has no flag for text with several lines, so this depends on the default value.
  const multiline = value?.includes('\n') === true ? { multiline: true } : {};
  return { type: 'text', ...about, ...multiline, ...given({ minLength, maxLength, pattern, format }) };
}

function multiselectField(base: FieldBase, property: Fields): FormField | undefined {
  const parsed = properties.array.safeParse(property);
  if (!parsed.success) return undefined;
  const { title, description, minItems, maxItems, default: value, items } = parsed.data;
  const choices = items.anyOf?.map(toChoice) ?? items.enum?.map((one) => ({ value: one, label: one }));
  if (choices === undefined) return undefined;
  return {
    type: 'multiselect',
    ...base,
    choices,
    allowCustom: false,
    ...given({ label: title, description, minItems, maxItems, defaultValue: value }),
  };
}

function toChoice({ const: value, title, description }: NonNullable<ReturnType<typeof labelled>>): Choice {
  return { value, label: title ?? value, ...given({ description }) };
}

type Given<T> = { readonly [K in keyof T]?: NonNullable<T[K]> };

/** Returns the members without those that are `null` or absent. */
function given<T extends object>(members: T): Given<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null)) as Given<T>;
}

export function elicitationResult(answer: UserAnswer): CreateElicitationResponse {
  if (answer.type !== 'accept') return { action: answer.type };
  const content = Object.entries(answer.values).map(([name, value]) => [name, typeof value === 'object' ? [...value] : value] as const);
  return content.length === 0 ? { action: 'accept' } : { action: 'accept', content: Object.fromEntries(content) };
}
