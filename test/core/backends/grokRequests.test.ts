/** What Grok Build asks beside ACP. Its requests and answers are those that grok 1.0.41 sent and understood. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { selectOption } from '../../../src/core/session/userRequest.js';
import { asked, type Fields, withAnswer } from './asked.js';

const color = {
  question: 'Which color?',
  options: [{ label: 'Red', description: 'like fire', preview: '#f00' }, { label: 'Blue' }],
  multiSelect: null,
};
const parts = { question: 'Which parts?', multiSelect: true, options: [{ label: 'Roof' }, { label: 'Door' }] };

describe('_x.ai/ask_user_question', () => {
  const ask = (...questions: readonly unknown[]): Fields => ({ toolCallId: 'q', questions, mode: 'default' });

  test('one question is the text of the form', async (t) => {
    const { told } = await asked(t, '_x.ai/ask_user_question', ask(color), ({ request, answer }) => {
      assert.ok(request.kind === 'form');
      assert.equal(request.message, 'Which color?');
      const [field] = request.fields;
      assert.ok(field?.type === 'select');
      assert.deepEqual(field.choices, [
        { value: 'Red', label: 'Red', description: 'like fire' },
        { value: 'Blue', label: 'Blue' },
      ]);
      answer({ type: 'accept', values: { 0: 'Green' } });
    });
    assert.deepEqual(told, { outcome: 'accepted', answers: { 'Which color?': 'Green' }, annotations: {} });
  });

  test('the answers to several are found by their texts, and several choices stay a list', async (t) => {
    const { told } = await asked(t, '_x.ai/ask_user_question', ask(color, parts), ({ request, answer }) => {
      assert.ok(request.kind === 'form');
      assert.deepEqual(
        request.fields.map(({ type, label }) => [type, label]),
        [
          ['select', 'Which color?'],
          ['multiselect', 'Which parts?'],
        ],
      );
      answer({ type: 'accept', values: { 0: 'Red', 1: ['Roof', 'Door'] } });
    });
    assert.deepEqual(told, { outcome: 'accepted', answers: { 'Which color?': 'Red', 'Which parts?': ['Roof', 'Door'] }, annotations: {} });
  });

  test('declined or dismissed, it is canceled and the turn goes on', async (t) => {
    for (const type of ['decline', 'cancel'] as const)
      assert.deepEqual((await asked(t, '_x.ai/ask_user_question', ask(color), withAnswer({ type }))).told, { outcome: 'cancelled' });
  });

  test('what could not be shown or answered whole is an error', async (t) => {
    for (const questions of [[], [color, { header: 'x' }], [color, color]]) {
      const { told } = await asked(t, '_x.ai/ask_user_question', ask(...questions));
      assert.match(JSON.stringify(told), /-32602/);
    }
  });
});

describe('_x.ai/exit_plan_mode', () => {
  const plan = { toolCallId: 'p', planContent: '# Plan\n\n1. Build a roof' };

  for (const outcome of ['approved', 'cancelled'])
    test(`the plan is a permission that can be ${outcome}`, async (t) => {
      const { told } = await asked(t, '_x.ai/exit_plan_mode', plan, ({ request, answer }) => {
        assert.ok(request.kind === 'permission');
        assert.equal(request.subject.toolKind, 'switch_mode');
        assert.match(JSON.stringify(request.subject.content), /Build a roof/);
        assert.deepEqual(
          request.options.map(({ kind }) => kind),
          ['allow_once', 'reject_once'],
        );
        answer(selectOption(outcome));
      });
      assert.deepEqual(told, { outcome });
    });

  test('without a decision the agent keeps planning, and an empty plan is asked about, too', async (t) => {
    const { told } = await asked(t, '_x.ai/exit_plan_mode', { toolCallId: 'p', planContent: null }, ({ request, answer }) => {
      assert.ok(request.kind === 'permission');
      assert.deepEqual(request.subject.content, []);
      answer({ type: 'cancel' });
    });
    assert.deepEqual(told, { outcome: 'cancelled' });
  });
});
