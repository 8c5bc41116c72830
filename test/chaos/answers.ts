/** The answers of a user in a hurry. */
import { type FieldValue, type FormField, selectOption, type UserAnswer, type UserRequest } from '../../src/core/index.js';

function valueFor(field: FormField, index: number): FieldValue {
  if (field.type !== 'select' && field.type !== 'multiselect') return 'some words';
  const value = field.choices.at(index)?.value ?? 'some words';
  return field.type === 'select' ? value : [value];
}

export function answerTo(request: UserRequest, how: 'first' | 'last' | 'dismiss'): UserAnswer {
  if (how === 'dismiss') return { type: 'cancel' };
  const index = how === 'first' ? 0 : -1;
  if (request.kind === 'permission') return selectOption(request.options.at(index)?.optionId ?? '');
  if (request.kind !== 'form') return { type: 'accept', values: {} };
  const values = request.fields.map((field) => [field.name, valueFor(field, index)] as const);
  return { type: 'accept', values: Object.fromEntries(values) };
}
