import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { longAnswer } from '../../model/scenarios.js';
import { nextRequest, until, within } from '../deadline.js';
import { type Agentao, launchAgentao, missing } from '../launch.js';
import { descendants, survivors } from '../processes.js';
import { agentText, onlyTool, say, toolText, tools } from '../reading.js';
import { selectOption } from '../../../src/core/session/userRequest.js';

const cancelled = { type: 'ended', stopReason: 'cancelled' } as const;

describe('agentao 0.5.17: cancel', { skip: missing('0.5.17') }, () => {
  let agentao: Agentao;
  before(async () => {
    agentao = await launchAgentao();
  });
  after(() => agentao.stop());

  test('in a stream: the text so far stays, and the next prompt works', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'long');
    const gate = await agentao.model.held('long');
    await until(session, 'first words', (state) => agentText(state) === longAnswer.before);
    session.cancel();
    assert.equal(session.state.turn.type, 'cancelling');
    // agentao checks for a cancel only when the next byte of the stream arrives.
    gate.release();
    assertCancelled(await within(running, 'end of the cancelled turn'));
    assert.ok(agentText(session.state).startsWith(longAnswer.before));
    assert.deepEqual(await say(session, 'text'), { type: 'ended', stopReason: 'end_turn', silent: false });
  });

  test('right after the prompt: the turn ends as cancelled', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'silence');
    session.cancel();
    const first = await Promise.race([running, agentao.model.held('silence')]);
    if ('release' in first) first.release();
    assertCancelled(await within(running, 'end of the cancelled turn'));
  });

  test('in a running command: the command and its children are killed, and its file is never written', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'shell-hangs');
    session.answer((await nextRequest(session)).id, selectOption('allow_once'));
    await until(session, 'output of the command', (state) => tools(state).some((tool) => toolText(tool) === 'started\n'));
    const sleeping = await descendants('sleep 60');
    assert.notDeepEqual(sleeping, []);
    session.cancel();
    assertCancelled(await within(running, 'end of the cancelled turn'));
    assert.equal(onlyTool(session.state).status, 'failed');
    assert.match(toolText(onlyTool(session.state)), /^started\n/);
    assert.deepEqual(await survivors(sleeping), []);
    await assert.rejects(access(path.join(agentao.rooms.cwd, 'created.txt')));
  });

  test('with an open permission: the request is withdrawn, the second one of the batch is never shown, and neither command runs', async () => {
    const session = await agentao.newSession();
    const shown: string[] = [];
    const closed: unknown[] = [];
    session.onEvent((event) => {
      if (event.type === 'request_opened') shown.push(event.request.id);
      if (event.type === 'request_closed') closed.push(event.answer);
    });
    const running = say(session, 'shell-batch');
    const ask = await nextRequest(session);
    session.cancel();
    assert.deepEqual(session.state.requests, []);
    assertCancelled(await within(running, 'end of the cancelled turn'));
    assert.deepEqual(shown, [ask.id]);
    assert.deepEqual(closed, [{ type: 'cancel', why: 'turn_cancelled' }]);
    assert.equal(session.answer(ask.id, selectOption('allow_once')), false);
    for (const file of ['one.txt', 'two.txt']) await assert.rejects(access(path.join(agentao.rooms.cwd, file)));
    assert.deepEqual(
      tools(session.state).map((tool) => tool.status),
      ['cancelled', 'failed'],
    );
  });

  test('in one turn: the next turn can ask for permission again', async () => {
    const session = await agentao.newSession();
    const first = say(session, 'shell-batch');
    await nextRequest(session);
    session.cancel();
    await within(first, 'end of the cancelled turn');
    const second = say(session, 'shell');
    session.answer((await nextRequest(session)).id, selectOption('allow_once'));
    assert.equal((await second).type, 'ended');
    assert.equal(onlyTool(session.state).status, 'completed');
  });

  test('with an open question: the question is withdrawn, and the turn ends', async () => {
    const session = await agentao.newSession();
    const running = say(session, 'ask-free');
    await nextRequest(session);
    session.cancel();
    assertCancelled(await within(running, 'end of the cancelled turn'));
    assert.deepEqual(session.state.requests, []);
  });

  test('does nothing when no turn runs', async () => {
    const session = await agentao.newSession();
    session.cancel();
    assert.deepEqual(await say(session, 'text'), { type: 'ended', stopReason: 'end_turn', silent: false });
  });
});

function assertCancelled(outcome: { readonly type: string }): void {
  const { type, stopReason } = outcome as { type: string; stopReason?: string };
  assert.deepEqual({ type, stopReason }, cancelled);
}
