/** What Grok Build says beside ACP. Its messages, and the answers to them, are those that grok 1.0.41 sent and understood. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { selectOption } from '../../../src/core/session/userRequest.js';
import { asked, type Fields, withAnswer } from './asked.js';
import { launch } from './launch.js';

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

describe('_x.ai/session_notification', () => {
  const spawned = {
    sessionUpdate: 'subagent_spawned',
    child_session_id: 'c1',
    subagent_type: 'general-purpose',
    description: 'Count the hits',
  };
  const said = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Four.' } };

  /** @returns the events of the sub-agent in a turn */
  async function told(t: TestContext, ...updates: readonly Fields[]): Promise<readonly unknown[]> {
    const agent = await launch(t, 'elicits');
    await agent.start();
    const session = await agent.newSession();
    const notify = (update: Fields): readonly unknown[] => ['_x.ai/session_notification', { sessionId: session.id, update }];
    const inChild = ['session/update', { sessionId: 'c1', update: said }];
    const [first = spawned, ...others] = updates;
    await agent.prompt(
      session,
      JSON.stringify(['terminal/release', { terminalId: 'none' }, notify(first), inChild, ...others.map(notify)]),
    );
    assert.deepEqual(agent.warnings, []);
    return agent.sessionEvents().flatMap((event): readonly unknown[] => {
      if (event.type === 'subagent') return [event.patch];
      return event.type === 'message' && event.subagentId !== undefined ? [[event.subagentId, event.content]] : [];
    });
  }

  const start = [{ title: 'Count the hits', status: 'running' }, ['c1', said.content]];

  for (const [status, error, patch] of [
    ['completed', undefined, { status: 'idle' }],
    ['cancelled', undefined, { status: 'cancelled' }],
    ['failed', 'No budget', { status: 'failed', error: 'No budget' }],
    ['timed_out', undefined, { status: 'failed' }],
  ] as const)
    test(`a sub-agent that ${status} is shown with what it says`, async (t) => {
      const events = await told(t, spawned, { sessionUpdate: 'subagent_finished', child_session_id: 'c1', status, error });
      assert.deepEqual(events, [...start, patch]);
    });

  test('what it tells beside that, or in another form, changes nothing', async (t) => {
    const others = [
      { sessionUpdate: 'tool_call_delta_chunk', tool_call_id: 'x' },
      { sessionUpdate: 'subagent_progress', child_session_id: 'c1' },
      { sessionUpdate: 'subagent_finished', child_session_id: 7 },
    ];
    assert.deepEqual(await told(t, spawned, ...others), start);
  });
});
