import fc from 'fast-check';
import { closeReasons, type FieldValue, type FormField, type UserAnswer, type UserRequest } from '../../../src/core/session/userRequest.js';

const words = fc.constantFrom('', 'a', 'b', 'a, b', 'other');
const name = fc.constantFrom('one', 'two', 'constructor');
const optional = { requiredKeys: ['type', 'name', 'required'] } as const;
const fieldBase = { name, required: fc.boolean(), label: words, description: words };
const small = fc.integer({ min: -2, max: 3 });
const choices = fc.array(fc.record({ value: words, label: words }), { maxLength: 3 });

const anyField: fc.Arbitrary<FormField> = fc.oneof(
  fc.record(
    { type: fc.constant('text' as const), ...fieldBase, multiline: fc.boolean(), placeholder: words, defaultValue: words },
    {
      requiredKeys: [...optional.requiredKeys],
    },
  ),
  fc.record(
    { type: fc.constantFrom('number' as const, 'integer' as const), ...fieldBase, min: small, max: small, defaultValue: small },
    {
      requiredKeys: [...optional.requiredKeys],
    },
  ),
  fc.record(
    { type: fc.constant('boolean' as const), ...fieldBase, defaultValue: fc.boolean() },
    { requiredKeys: [...optional.requiredKeys] },
  ),
  fc.record(
    { type: fc.constant('select' as const), ...fieldBase, choices, allowCustom: fc.boolean(), defaultValue: words },
    {
      requiredKeys: [...optional.requiredKeys, 'choices', 'allowCustom'],
    },
  ),
  fc.record(
    {
      type: fc.constant('multiselect' as const),
      ...fieldBase,
      choices,
      allowCustom: fc.boolean(),
      minItems: fc.nat(2),
      maxItems: fc.nat(3),
      defaultValue: fc.array(words, { maxLength: 2 }),
    },
    { requiredKeys: [...optional.requiredKeys, 'choices', 'allowCustom'] },
  ),
);

const base = { id: fc.constantFrom('ask1', 'ask2', 'ask3'), sessionId: fc.constant('s'), at: fc.nat(9), deadlineAt: fc.nat(99) };
const requiredBase = ['kind', 'id', 'sessionId', 'at'] as const;

export const anyRequest: fc.Arbitrary<UserRequest> = fc
  .oneof(
    fc.record({
      kind: fc.constant('permission' as const),
      id: base.id,
      sessionId: base.sessionId,
      at: base.at,
      subject: fc.constant({
        itemId: 'x',
        toolCallId: 'c',
        title: 'Run',
        toolKind: 'execute' as const,
        rawInput: { command: 'ls' },
        content: [],
        locations: [],
      }),
      options: fc.array(fc.record({ optionId: words, name: words, kind: fc.constantFrom('allow_once' as const, 'reject_once' as const) }), {
        maxLength: 3,
      }),
    }),
    fc.record(
      {
        kind: fc.constant('form' as const),
        ...base,
        title: words,
        message: words,
        fields: fc.uniqueArray(anyField, { maxLength: 3, selector: (field) => field.name }),
      },
      { requiredKeys: [...requiredBase, 'message', 'fields'] },
    ),
    fc.record(
      { kind: fc.constant('url' as const), ...base, message: words, url: fc.webUrl() },
      { requiredKeys: [...requiredBase, 'message', 'url'] },
    ),
    fc.record(
      { kind: fc.constant('confirm' as const), ...base, title: words, message: words },
      { requiredKeys: [...requiredBase, 'title'] },
    ),
    fc.record(
      { kind: fc.constant('editor' as const), ...base, title: words, prefill: words },
      {
        requiredKeys: [...requiredBase, 'title', 'prefill'],
      },
    ),
  )
  .map((request): UserRequest => structuredClone(request));

const anyPlainValue: fc.Arbitrary<FieldValue> = fc.oneof(words, small, fc.boolean(), fc.array(words, { maxLength: 3 }));
/** JSON cannot represent some numbers. */
const anyValue: fc.Arbitrary<FieldValue> = fc.oneof(anyPlainValue, fc.constantFrom(0.5, Number.NaN, Infinity));

const answerWith = (value: fc.Arbitrary<FieldValue>): fc.Arbitrary<UserAnswer> =>
  fc
    .oneof(
      fc.record({
        type: fc.constant('accept' as const),
        values: fc.dictionary(fc.constantFrom('one', 'two', 'constructor', 'option', 'text'), value, { maxKeys: 3 }),
      }),
      fc.constant({ type: 'decline' as const }),
      fc.record({ type: fc.constant('cancel' as const), why: fc.constantFrom(...closeReasons) }, { requiredKeys: ['type'] }),
    )
    .map((answer): UserAnswer => structuredClone(answer));

export const anyAnswer = answerWith(anyValue);
/** An answer that a journal may contain. */
export const anyWrittenAnswer = answerWith(anyPlainValue);
