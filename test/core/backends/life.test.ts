/** The start and the end of an agent: every call settles, with a code that says why. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BackendSession } from '../../../src/core/backends/agentBackend.js';
import { MODE_OPTION_ID } from '../../../src/core/session/sessionOption.js';
import { agentScript, type Launched, isClosed, isEvent, launch, rejects } from './launch.js';

describe('the start', () => {
  test('a command that does not exist fails the start', async (t) => {
    const agent = await launch(t, 'exitsWhen', [], { agent: { label: 'x', command: 'no-such-agent-anywhere', args: [], env: {} } });
    await rejects(agent.start(), 'agent_not_found');
  });

  test('an agent that exits before it answers fails the start with its exit code and its last output', async (t) => {
    const agent = await launch(t, 'exitsWhen', ['initialize']);
    const error = await rejects(agent.start(), 'handshake_failed');
    assert.equal(error.params['exitCode'], 3);
    assert.match(agent.stderr(), /giving up/);
    assert.deepEqual(await agent.processes(), []);
  });

  test('an agent that exits at once fails the start', async (t) => {
    const agent = await launch(t, 'exitsWhen', ['start']);
    await rejects(agent.start(), 'handshake_failed');
  });

  test('an agent that never answers fails the start at the deadline', async (t) => {
    const agent = await launch(t, 'neverInitializes', [], { deadlines: { initializeMs: 300, sessionMs: 20_000, queryMs: 20_000 } });
    await rejects(agent.start(), 'handshake_timeout');
    assert.deepEqual(await agent.processes(), []);
  });

  test('a start can be canceled', async (t) => {
    const agent = await launch(t, 'neverInitializes');
    const giveUp = new AbortController();
    const start = agent.start(giveUp.signal);
    await agent.untilSent('initialize', (message) => message['method'] === 'initialize');
    assert.notEqual((await agent.processes()).length, 0);
    giveUp.abort();
    await rejects(start, 'cancelled');
    assert.deepEqual(await agent.processes(), []);
  });

  test('a start that was canceled beforehand starts nothing', async (t) => {
    const agent = await launch(t, 'neverInitializes');
    await rejects(agent.start(AbortSignal.abort()), 'cancelled');
    assert.deepEqual(agent.traffic, []);
  });

  for (const [which, agentVersion, script, args] of [
    ['newer', 99, 'onlyNewerVersion', []],
    ['lower', 0, 'misshapesResults', ['initialize', '{"protocolVersion":0}']],
  ] as const) {
    test(`an answer with a ${which} protocol version closes the agent, and the error has both versions`, async (t) => {
      const agent = await launch(t, script, args);
      const error = await rejects(agent.start(), 'version_unsupported');
      assert.deepEqual(error.params, { agentVersion, hostVersions: [1] });
      assert.deepEqual(await agent.processes(), []);
    });
  }

  for (const result of ['{"protocolVersion":"banana"}', '{}', '42', '[]', '"yes"']) {
    test(`an answer of the wrong shape fails the start: ${result}`, async (t) => {
      const agent = await launch(t, 'misshapesResults', ['initialize', result]);
      await rejects(agent.start(), 'handshake_failed');
    });
  }

  test('invalid members of an otherwise valid answer count as absent', async (t) => {
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
  test('an agent that exits during a turn rejects the turn and every later call, and its output so far is kept', async (t) => {
    const agent = await launch(t, 'exitsWhen', ['session/prompt']);
    await agent.start();
    const session = await agent.newSession();
    await rejects(agent.prompt(session, 'go'), 'agent_exited');
    assert.equal(agent.text(), 'half an ans');
    const { error, exit } = await agent.until('end', isClosed);
    assert.deepEqual([error.code, error.params['exitCode'], exit?.code, exit?.requested], ['agent_exited', 3, 3, false]);
    await assertDead(agent, session);
  });

  test('an agent that exits after a turn leaves the turn complete', async (t) => {
    const agent = await launch(t, 'exitsWhen', ['after']);
    await agent.start();
    assert.deepEqual(await agent.prompt(await agent.newSession(), 'go'), { stopReason: 'end_turn' });
    assert.equal((await agent.until('end', isClosed)).exit?.code, 3);
  });

  test('an agent that closes stdout but keeps running is ended', async (t) => {
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

  test('an agent that exits while a session is being opened rejects the call', async (t) => {
    const agent = await launch(t, 'exitsWhen', ['session/new']);
    await agent.start();
    await rejects(agent.newSession(), 'agent_exited');
  });

  test('closing is reported once, rejects pending and open calls, and can be repeated', async (t) => {
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

  test('canceling while the process is being started leaves no process behind', async (t) => {
    const agent = await launch(t, 'neverInitializes');
    const giveUp = new AbortController();
    const start = agent.start(giveUp.signal);
    giveUp.abort();
    await rejects(start, 'cancelled');
    assert.deepEqual([await agent.processes(), agent.traffic], [[], []]);
  });
});

describe('results of the wrong shape', () => {
  test('session/new without an id is rejected', async (t) => {
    const agent = await launch(t, 'misshapesResults', ['session/new', '{"sessionId":5}']);
    await agent.start();
    await rejects(agent.newSession(), 'invalid_response');
  });

  test('invalid modes and options are ignored', async (t) => {
    const agent = await launch(t, 'misshapesResults', [
      'session/new',
      '{"sessionId":"s","modes":{"availableModes":5},"configOptions":{"a":1},"models":[]}',
    ]);
    await agent.start();
    assert.deepEqual((await agent.newSession()).options, []);
  });

  test('session/prompt with a number as its result is rejected', async (t) => {
    const agent = await launch(t, 'misshapesResults', ['session/prompt', '42']);
    await agent.start();
    const session = await agent.newSession();
    await rejects(agent.prompt(session, 'go'), 'invalid_response');
    await rejects(agent.prompt(session, 'again'), 'invalid_response');
  });
});

test('two turns run one after the other', async (t) => {
  const agent = await launch(t, 'speaksYesterday');
  await agent.start();
  const session = await agent.newSession();
  assert.deepEqual(await agent.prompt(session, 'one'), { stopReason: 'end_turn' });
  assert.deepEqual(await agent.prompt(session, 'two'), { stopReason: 'end_turn' });
  assert.equal(agent.text(), 'vendor/avendor/a');
});

test('updates reach the listener before the response that follows them', async (t) => {
  const agent = await launch(t, 'speaksYesterday');
  await agent.start();
  const session = await agent.newSession();
  let saidBefore = '';
  await agent.prompt(session, 'go').then(() => (saidBefore = agent.text()));
  assert.equal(saidBefore, 'vendor/a');
  assert.ok(agent.events.some(isEvent('message')));
});

test('the environment of the definition is added to the inherited one, and null removes a variable', async (t) => {
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
