/** The start and the end of an agent: every call settles, with a code that says why. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BackendSession } from '../../../src/core/backends/agentBackend.js';
import { MODE_OPTION_ID } from '../../../src/core/session/sessionOption.js';
import { agentScript, type Launched, isClosed, isEvent, launch, rejects } from './launch.js';

describe('the start', () => {
  test('a command that is not there', async (t) => {
    const agent = await launch(t, 'exitsWhen', [], { agent: { label: 'x', command: 'no-such-agent-anywhere', args: [], env: {} } });
    await rejects(agent.start(), 'agent_not_found');
  });

  test('an agent that exits before it answers: its exit code and its last words', async (t) => {
    const agent = await launch(t, 'exitsWhen', ['initialize']);
    const error = await rejects(agent.start(), 'handshake_failed');
    assert.equal(error.params['exitCode'], 3);
    assert.match(agent.stderr(), /giving up/);
    assert.deepEqual(await agent.processes(), []);
  });

  test('an agent that exits at once', async (t) => {
    const agent = await launch(t, 'exitsWhen', ['start']);
    await rejects(agent.start(), 'handshake_failed');
  });

  test('an agent that never answers', async (t) => {
    const agent = await launch(t, 'neverInitializes', [], { deadlines: { initializeMs: 300, sessionMs: 20_000, queryMs: 20_000 } });
    await rejects(agent.start(), 'handshake_timeout');
    assert.deepEqual(await agent.processes(), []);
  });

  test('a start that is given up', async (t) => {
    const agent = await launch(t, 'neverInitializes');
    const giveUp = new AbortController();
    const start = agent.start(giveUp.signal);
    await agent.untilSent('initialize', (message) => message['method'] === 'initialize');
    assert.notEqual((await agent.processes()).length, 0);
    giveUp.abort();
    await rejects(start, 'cancelled');
    assert.deepEqual(await agent.processes(), []);
  });

  test('a start that is given up before it began', async (t) => {
    const agent = await launch(t, 'neverInitializes');
    await rejects(agent.start(AbortSignal.abort()), 'cancelled');
    assert.deepEqual(agent.traffic, []);
  });

  for (const [which, agentVersion, script, args] of [
    ['newer', 99, 'onlyNewerVersion', []],
    ['lower', 0, 'misshapesResults', ['initialize', '{"protocolVersion":0}']],
  ] as const) {
    test(`an answer with a ${which} version of the protocol than ours: closed, and both versions told`, async (t) => {
      const agent = await launch(t, script, args);
      const error = await rejects(agent.start(), 'version_unsupported');
      assert.deepEqual(error.params, { agentVersion, hostVersions: [1] });
      assert.deepEqual(await agent.processes(), []);
    });
  }

  for (const result of ['{"protocolVersion":"banana"}', '{}', '42', '[]', '"yes"']) {
    test(`an answer of the wrong shape: ${result}`, async (t) => {
      const agent = await launch(t, 'misshapesResults', ['initialize', result]);
      await rejects(agent.start(), 'handshake_failed');
    });
  }

  test('what cannot be read in an otherwise good answer counts as absent', async (t) => {
    const result =
      '{"protocolVersion":1,"agentInfo":"me","agentCapabilities":{"loadSession":"yes","promptCapabilities":[]},"authMethods":{"id":"x"}}';
    const agent = await launch(t, 'misshapesResults', ['initialize', result]);
    const info = await agent.start();
    assert.deepEqual(
      [info.name, info.promptContent, info.authMethods, agent.backend.sessions.resumeMethods],
      ['misshapesResults', [], [], []],
    );
  });
});

describe('the end', () => {
  test('an agent that exits in a turn: what was said stays, the turn is rejected, every later call too', async (t) => {
    const agent = await launch(t, 'exitsWhen', ['session/prompt']);
    await agent.start();
    const session = await agent.newSession();
    await rejects(agent.prompt(session, 'go'), 'agent_exited');
    assert.equal(agent.text(), 'half an ans');
    const { error, exit } = await agent.until('end', isClosed);
    assert.deepEqual([error.code, error.params['exitCode'], exit?.code, exit?.requested], ['agent_exited', 3, 3, false]);
    await assertDead(agent, session);
  });

  test('an agent that exits after a turn: the turn is whole', async (t) => {
    const agent = await launch(t, 'exitsWhen', ['after']);
    await agent.start();
    assert.deepEqual(await agent.prompt(await agent.newSession(), 'go'), { stopReason: 'end_turn' });
    assert.equal((await agent.until('end', isClosed)).exit?.code, 3);
  });

  test('an agent that closes its stdout and goes on is ended', async (t) => {
    const script = [
      '{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":1}}\n',
      '{"jsonrpc":"2.0","id":$ID,"result":{"sessionId":"s1"}}\n',
      'CLOSE',
    ];
    const agent = await launch(t, 'answersByScript', [JSON.stringify(script)]);
    await agent.start();
    await rejects(agent.prompt(await agent.newSession(), 'go'), 'agent_exited');
    const { error, exit } = await agent.until('end', isClosed);
    assert.deepEqual([error.code, exit], ['agent_exited', undefined], 'it had no end of its own');
    assert.equal((await agent.backend.close())?.requested, true);
  });

  test('an agent that exits while a session is being opened', async (t) => {
    const agent = await launch(t, 'exitsWhen', ['session/new']);
    await agent.start();
    await rejects(agent.newSession(), 'agent_exited');
  });

  test('closing is told once, ends what is pending and open, and may be repeated', async (t) => {
    const agent = await launch(t, 'racesWithCancel');
    await agent.start();
    const session = await agent.newSession();
    const turn = agent.prompt(session, 'asksLater');
    const ask = await agent.nextRequest();
    const rejected = rejects(turn, 'agent_exited');
    const [first, second] = await Promise.all([agent.backend.close(), agent.backend.close({ force: true })]);
    await rejected;
    assert.equal(ask.signal.aborted, true);
    assert.equal(first?.requested, true);
    assert.deepEqual(first, second);
    assert.equal(agent.events.filter(isClosed).length, 1);
    await assertDead(agent, session);
  });

  test('a start that is given up while the process is being started leaves nothing behind', async (t) => {
    const agent = await launch(t, 'neverInitializes');
    const giveUp = new AbortController();
    const start = agent.start(giveUp.signal);
    giveUp.abort();
    await rejects(start, 'cancelled');
    assert.deepEqual([await agent.processes(), agent.traffic], [[], []]);
  });
});

describe('results of the wrong shape', () => {
  test('session/new without an id', async (t) => {
    const agent = await launch(t, 'misshapesResults', ['session/new', '{"sessionId":5}']);
    await agent.start();
    await rejects(agent.newSession(), 'invalid_response');
  });

  test('modes and options that cannot be read are none', async (t) => {
    const agent = await launch(t, 'misshapesResults', [
      'session/new',
      '{"sessionId":"s","modes":{"availableModes":5},"configOptions":{"a":1},"models":[]}',
    ]);
    await agent.start();
    assert.deepEqual((await agent.newSession()).options, []);
  });

  test('session/prompt that ends with a number', async (t) => {
    const agent = await launch(t, 'misshapesResults', ['session/prompt', '42']);
    await agent.start();
    const session = await agent.newSession();
    await rejects(agent.prompt(session, 'go'), 'invalid_response');
    await rejects(agent.prompt(session, 'again'), 'invalid_response');
  });
});

test('two turns, one after the other', async (t) => {
  const agent = await launch(t, 'speaksYesterday');
  await agent.start();
  const session = await agent.newSession();
  assert.deepEqual(await agent.prompt(session, 'one'), { stopReason: 'end_turn' });
  assert.deepEqual(await agent.prompt(session, 'two'), { stopReason: 'end_turn' });
  assert.equal(agent.text(), 'vendor/avendor/a');
});

test('updates reach the listener before the answer that follows them', async (t) => {
  const agent = await launch(t, 'speaksYesterday');
  await agent.start();
  const session = await agent.newSession();
  let saidBefore = '';
  await agent.prompt(session, 'go').then(() => (saidBefore = agent.text()));
  assert.equal(saidBefore, 'vendor/a');
  assert.ok(agent.events.some(isEvent('message')));
});

test('the environment of the definition is added to the inherited one, and null removes', async (t) => {
  const agent = await launch(t, 'showsEnvironment', [], {
    baseEnv: { ...process.env, KEPT: 'kept', REMOVED: 'still here' },
    agent: {
      label: 'x',
      command: process.execPath,
      args: [agentScript('showsEnvironment'), 'KEPT,ADDED,REMOVED'],
      env: { ADDED: 'added', REMOVED: null },
    },
  });
  await agent.start();
  await agent.prompt(await agent.newSession(), 'go');
  assert.equal(agent.text(), 'kept,added,');
});

async function assertDead(agent: Launched, session: BackendSession): Promise<void> {
  await rejects(agent.prompt(session, 'go'), 'agent_exited');
  await rejects(agent.newSession(), 'agent_exited');
  await rejects(session.setOption(MODE_OPTION_ID, 'm'), 'agent_exited');
  session.cancel();
}
