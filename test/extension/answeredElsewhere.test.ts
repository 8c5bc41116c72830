/** What a window says about requests that were answered elsewhere. The editor is a fake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ConversationEvent,
  type ConversationState,
  Emitter,
  type FieldValues,
  type FormField,
  type FrontEndIdentity,
  selectOption,
  type SessionEvent,
  type UserAnswer,
} from '../../src/core/index.js';
import { editor } from '../fakes/vscodeFake.js';
import { conversation } from './drawnChat.js';
import { answeredElsewhereText } from '../../src/text/requestText.js';
import { watchAnswers } from '../../src/extension/status/notices.js';

const request = {
  kind: 'permission',
  id: 'r',
  sessionId: 's',
  at: 1,
  subject: { itemId: 'c', toolCallId: 'c', title: 'Edit a.txt', toolKind: 'edit', rawInput: undefined, content: [], locations: [] },
  options: [
    { optionId: 'yes', name: 'Allow $(once)', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ],
} as const;

/** @returns what the status bar shows when the request is closed */
function toldOf(answer: UserAnswer, by: FrontEndIdentity | undefined): readonly string[] {
  editor.brief = [];
  const changes = new Emitter<{ readonly state: ConversationState; readonly events: readonly ConversationEvent[] | undefined }>();
  const watching = watchAnswers({ onEvents: changes.event }, 'here');
  const happens = (event: SessionEvent): void => changes.fire({ state: conversation(), events: [{ type: 'session', events: [event] }] });
  happens({ type: 'request_opened', at: 1, request });
  happens({ type: 'request_closed', at: 2, requestId: 'r', answer, ...(by && { by }) });
  happens({ type: 'request_closed', at: 2, requestId: 'r', answer, ...(by && { by }) });
  watching.dispose();
  return editor.brief;
}

test('an answer from elsewhere is told once: where, and how', () => {
  assert.deepEqual(toldOf(selectOption('yes'), { program: 'terminal', id: 'there' }), [
    'Answered in a terminal: Allow $ (once) (Edit a.txt)',
  ]);
  assert.deepEqual(toldOf(selectOption('no'), { program: 'editor', id: 'there' }), ['Answered in another window: Reject (Edit a.txt)']);
  assert.deepEqual(toldOf({ type: 'accept', values: { option: 'no' }, why: 'dismissed' }, { program: 'editor', id: 'there' }), [
    'Dismissed in another window (Edit a.txt)',
  ]);
});

test('an answer of this window, or the end of a request without one, is not told', () => {
  assert.deepEqual(toldOf(selectOption('yes'), { program: 'editor', id: 'here' }), []);
  assert.deepEqual(toldOf({ type: 'cancel', why: 'turn_cancelled' }, undefined), []);
});

test('a choice that was answered elsewhere is told by its labels, and a text is not repeated', () => {
  const choices = ['water', 'tea', 'coffee'].map((value) => ({ value, label: value.toUpperCase() }));
  const field = { name: 'drinks', required: true, choices, allowCustom: true } as const;
  const told = (fields: readonly FormField[], values: FieldValues): string =>
    answeredElsewhereText({ kind: 'form', id: 'r', sessionId: 's', at: 1, message: 'Drink?', fields }, { type: 'accept', values }, there);
  const there = { program: 'editor', id: 'there' } as const;
  assert.equal(told([{ ...field, type: 'select' }], { drinks: 'tea' }), 'Answered in another window: TEA (Drink?)');
  assert.equal(told([{ ...field, type: 'multiselect' }], { drinks: ['water', 'tea'] }), 'Answered in another window: WATER, TEA (Drink?)');
  const large = { type: 'boolean', name: 'large', label: 'Large', required: true } as const;
  assert.equal(told([large], { large: false }), 'Answered in another window: No (Drink?)');
  assert.equal(
    told([{ ...field, type: 'select' }, large], { drinks: 'tea', large: true }),
    'Answered in another window: TEA, Large: Yes (Drink?)',
  );
  const long = [{ value: 'long', label: 'x'.repeat(200) }];
  assert.match(told([{ ...field, type: 'select', choices: long }], { drinks: 'long' }), /: x{79}… \(Drink\?\)$/);
  assert.equal(told([{ ...field, type: 'select' }], { drinks: 'my secret' }), 'Answered in another window: with a text (Drink?)');
  assert.equal(
    told([{ type: 'text', name: 'drinks', required: true }], { drinks: 'x' }),
    'Answered in another window: with a text (Drink?)',
  );
});

test('a long title is cut between characters', () => {
  const told = answeredElsewhereText(
    { ...request, subject: { ...request.subject, title: `${'x'.repeat(78)}👍🏽 and more` } },
    selectOption('no'),
    { program: 'terminal', id: 'there' },
  );
  assert.equal(told, `Answered in a terminal: Reject (${'x'.repeat(78)}…)`);
});
