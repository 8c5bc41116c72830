/** Checks whether a request allows an answer. The only place that checks answers. */
import {
  type FieldValue,
  type FieldValues,
  type FormField,
  optionKey,
  type TextFormat,
  textKey,
  type UserAnswer,
  type UserRequest,
} from '../session/userRequest.js';

/** `cancel` is always allowed. Everything that is accepted must be part of the request's own offer. */
export function isAcceptable(request: UserRequest, answer: UserAnswer): boolean {
  switch (answer.type) {
    case 'cancel':
      return true;
    case 'decline':
      return request.kind !== 'permission';
    case 'accept':
      return areAcceptable(request, answer.values);
  }
}

function areAcceptable(request: UserRequest, values: FieldValues): boolean {
  switch (request.kind) {
    case 'permission':
      return hasOnly(values, [optionKey]) && request.options.some(({ optionId }) => optionId === valueOf(values, optionKey));
    case 'form':
      return (
        hasOnly(
          values,
          request.fields.map(({ name }) => name),
        ) && request.fields.every((field) => isFilledIn(field, valueOf(values, field.name)))
      );
    case 'url':
    case 'confirm':
      return hasOnly(values, []);
    case 'editor':
      return hasOnly(values, [textKey]) && typeof valueOf(values, textKey) === 'string';
  }
}

/** @param value undefined: the field was left empty */
export function isFilledIn(field: FormField, value: FieldValue | undefined): boolean {
  if (value === undefined) return !field.required;
  switch (field.type) {
    case 'text':
      return typeof value === 'string' && (value === '' ? !field.required : isTextOf(field, value));
    case 'number':
      return isBetween(value, field);
    case 'integer':
      return isBetween(value, field) && Number.isInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'select':
      return isChosen(field, value);
    case 'multiselect': {
      const least = Math.max(field.minItems ?? 0, field.required ? 1 : 0);
      return (
        Array.isArray(value) &&
        value.length >= least &&
        value.length <= (field.maxItems ?? Infinity) &&
        new Set(value).size === value.length &&
        areChosen(field, value)
      );
    }
  }
}

function isTextOf({ minLength = 0, maxLength = Infinity, format }: Extract<FormField, { type: 'text' }>, value: string): boolean {
  const length = Array.from(value).length;
  return length >= minLength && length <= maxLength && (format === undefined || formats[format](value));
}

const formats: Readonly<Record<TextFormat, (value: string) => boolean>> = {
  email: (value) => /^[^\s@]+@[^\s@]+$/.test(value),
  uri: (value) => URL.canParse(value),
  date: isDay,
  'date-time': (value) => /^.{10}[Tt ]\d\d:\d\d/.test(value) && isDay(value.slice(0, 10)) && !Number.isNaN(Date.parse(value)),
};

/** JavaScript takes the 31st of February for a day in March. */
function isDay(value: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function isChosen(field: Extract<FormField, { type: 'select' }>, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return field.choices.some((choice) => choice.value === value) || (field.allowCustom && value !== '');
}

function areChosen(field: Extract<FormField, { type: 'multiselect' }>, values: readonly unknown[]): boolean {
  const offered = new Set<unknown>(field.choices.map(({ value }) => value));
  return values.every((value) => offered.has(value) || (field.allowCustom && typeof value === 'string' && value !== ''));
}

function isBetween(value: FieldValue, { min = -Infinity, max = Infinity }: { readonly min?: number; readonly max?: number }): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= min && value <= max;
}

/** Names come from an agent and may be those of `Object.prototype`. */
function valueOf(values: FieldValues, name: string): FieldValue | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function hasOnly(values: FieldValues, names: readonly string[]): boolean {
  const known = new Set(names);
  return Object.keys(values).every((name) => known.has(name));
}
