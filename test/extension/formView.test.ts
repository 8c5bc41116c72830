/** A form on the page shows all of its text, and none of it hides anything. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FieldView } from '../../src/contract/viewParts.js';
import { type FormRequest, hidesText, type UserRequest } from '../../src/core/index.js';
import { promptView } from '../../src/extension/chat/promptView.js';
import { anyForm, marksOf } from '../core/request/arbitraryForms.js';

const surroundings = { agent: 'agentao', cwd: '/project', outsideTurn: false, folder: undefined };

function fieldsOf(request: UserRequest): readonly FieldView[] {
  const view = promptView(request, surroundings);
  assert.ok(view.kind === 'form');
  return view.fields;
}

/** Names and values go back to the agent as they came, and are not shown. */
function shown(request: FormRequest): readonly string[] {
  const view = promptView(request, surroundings);
  assert.ok(view.kind === 'form');
  return [
    view.title,
    view.message,
    ...view.fields.flatMap((field) => [
      field.label ?? field.name,
      field.description ?? '',
      ...(field.type === 'text' ? [field.placeholder ?? '', field.pattern ?? ''] : []),
      ...('choices' in field ? field.choices.flatMap(({ label, description = '' }) => [label, description]) : []),
    ]),
  ];
}

test('a form shows every word, and makes invisible characters visible', () => {
  fc.assert(
    fc.property(anyForm, (request) => {
      const texts = shown(request);
      for (const mark of marksOf(request)) assert.ok(texts.join('\n').includes(mark), mark);
      for (const text of texts) assert.ok(!hidesText(text), JSON.stringify(text));
      const values = (fields: readonly object[]): unknown =>
        fields.map((field) => ('choices' in field && Array.isArray(field.choices) ? field.choices.map(({ value }) => value) : []));
      assert.deepEqual(values(fieldsOf(request)), values(request.fields));
    }),
  );
});

test('a name in place of the label, a placeholder and a default do so, too', () => {
  const hidden = 'a\u202eb';
  const form = { kind: 'form', id: 'r', sessionId: 's', at: 0, message: 'How?' } as const;
  const [text] = fieldsOf({
    ...form,
    fields: [{ type: 'text', name: hidden, required: false, placeholder: hidden, defaultValue: hidden }],
  });
  assert.deepEqual(text, {
    type: 'text',
    name: hidden,
    required: false,
    label: 'a<U+202E>b',
    description: 'The default value has hidden characters: a<U+202E>b',
    placeholder: 'a<U+202E>b',
    defaultValue: hidden,
  });
  const plain = { type: 'text', name: 'branch', required: true, defaultValue: 'main' } as const;
  assert.deepEqual(fieldsOf({ ...form, fields: [plain] }), [plain]);
});
