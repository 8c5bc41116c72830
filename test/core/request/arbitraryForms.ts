import fc from 'fast-check';
import type { FormField, FormRequest } from '../../../src/core/session/userRequest.js';
import { marker, text } from './arbitraryPermissions.js';

const words = fc.option(text, { nil: undefined });
const head = fc
  .record({ label: text, description: words })
  .map(({ label, description }) => ({ label, ...(description !== undefined && { description }) }));
const choices = fc.array(
  fc
    .record({ value: text, label: text, description: words })
    .map(({ value, label, description }) => ({ value, label, ...(description !== undefined && { description }) })),
  { minLength: 1, maxLength: 3 },
);
const field: fc.Arbitrary<FormField> = fc.oneof(
  fc
    .record({ about: head, pattern: text })
    .map(({ about, pattern }) => ({ type: 'text' as const, name: '', required: false, ...about, pattern })),
  head.map((about) => ({ type: 'boolean' as const, name: '', required: false, ...about })),
  fc
    .record({ type: fc.constantFrom('select' as const, 'multiselect' as const), about: head, choices })
    .map(({ type, about, choices: offered }) => ({ type, name: '', required: false, ...about, choices: offered, allowCustom: false })),
);

/** Every text has a mark, and some have invisible characters. There are at least two fields, because a single one is labeled by the message. */
export const anyForm: fc.Arbitrary<FormRequest> = fc
  .record({ title: text, message: text, fields: fc.array(field, { minLength: 2, maxLength: 4 }) })
  .map(({ title, message, fields }) => ({
    kind: 'form',
    id: 'ask1',
    sessionId: 's',
    at: 0,
    title,
    message,
    fields: fields.map((one, index) => ({ ...one, name: `f${index}` })),
  }));

/** The marks of all texts that users see. */
export function marksOf({ title = '', message, fields }: FormRequest): readonly string[] {
  const words = [
    title,
    message,
    ...fields.flatMap((one) => [
      one.label ?? '',
      one.description ?? '',
      ...(one.type === 'text' ? [one.pattern ?? ''] : []),
      ...('choices' in one ? one.choices.flatMap(({ label, description = '' }) => [label, description]) : []),
    ]),
  ];
  return words.join('\n').match(marker) ?? [];
}
