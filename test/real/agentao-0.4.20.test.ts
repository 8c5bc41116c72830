/** The behavior of agentao before 0.5: only the differences, and what every user needs. */
import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Session, selectOption } from '../../src/core/index.js';
import { longAnswer, providerError } from '../model/scenarios.js';
import { nextRequest, until, within } from './deadline.js';
import { lastFirst } from './lastFirst.js';
import { type Agentao, launchAgentao, missing, testKey, writeAll } from './launch.js';
import { agentText, diffsOf, lastTurn, messages, onlyTool, say, toolText, tools } from './reading.js';
import { retryText } from '../../src/text/hintText.js';

const skip = missing('0.4.20');

async function allowNext(session: Session): Promise<void> {
  const ask = await nextRequest(session);
  assert.equal(session.answer(ask.id, selectOption('allow_once')), true);
}

describe('agentao 0.4.20', { skip }, () => {
  let agentao: Agentao;
  before(async () => {
    agentao = await launchAgentao({ version: '0.4.20' });
  });
  after(() => agentao.stop());

  test('an answer arrives as text', async () => {
    const session = await agentao.newSession();
    assert.equal(agentao.host.info?.version, '0.4.20');
    assert.deepEqual(await say(session, 'text'), { type: 'ended', stopReason: 'end_turn', silent: false });
    assert.equal(agentText(session.state), 'Hello there.');
  });

  test('a turn that waits to retry the provider says why', async () => {
    const session = await agentao.newSession();
    agentao.model.interject(providerError(503, 'try later', { 'Retry-After': '1' }));
    const running = say(session, 'text');
    const { turn } = await until(session, 'a wait', (state) => state.turn.type === 'running' && state.turn.wait !== undefined);
    assert.match(
      turn.type === 'running' && turn.wait?.kind === 'retry' ? retryText(turn.wait.reason) : '',
      /^the provider returned 503, attempt 1 of \d$/,
    );
    assert.deepEqual(await running, { type: 'ended', stopReason: 'end_turn', silent: false });
  });

  test('text that is repeated as a thought is dropped, and the real thought stays', async () => {
    const session = await agentao.newSession();
    await say(session, 'think-and-read');
    assert.deepEqual(messages(lastTurn(session.state), 'thought'), ['thinking hard']);
    assert.deepEqual(messages(lastTurn(session.state), 'agent'), ['Let me read it. ', 'Done.']);
  });

  test('shell output accumulates, although each update has only the new part', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'shell-flood');
    await allowNext(session);
    await running;
    const output = toolText(onlyTool(session.state));
    assert.match(output, /^1\n2\n3\n/);
    assert.match(output, /characters left out/);
    assert.match(output, /\n19999\n20000\n$/);
    assert.equal(onlyTool(session.state).status, 'completed');
  });

  test('a request that arrives before its tool call, with another id, belongs to the same card', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'shell');
    const ask = await nextRequest(session);
    assert.equal(ask.kind === 'permission' && ask.subject.itemId, onlyTool(session.state).id);
    assert.match(JSON.stringify(ask.kind === 'permission' && ask.subject.rawInput), /printf 'one/);
    session.answer(ask.id, selectOption('allow_once'));
    await running;
    assert.equal(onlyTool(session.state).status, 'completed');
    assert.equal(toolText(onlyTool(session.state)), 'one\ntwo\n');
  });

  test('a replacement without a diff and of kind "other" is shown as an edit with a diff', async () => {
    const session = await agentao.newSession();
    await writeAll(agentao.rooms.cwd, { 'a.txt': 'alpha\nbeta\n' });
    await say(session, 'replace');
    const tool = onlyTool(session.state);
    assert.equal(tool.toolKind, 'edit');
    assert.deepEqual(
      diffsOf(tool.content).map(({ oldText, newText }) => [oldText, newText]),
      [['alpha', 'ALPHA']],
    );
  });

  test('an answer to a question reaches the model', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'ask-free');
    session.answer((await nextRequest(session)).id, { type: 'accept', values: { answer: 'Ada' } });
    await running;
    assert.equal(agentText(session.state), 'The tool said: Ada');
  });

  test('a model call that fails silently ends the turn as silent, with the reason from stderr', async () => {
    const session = await agentao.newSession();
    const outcome = await say(session, 'http-401');
    assert.equal(outcome.type === 'ended' && outcome.silent, true);
    assert.match(outcome.stderrTail ?? '', /bad key/);
    assert.ok(!(outcome.stderrTail ?? '').includes(testKey));
    assert.equal((await say(session, 'text')).type, 'ended');
  });

  test('a cancel ends a streaming turn', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'long');
    const gate = await agentao.model.held('long');
    await until(session, 'first words', (state) => agentText(state) === longAnswer.before);
    session.cancel();
    gate.release();
    const outcome = await within(running, 'end of the cancelled turn');
    assert.equal(outcome.type === 'ended' && outcome.stopReason, 'cancelled');
  });

  test('a cancel withdraws an open permission, and nothing runs', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'shell-batch');
    await nextRequest(session);
    session.cancel();
    const outcome = await within(running, 'end of the cancelled turn');
    assert.equal(outcome.type === 'ended' && outcome.stopReason, 'cancelled');
    assert.deepEqual(session.state.requests, []);
    await assert.rejects(access(path.join(agentao.rooms.cwd, 'one.txt')));
  });

  test('a cancel waits until the running command ends, as this version does', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'shell-waits');
    await allowNext(session);
    await until(session, 'output of the command', (state) => tools(state).some((tool) => toolText(tool) !== ''));
    session.cancel();
    assert.equal(session.state.turn.type, 'cancelling');
    await writeAll(agentao.rooms.cwd, { 'go.txt': '' });
    const outcome = await within(running, 'end of the cancelled turn');
    assert.equal(outcome.type === 'ended' && outcome.stopReason, 'cancelled');
    assert.ok(tools(session.state).every((tool) => tool.status !== 'pending' && tool.status !== 'in_progress'));
  });
});

describe('agentao 0.4.20: no key', { skip }, () => {
  test('the error names the missing key, and the agent keeps running', async (t) => {
    const agentao = await launchAgentao({ version: '0.4.20', provider: false });
    t.after(() => agentao.stop());
    for (let attempt = 0; attempt < 2; attempt++) {
      await assert.rejects(agentao.host.newSession(), { name: 'HostError', code: 'auth_required', message: /api_key/ });
    }
  });
});

describe('agentao 0.4.20: a session in a new process', { skip }, () => {
  test('the replay becomes the transcript', async (t) => {
    const atEnd = lastFirst(t);
    const first = await launchAgentao({ version: '0.4.20' });
    atEnd(() => first.stop());
    const session = await first.newSession();
    await say(session, 'read');
    await first.host.stop();
    const second = await launchAgentao({ version: '0.4.20', rooms: first.rooms });
    atEnd(() => second.stop());
    const loaded = await within(second.host.loadSession(session.id), 'loaded session');
    assert.deepEqual(messages(loaded.state.items, 'user'), ['SC:read']);
    assert.equal(loaded.state.items.filter((item) => item.kind === 'tool').length, 1);
    assert.equal((await say(loaded, 'text')).type, 'ended');
  });
});
