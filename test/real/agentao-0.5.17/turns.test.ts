import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bigAnswer, longAnswer } from '../../model/scenarios.js';
import { nextRequest, until } from '../deadline.js';
import { type Agentao, launchAgentao, missing } from '../launch.js';
import { agentText, lastTurn, messages, onlyTool, prompt, say, toolText, tools } from '../reading.js';
import { selectOption } from '../../../src/core/session/userRequest.js';

const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('agentao 0.5.17: turns', { skip: missing('0.5.17') }, () => {
  let agentao: Agentao;
  before(async () => {
    agentao = await launchAgentao({ files: { cwd: { '.agentao/settings.json': '{"agents":{"enable_builtin":true}}' } } });
  });
  after(() => agentao.stop());

  test('reports its name, version and capabilities', async () => {
    const info = await agentao.host.start();
    assert.equal(info.name, 'agentao');
    assert.equal(info.version, '0.5.17');
    assert.equal(info.capabilities.loadSession, true);
  });

  test('an answer streams into one message', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'long');
    const gate = await agentao.model.held('long');
    const half = await until(session, 'first words', (state) => agentText(state) === longAnswer.before);
    assert.equal(half.turn.type, 'running');
    gate.release();
    assert.deepEqual(await running, { type: 'ended', stopReason: 'end_turn', silent: false });
    assert.deepEqual(messages(session.state.items, 'agent'), [longAnswer.before + longAnswer.after.join('')]);
    assert.deepEqual(messages(session.state.items, 'user'), ['SC:long']);
    assert.equal(session.state.turn.type, 'idle');
  });

  test('thoughts and text appear in order of arrival, and a thought does not cut the text', async () => {
    const session = await agentao.newSession();
    await say(session, 'thinking');
    const spoken = lastTurn(session.state).flatMap((item) =>
      item.kind === 'message' ? [[item.role, messages([item], item.role)[0]]] : [],
    );
    assert.deepEqual(spoken, [
      ['user', 'SC:thinking'],
      ['thought', 'first thought'],
      ['agent', 'So it is.'],
      ['thought', 'second thought'],
    ]);
  });

  test('a read is a completed card between the text before and after it', async () => {
    const session = await agentao.newSession();
    await say(session, 'think-and-read');
    assert.deepEqual(
      lastTurn(session.state).map((item) => (item.kind === 'message' ? item.role : item.kind)),
      ['user', 'thought', 'agent', 'tool', 'agent', 'turn_end'],
    );
    const tool = onlyTool(session.state);
    assert.equal(tool.toolKind, 'read');
    assert.equal(tool.status, 'completed');
    assert.deepEqual(tool.rawInput, { file_path: 'a.txt' });
  });

  test('one delta of 200,000 characters arrives completely', async () => {
    const session = await agentao.newSession();
    await say(session, 'big');
    assert.equal(agentText(session.state) === bigAnswer, true);
  });

  test('long shell output keeps its beginning and its end, and the last update applies', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'shell-flood');
    const ask = await nextRequest(session);
    session.answer(ask.id, selectOption('allow_once'));
    await running;
    const output = toolText(onlyTool(session.state));
    assert.match(output, /^1\n2\n3\n/);
    assert.match(output, /characters elided/);
    assert.match(output, /\n19999\n20000\n$/);
    assert.ok(output.length < 17_000, `${output.length} characters`);
  });

  test('the plan is replaced as a whole', async () => {
    const session = await agentao.newSession();
    const plans: unknown[] = [];
    session.onEvent((event) => {
      if (event.type === 'plan') plans.push(event.entries.map(({ content, status }) => [content, status]));
    });
    await say(session, 'plan');
    assert.deepEqual(plans, [
      [
        ['step 1', 'in_progress'],
        ['step 2', 'pending'],
      ],
      [
        ['step 1', 'completed'],
        ['step 2', 'in_progress'],
      ],
    ]);
    assert.deepEqual(
      session.state.plans[0]?.entries.map(({ content, status }) => [content, status]),
      plans[1],
    );
  });

  test('a prompt during a turn is refused and never sent, and the next one works after the turn', async () => {
    const session = await agentao.newSession();
    const first = say(session, 'long');
    const gate = await agentao.model.held('long');
    await assert.rejects(session.prompt(prompt('SC:text never sent')), { code: 'session_busy' });
    gate.release();
    assert.equal((await first).type, 'ended');
    assert.deepEqual(await say(session, 'text'), { type: 'ended', stopReason: 'end_turn', silent: false });
    assert.deepEqual(messages(session.state.items, 'user'), ['SC:long', 'SC:text']);
    assert.equal(agentText(session.state), 'Hello there.');
    assert.deepEqual(session.state.queue, []);
  });

  test('two sessions of one process stream side by side without mixing', async () => {
    const [one, two] = await Promise.all([agentao.newSession(), agentao.newSession()]);
    const running = say(one, 'long');
    const gate = await agentao.model.held('long');
    await say(two, 'text');
    gate.release();
    await running;
    assert.deepEqual(messages(two.state.items, 'agent'), ['Hello there.']);
    assert.deepEqual(messages(one.state.items, 'user'), ['SC:long']);
  });

  test('two calls that share one id are two cards', async () => {
    const session = await agentao.newSession();
    await say(session, 'same-id');
    assert.deepEqual(
      tools(session.state).map((tool) => [tool.toolCallId, tool.title, tool.status]),
      [
        ['call_read', 'read_file', 'completed'],
        ['call_read', 'list_directory', 'completed'],
      ],
    );
    await say(session, 'read');
    assert.equal(onlyTool(session.state).status, 'completed');
    const ids = session.state.items.flatMap((item) => (item.kind === 'tool' ? [item.id] : []));
    assert.equal(new Set(ids).size, 3);
  });

  test('a read and a command that asks, in one batch, are two completed cards in the order in which they opened', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'read-and-shell');
    session.answer((await nextRequest(session)).id, selectOption('allow_once'));
    await running;
    assert.deepEqual(
      tools(session.state).map((tool) => [tool.title, tool.status]),
      [
        ['run_shell_command', 'completed'],
        ['read_file', 'completed'],
      ],
    );
  });

  test('a call with wrong arguments fails with the reason, and an invalid call leaves no card', async () => {
    const session = await agentao.newSession();
    await say(session, 'wrong-arguments');
    assert.equal(onlyTool(session.state).status, 'failed');
    assert.match(toolText(onlyTool(session.state)), /unexpected keyword argument 'nope'/);
    for (const scenario of ['no-such-tool', 'arguments-not-json']) {
      await say(session, scenario);
      assert.deepEqual([tools(session.state), agentText(session.state)], [[], 'Done.']);
    }
  });

  test('the calls of a sub-agent have cards, and its request belongs to the card of its call', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'sub-agent');
    const ask = await nextRequest(session);
    assert.equal(ask.kind, 'permission');
    const card = tools(session.state).find((tool) => tool.toolCallId === 'inner_shell');
    assert.equal(ask.kind === 'permission' && ask.subject.itemId, card?.id);
    session.answer(ask.id, selectOption('allow_once'));
    await running;
    assert.deepEqual(
      tools(session.state).map((tool) => [tool.title, tool.status]),
      [
        ['agent_codebase_investigator', 'completed'],
        ['[codebase-investigator 1/100] run_shell_command', 'completed'],
        ['[codebase-investigator 1/100] read_file', 'completed'],
        ['[codebase-investigator 2/100] complete_task', 'completed'],
      ],
    );
  });

  for (const [scenario, stopReason] of [
    ['length', 'max_tokens'],
    ['doom-loop', 'max_turn_requests'],
  ] as const) {
    test(`a turn that reaches a limit ends with ${stopReason}`, async () => {
      const session = await agentao.newSession();
      const outcome = await say(session, scenario);
      assert.equal(outcome.type === 'ended' && outcome.stopReason, stopReason);
    });
  }

  test('text with line breaks and control characters reaches the model unchanged', async () => {
    const session = await agentao.newSession();
    const odd = 'SC:text line one\r\nline two \u2028 \u0000 \ud83d\ude00 "quotes" \\ backslash';
    await session.prompt(prompt(odd));
    assert.deepEqual(messages(session.state.items, 'user'), [odd]);
    const sent = agentao.model.requests.at(-1)?.request.messages.findLast((message) => message.role === 'user');
    assert.ok(typeof sent?.content === 'string' && sent.content.endsWith(odd));
  });

  test('content that agentao does not accept reaches the model in a form that it accepts', async () => {
    const session = await agentao.newSession();
    const outcome = await session.prompt([
      ...prompt('SC:text'),
      { type: 'resource', resource: { uri: 'file:///notes.txt', mimeType: 'text/plain', text: 'unsaved words' } },
      { type: 'resource_link', uri: 'file:///linked.txt', name: 'linked.txt' },
      { type: 'image', mimeType: 'image/png', data: onePixel, uri: 'file:///pixel.png' },
    ]);
    assert.deepEqual(outcome, { type: 'ended', stopReason: 'end_turn', silent: false });
    const sent = JSON.stringify(agentao.model.requests.at(-1)?.request.messages.findLast((message) => message.role === 'user')?.content);
    for (const part of ['unsaved words', 'file:///linked.txt', onePixel]) assert.ok(sent.includes(part), part);
  });

  test('the status follows the turn: busy, waiting for the user, busy, ready', async () => {
    const session = await agentao.newSession();
    const states: string[] = [];
    const subscription = agentao.host.onStatus((status) => states.push(status.state));
    const running = say(session, 'shell');
    session.answer((await nextRequest(session)).id, selectOption('allow_once'));
    await running;
    subscription.dispose();
    assert.deepEqual(states, ['busy', 'waiting', 'busy', 'ready']);
  });

  test('the agent refuses an empty prompt, and the session continues', async () => {
    const session = await agentao.newSession();
    const outcome = await session.prompt([]);
    assert.equal(outcome.type === 'failed' && outcome.error.code, 'request_failed');
    assert.equal((await say(session, 'text')).type, 'ended');
  });
});
