import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isAcceptable } from '../../../src/core/services/isAcceptable.js';
import type { FieldValue, FormField, TextFormat, UserAnswer, UserRequest } from '../../../src/core/session/userRequest.js';
import { anyAnswer, anyRequest } from '../session/arbitraryRequests.js';

const base = { id: 'r', sessionId: 's', at: 1 };
const formOf = (...fields: FormField[]): UserRequest => ({ kind: 'form', ...base, message: '?', fields });
const accept = (values: Readonly<Record<string, FieldValue>>): UserAnswer => ({ type: 'accept', values });
const choices = [
  { value: 'a', label: 'A' },
  { value: 'b, c', label: 'B' },
];

const formatted: readonly (readonly [TextFormat, string, boolean])[] = [
  ['email', 'a@b', true],
  ['email', 'a@b c', false],
  ['email', 'a @b', false],
  ['uri', 'https://a', true],
  ['uri', 'a', false],
  ['date', '2024-02-29', true],
  ['date', '2023-02-29', false],
  ['date', '2024-13-01', false],
  ['date', '1 2024-02-29', false],
  ['date', '2024-02-29 1', false],
  ['date-time', '2024-02-29T10:00:00Z', true],
  ['date-time', '2024-02-29 10:00', true],
  ['date-time', '2024-02-30T10:00', false],
  ['date-time', '2024-02-29', false],
  ['date-time', '2024-02-29T25:00', false],
];

/** States the rules the other way round than the code does: returns what is wrong with a value. */
function faultOf(field: FormField, value: FieldValue | undefined): string | undefined {
  if (value === undefined) return field.required ? 'missing' : undefined;
  const isOffered = (one: unknown): boolean =>
    (field.type === 'select' || field.type === 'multiselect') &&
    typeof one === 'string' &&
    (field.choices.map((choice) => choice.value).includes(one) || (field.allowCustom && one.length > 0));
  switch (field.type) {
    case 'text':
      return typeof value !== 'string' ? 'no text' : field.required && value.length === 0 ? 'empty' : undefined;
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'no number';
      if (field.type === 'integer' && value % 1 !== 0) return 'broken';
      return value < (field.min ?? -Infinity) || value > (field.max ?? Infinity) ? 'out of range' : undefined;
    case 'boolean':
      return value === true || value === false ? undefined : 'neither';
    case 'select':
      return isOffered(value) ? undefined : 'not offered';
    case 'multiselect': {
      if (typeof value !== 'object') return 'no list';
      if (!value.every(isOffered) || new Set(value).size < value.length) return 'not offered, or twice';
      if (value.length === 0 && field.required) return 'empty';
      return value.length < (field.minItems ?? 0) || value.length > (field.maxItems ?? Infinity) ? 'too few or many' : undefined;
    }
  }
}

describe('an answer', () => {
  it('is accepted only if the request allows it', () => {
    fc.assert(
      fc.property(anyRequest, anyAnswer, (request, answer) => {
        if (!isAcceptable(request, answer) || answer.type === 'cancel') return;
        assert.ok(request.kind !== 'permission' || answer.type === 'accept');
        if (answer.type === 'decline') return;
        const { values } = answer;
        const names = Object.keys(values);
        switch (request.kind) {
          case 'permission':
            assert.deepEqual(names, ['option']);
            assert.ok(request.options.some(({ optionId }) => optionId === values['option']));
            return;
          case 'form':
            assert.ok(names.every((name) => request.fields.some((field) => field.name === name)));
            for (const field of request.fields) {
              const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
              assert.equal(faultOf(field, value), undefined, `${JSON.stringify(field)} took ${JSON.stringify(value)}`);
            }
            return;
          case 'editor':
            assert.deepEqual([names, typeof values['text']], [['text'], 'string']);
            return;
          case 'url':
          case 'confirm':
            assert.deepEqual(names, []);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('can always cancel, can decline anything but a permission, and cannot be empty if the request needs a decision', () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        assert.equal(isAcceptable(request, { type: 'cancel' }), true);
        assert.equal(isAcceptable(request, { type: 'cancel', why: 'deadline' }), true);
        assert.equal(isAcceptable(request, { type: 'decline' }), request.kind !== 'permission');
        const needs = request.kind === 'permission' || request.kind === 'editor';
        if (needs) assert.equal(isAcceptable(request, accept({})), false);
        if (request.kind === 'form' && request.fields.some(({ required }) => required))
          assert.equal(isAcceptable(request, accept({})), false);
      }),
    );
  });

  it('is checked against the type and limits of its field', () => {
    const cases: readonly (readonly [FormField, FieldValue, boolean])[] = [
      [{ type: 'text', name: 'f', required: true }, '', false],
      [{ type: 'text', name: 'f', required: false }, '', true],
      ...formatted.map(([format, value, expected]) => [{ type: 'text', name: 'f', required: true, format }, value, expected] as const),
      [{ type: 'text', name: 'f', required: true, minLength: 2, maxLength: 3 }, '\u{1f44b}', false],
      [{ type: 'text', name: 'f', required: true, minLength: 2, maxLength: 3 }, 'ab', true],
      [{ type: 'text', name: 'f', required: true, minLength: 2, maxLength: 3 }, '\u{1f44b}bc', true],
      [{ type: 'text', name: 'f', required: true, minLength: 2, maxLength: 3 }, 'abcd', false],
      [{ type: 'text', name: 'f', required: false }, 1, false],
      [{ type: 'select', name: 'f', required: true, choices, allowCustom: false }, 'b, c', true],
      [{ type: 'select', name: 'f', required: true, choices, allowCustom: false }, 'A', false],
      [{ type: 'select', name: 'f', required: true, choices, allowCustom: true }, 'mine', true],
      [{ type: 'select', name: 'f', required: true, choices, allowCustom: true }, '', false],
      [{ type: 'multiselect', name: 'f', required: true, choices, allowCustom: false }, ['a', 'b, c'], true],
      [{ type: 'multiselect', name: 'f', required: true, choices, allowCustom: false }, ['a', 'd'], false],
      [{ type: 'multiselect', name: 'f', required: true, choices, allowCustom: false }, ['a', 'a'], false],
      [{ type: 'multiselect', name: 'f', required: true, choices, allowCustom: false }, [], false],
      [{ type: 'multiselect', name: 'f', required: false, choices, allowCustom: false, minItems: 2 }, ['a'], false],
      [{ type: 'multiselect', name: 'f', required: false, choices, allowCustom: false, maxItems: 1 }, ['a'], true],
      [{ type: 'multiselect', name: 'f', required: false, choices, allowCustom: false, maxItems: 1 }, ['a', 'b, c'], false],
      [{ type: 'multiselect', name: 'f', required: false, choices, allowCustom: false }, [], true],
      [{ type: 'multiselect', name: 'f', required: true, choices, allowCustom: true }, ['a', 'mine'], true],
      [{ type: 'multiselect', name: 'f', required: true, choices, allowCustom: true }, ['a', ''], false],
      [{ type: 'integer', name: 'f', required: true, min: 1, max: 3 }, 1, true],
      [{ type: 'integer', name: 'f', required: true, min: 1, max: 3 }, 4, false],
      [{ type: 'integer', name: 'f', required: true, min: 1, max: 3 }, 3, true],
      [{ type: 'integer', name: 'f', required: true }, 1.5, false],
      [{ type: 'number', name: 'f', required: true, min: 1 }, 0.5, false],
      [{ type: 'number', name: 'f', required: true }, Number.NaN, false],
      [{ type: 'boolean', name: 'f', required: true }, 'true', false],
    ];
    for (const [field, value, expected] of cases) {
      assert.equal(isAcceptable(formOf(field), accept({ f: value })), expected, JSON.stringify([field, value]));
    }
  });

  it('has no unknown fields, and a member of Object.prototype is not a value', () => {
    const form = formOf({ type: 'text', name: 'constructor', required: true });
    assert.equal(isAcceptable(form, accept({})), false);
    assert.equal(isAcceptable(form, accept({ constructor: 'x' })), true);
    assert.equal(isAcceptable(form, accept({ constructor: 'x', other: 'y' })), false);
  });
});
