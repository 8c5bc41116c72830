/** Two agents based on the official SDK, 2.4.0 and 0.14.1: the host implements ACP, not agentao. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type AgentHost, selectOption } from '../../src/core/index.js';
import { nextRequest, until, within } from '../real/deadline.js';
import { createNodeAgentHost, makeRooms } from '../real/launch.js';
import { agentText, onlyTool, prompt, tools } from '../real/reading.js';

interface Peer {
  readonly host: AgentHost;
  stop(): Promise<void>;
}

async function launch(script: string): Promise<Peer> {
  const rooms = await makeRooms();
  const host = createNodeAgentHost(fileURLToPath(new URL(script, import.meta.url)), [], rooms);
  return {
    host,
    async stop() {
      await host.stop();
      host.dispose();
      await rooms.remove();
    },
  };
}

describe('an agent based on the SDK 2.4.0', () => {
  let peer: Peer;
  before(async () => {
    peer = await launch('../agents/sdkAgent.mjs');
  });
  after(() => peer.stop());

  test('answers with text, and reports its name and version', async () => {
    const session = await peer.host.newSession();
    assert.deepEqual(await session.prompt(prompt('hello')), { type: 'ended', stopReason: 'end_turn', silent: false });
    assert.equal(agentText(session.state), 'You said: hello');
    assert.deepEqual([peer.host.info?.name, peer.host.info?.version], ['sdk-agent', '1.0.0']);
  });

  test('each turn has its own card for a permission, although all use the same toolCallId', async () => {
    const session = await peer.host.newSession();
    for (const [optionId, status] of [
      ['yes', 'completed'],
      ['no', 'rejected'],
      ['yes', 'completed'],
    ] as const) {
      const running = session.prompt(prompt('permission'));
      const ask = await nextRequest(session);
      assert.equal(ask.kind === 'permission' && ask.subject.itemId, onlyTool(session.state).id);
      session.answer(ask.id, selectOption(optionId));
      await running;
      assert.equal(onlyTool(session.state).status, status);
    }
    const cards = session.state.items.filter((item) => item.kind === 'tool');
    assert.deepEqual(
      cards.map((card) => card.status),
      ['completed', 'rejected', 'completed'],
    );
    assert.equal(new Set(cards.map((card) => card.id)).size, 3);
  });

  test('a cancel ends the turn, and the next prompt works', async () => {
    const session = await peer.host.newSession();
    const running = session.prompt(prompt('wait'));
    await until(session, 'first words', (state) => agentText(state) === 'waiting');
    session.cancel();
    const outcome = await within(running, 'end of the cancelled turn');
    assert.equal(outcome.type === 'ended' && outcome.stopReason, 'cancelled');
    assert.equal((await session.prompt(prompt('again'))).type, 'ended');
  });

  test('a cancel closes an open permission as cancelled', async () => {
    const session = await peer.host.newSession();
    const running = session.prompt(prompt('permission'));
    await nextRequest(session);
    session.cancel();
    const outcome = await within(running, 'end of the cancelled turn');
    assert.equal(outcome.type === 'ended' && outcome.stopReason, 'cancelled');
    assert.deepEqual(onlyTool(session.state).rawOutput, { outcome: { outcome: 'cancelled' } });
  });

  test('an error from the agent fails the turn with its message', async () => {
    const session = await peer.host.newSession();
    const outcome = await session.prompt([]);
    assert.equal(outcome.type === 'failed' && outcome.error.code, 'request_failed');
    assert.match(outcome.type === 'failed' ? (outcome.error.params.detail ?? '') : '', /an empty prompt/);
  });

  test('loading a session is refused, because the agent did not declare it', async () => {
    await assert.rejects(peer.host.loadSession('some-session'), { code: 'unsupported' });
  });
});

describe('the example agent of the SDK 0.14.1', () => {
  let peer: Peer;
  before(async () => {
    peer = await launch('../../node_modules/acp-sdk-example/dist/examples/agent.js');
  });
  after(() => peer.stop());

  test('an allowed, a rejected and a cancelled turn have their own cards, although they use the same toolCallIds', async () => {
    const session = await peer.host.newSession();
    const allowed = session.prompt(prompt('first'));
    session.answer((await nextRequest(session)).id, selectOption('allow'));
    assert.deepEqual(await allowed, { type: 'ended', stopReason: 'end_turn', silent: false });
    assert.match(agentText(session.state), /successfully updated/);
    assert.deepEqual(
      tools(session.state).map((tool) => tool.status),
      ['completed', 'completed'],
    );

    const refused = session.prompt(prompt('second'));
    session.answer((await nextRequest(session)).id, selectOption('reject'));
    await refused;
    assert.match(agentText(session.state), /skip the configuration update/);

    const stopped = session.prompt(prompt('third'));
    await until(session, 'first words', (state) => agentText(state) !== '');
    session.cancel();
    const outcome = await within(stopped, 'end of the cancelled turn');
    assert.equal(outcome.type === 'ended' && outcome.stopReason, 'cancelled');

    const cards = session.state.items.filter((item) => item.kind === 'tool');
    // The refused call and those of the cancelled turn never got an end from the agent.
    const statuses = cards.map((card) => card.status);
    assert.deepEqual(statuses.slice(0, 4), ['completed', 'completed', 'completed', 'rejected']);
    assert.ok(
      statuses.slice(4).every((status) => status === 'completed' || status === 'cancelled'),
      JSON.stringify(statuses),
    );
    assert.equal(new Set(cards.map((card) => card.id)).size, cards.length);
    assert.ok(cards.length >= 4);
  });
});
