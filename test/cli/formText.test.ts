/** A form at a terminal shows all of its text, and none of it hides anything. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openDialog } from '../../src/cli/input/requestDialog.js';
import { paintFor } from '../../src/cli/output/terminalText.js';
import { hidesText, type FormRequest } from '../../src/core/index.js';
import { anyForm, marksOf } from '../core/request/arbitraryForms.js';

/** Skips each field. */
function shown(request: FormRequest, columns = 10_000): string {
  const dialog = openDialog(request, { paint: paintFor(false), agentLabel: 'agent', cwd: '/project', columns: () => columns });
  const lines = [dialog.text, dialog.prompt()];
  for (let step = dialog.typed(''); step?.type === 'more'; step = dialog.typed('')) lines.push(step.text ?? '', dialog.prompt());
  return lines.join('\n');
}

test('a form shows every word, and makes invisible characters visible', () => {
  fc.assert(
    fc.property(anyForm, (request) => {
      const text = shown(request);
      for (const mark of marksOf(request)) assert.ok(text.includes(mark), `${mark} in ${text}`);
      assert.ok(!hidesText(text), JSON.stringify(text));
    }),
  );
});

test('no line of a form that the agent wrote can begin at the edge of the terminal', () => {
  const long = fc.string({ unit: fc.constantFrom('x', ' ', '\n'), maxLength: 200 });
  const field = fc.record({ label: long, description: long, name: long, pattern: long, defaultValue: long, choice: long });
  fc.assert(
    fc.property(anyForm, long, fc.array(field, { maxLength: 3 }), fc.integer({ min: 70, max: 120 }), (form, text, given, columns) => {
      const texts = given.map(({ choice: _, ...rest }) => ({ ...rest, type: 'text' as const, required: false }));
      const lists = given.map(({ name, choice, defaultValue }) => ({
        type: 'select' as const,
        name: `${name}.`,
        required: false,
        allowCustom: true,
        choices: [{ value: choice, label: choice, description: choice }],
        defaultValue,
      }));
      for (const request of [form, { ...form, title: text, message: text, fields: [...texts, ...lists] }])
        for (const line of shown(request, columns).split('\n')) {
          assert.match(line, /^(?: {2}│ |\? |(?: {2}\d+(?: |$))|Your (?:answer|choice) |$)/);
          assert.ok(line.length <= columns || line.startsWith('Your '), line);
        }
    }),
  );
});

const unlabelled: FormRequest = {
  kind: 'form',
  id: 'ask1',
  sessionId: 's',
  at: 0,
  message: 'A new connection',
  fields: [
    { type: 'text', name: 'host', required: true },
    { type: 'integer', name: 'port', required: false, description: 'Of the server.', defaultValue: 5432 },
    { type: 'boolean', name: 'use_tls', required: true, defaultValue: true },
    {
      type: 'multiselect',
      name: 'roles',
      label: 'Roles',
      required: false,
      allowCustom: false,
      choices: [
        { value: 'r', label: 'Reader' },
        { value: 'w', label: 'Writer' },
      ],
      defaultValue: ['r', 'w'],
    },
  ],
};

test('each of several fields is named by its label, or else its own name', () => {
  const dialog = openDialog(unlabelled, { paint: paintFor(false), agentLabel: 'agent', cwd: '/project', columns: () => 80 });
  const seen = [dialog.text, dialog.prompt()];
  for (const answer of ['db', '', '']) {
    const step = dialog.typed(answer);
    assert.ok(step?.type === 'more');
    seen.push(step.text ?? '', dialog.prompt());
  }
  assert.deepEqual(seen.join('\n').split('\n'), [
    '? agent asks: A new connection',
    '? 1 of 4: host',
    'Your answer (Enter to cancel): ',
    '? 2 of 4: port: Of the server.',
    'Your answer (a whole number, Enter to accept 5432): ',
    '? 3 of 4: use_tls',
    'Your answer (y or n, Enter to accept y): ',
    '? 4 of 4: Roles',
    '  1  Reader',
    '  2  Writer',
    'Your choice (1-2, several as 1,2, Enter to accept Reader, Writer): ',
  ]);
  assert.deepEqual(dialog.typed(''), { type: 'accept', values: { host: 'db', port: 5432, use_tls: true, roles: ['r', 'w'] } });
});

test('the field of a form is not named if the message is the question', () => {
  const only: FormRequest = { ...unlabelled, fields: unlabelled.fields.slice(0, 1) };
  const dialog = openDialog(only, { paint: paintFor(false), agentLabel: 'agent', cwd: '/project', columns: () => 80 });
  assert.equal(dialog.text, '? agent asks: A new connection');
});
