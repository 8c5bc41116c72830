/** The peculiarities of the agent service's protocol, with a stand-in for its document. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, test, type TestContext } from 'node:test';
import type { ConnectAgent } from '../../src/core/backends/agentBackend.js';
import { connectAgentService } from '../../src/core/backends/agentService/agentServiceBackend.js';
import type { HostError } from '../../src/core/base/errors.js';
import { createAgentHost } from '../../src/core/host/agentHost.js';
import { type CodeTask, pieceOf, taskPrompt } from '../../src/core/session/codeTask.js';
import { lines, temporaryFolder, text } from '../core/host/launch.js';
import { within } from '../real/deadline.js';
import { serverAt, type StandIn, startStandIn } from '../standIns/startStandIn.js';
import { connectSeam, eventsIn, type OpenSession, rejects, type Seam } from './seam.js';

const key = 'simpletest2025_the-only-one';

function dial(
  t: TestContext,
  { url }: Pick<StandIn, 'url'>,
  o: Parameters<typeof serverAt>[1] = { key },
  initializeMs = 30_000,
): Promise<Seam> {
  const connect: ConnectAgent = (options) => connectAgentService({ ...options, ...serverAt(url, o) });
  const deadlines = { initializeMs, sessionMs: 30_000, queryMs: 30_000 };
  return connectSeam(t, connect, { agent: { label: 'Stand-in', command: '', args: [], env: {} }, deadlines });
}

interface Connected extends Seam, OpenSession {
  readonly standIn: StandIn;
}

async function connect(t: TestContext, args: readonly string[] = []): Promise<Connected> {
  const standIn = await startStandIn(t, 'agentService', ['--key', key, ...args]);
  const seam = await dial(t, standIn);
  return { ...seam, ...(await seam.open()), standIn };
}

const upgrades = ({ notes }: StandIn): readonly unknown[] =>
  notes.all.flatMap(({ event, headers }) => (event === 'upgrade' ? [headers?.['x-api-key'] ?? ''] : []));
const seen = async (standIn: StandIn, count: number): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  await standIn.notes.until(`${count} frames`, () => standIn.frames().length >= count);
  return standIn.frames();
};
const commandsOf = async (standIn: StandIn, count: number): Promise<readonly unknown[]> =>
  (await seen(standIn, count)).map(({ cmd }) => cmd);

test('the first listed model is the default, another one can be chosen, and each prompt has the model', async (t) => {
  const { session, prompt, standIn, words } = await connect(t);
  assert.deepEqual(
    session.options.map(({ id, currentValue, category }) => [id, currentValue, category]),
    [
      ['model', 'local deepseek-R1:32b', 'model'],
      ['language', 'en', undefined],
      ['selected_text', 'string', undefined],
    ],
  );
  await within(prompt('one'), 'end');
  await session.setOption('model', 'deepseek-R1:32b');
  await within(prompt('two'), 'end');
  assert.equal(words(), 'two');
  const [list, ...chats] = await seen(standIn, 3);
  assert.equal(list?.['cmd'], 'list_model');
  assert.deepEqual(
    chats.map(({ request_id: _, ...rest }) => rest),
    [
      { cmd: 'exec_chat', msg: 'one', model: 'local deepseek-R1:32b' },
      { cmd: 'exec_chat', msg: 'two', model: 'deepseek-R1:32b' },
    ],
  );
  const ids = standIn.frames().map(({ request_id: id }) => id);
  assert.ok(ids.every((id) => Number.isInteger(id)) && new Set(ids).size === 3, ids.join());
  await rejects(session.setOption('model', 'gpt'), 'usage');
});

test("stream_finish:false without a stream is a complete answer; an error has the service's text", async (t) => {
  const { prompt, words } = await connect(t);
  await within(prompt('whole'), 'end');
  assert.equal(words(), 'whole');
  assert.equal((await rejects(prompt('oops'), 'request_failed')).params.detail, 'the model is out of order');
  await within(prompt('goes on'), 'end');
});

test('tasks of two sessions are sent one after another, because a second would cancel the first; a canceled one that waits is never sent', async (t) => {
  const one = await connect(t);
  const [other, third] = [await one.open(), await one.open()];
  const hanging = one.prompt('hang');
  const waiting = other.prompt('after');
  const givenUp = third.prompt('never');
  await one.standIn.notes.until('work', ({ event }) => event === 'working');
  third.session.cancel();
  assert.equal((await within(givenUp, 'end')).stopReason, 'cancelled');
  assert.deepEqual(await commandsOf(one.standIn, 2), ['list_model', 'exec_chat']);
  one.session.cancel();
  assert.equal((await within(hanging, 'end')).stopReason, 'cancelled');
  assert.equal((await within(waiting, 'end')).stopReason, 'end_turn');
  assert.equal(other.words(), 'after');
  assert.ok(!JSON.stringify(one.standIn.frames()).includes('never'));
});

test('a cancel closes the connection instead of sending a command, and the next prompt opens another one', async (t) => {
  const { prompt, session, standIn, words, ends } = await connect(t);
  const turn = prompt('hang');
  await standIn.notes.until('work', ({ event }) => event === 'working');
  session.cancel();
  assert.equal((await within(turn, 'end')).stopReason, 'cancelled');
  await standIn.notes.until('end of the connection', ({ event }) => event === 'gone');
  assert.equal(upgrades(standIn).length, 1);
  await within(prompt('again'), 'end');
  assert.deepEqual([words(), ends.all], ['again', []]);
  assert.deepEqual(upgrades(standIn), [key, key]);
  assert.deepEqual(await commandsOf(standIn, 4), ['list_model', 'exec_chat', 'list_model', 'exec_chat']);
});

test('a stop ends a turn that waits for the connection at once', async (t) => {
  const standIn = await startStandIn(t, 'agentService', ['--key', key]);
  const { backend, open } = await dial(t, standIn, { key }, 600_000);
  const { prompt, session } = await open();
  const first = prompt('hang');
  await standIn.notes.until('work', ({ event }) => event === 'working');
  session.cancel();
  await within(first, 'end');
  standIn.signal('SIGSTOP');
  t.after(() => standIn.signal('SIGCONT'));
  const second = prompt('again');
  // By then, it is connecting to the server.
  await new Promise(setImmediate);
  await backend.close();
  assert.equal((await rejects(second, 'agent_exited')).params['reason'], 'stopped');
});

test('an answer without a request changes nothing', async (t) => {
  const { prompt, words, backend } = await connect(t);
  await within(prompt('wrong'), 'end');
  assert.deepEqual([words(), backend.stats.unknownResponses], ['mine', 1]);
});

describe('a refused key', () => {
  for (const [style, connections] of [
    ['401', 1],
    ['403', 1],
    ['at-once', 2],
    ['after-frame', 2],
  ] as const) {
    test(`${style}: it is reported as refused after ${connections} ${connections === 1 ? 'attempt' : 'attempts'}`, async (t) => {
      const standIn = await startStandIn(t, 'agentService', ['--key', key, '--refuse', style]);
      const error = await rejects(dial(t, standIn, { key: 'another-key' }), 'key_refused');
      assert.equal(error.params['url'], standIn.url);
      assert.notEqual(error.params.reason, 'missing');
      await standIn.notes.until('upgrade', () => upgrades(standIn).length === connections);
      assert.deepEqual(
        upgrades(standIn),
        Array.from({ length: connections }, () => 'another-key'),
      );
      // The correct key is still accepted.
      await dial(t, standIn);
    });

    test(`${style}: if no key was sent, it is reported as missing`, async (t) => {
      const standIn = await startStandIn(t, 'agentService', ['--key', key, '--refuse', style]);
      const error = await rejects(dial(t, standIn, {}), 'key_refused');
      assert.deepEqual([error.params.reason, error.params['url']], ['missing', standIn.url]);
    });
  }

  test('a server that closes silently because of too many connections counts as refusing the key', async (t) => {
    const standIn = await startStandIn(t, 'agentService', ['--key', key]);
    for (let count = 0; count < 5; count++) await dial(t, standIn);
    await rejects(dial(t, standIn), 'key_refused');
  });
});

test('not found, a redirect, silence and another protocol are reported as no service', async (t) => {
  const reasonOf = async (name: string, args: readonly string[], ms?: number): Promise<readonly unknown[]> => {
    const standIn = await startStandIn(t, name, args);
    const error: HostError = await rejects(dial(t, standIn, { key }, ms), 'connect_failed', 'handshake_timeout', 'handshake_failed');
    return [error.code, error.params.reason];
  };
  assert.deepEqual(await reasonOf('agentService', ['--refuse', '404']), ['connect_failed', 'http_status']);
  assert.deepEqual(await reasonOf('agentService', ['--refuse', 'redirect']), ['connect_failed', 'redirected']);
  assert.deepEqual(await reasonOf('agentService', ['--refuse', 'silent'], 300), ['connect_failed', 'no_answer']);
  assert.deepEqual(await reasonOf('agentCli', ['--documented']), ['handshake_failed', 'bad_answer']);
});

describe('over TLS', () => {
  const pinOf = async (standIn: StandIn): Promise<string> =>
    String((await standIn.notes.until('pin', ({ event }) => event === 'certificate'))['pin']);

  for (const kind of ['self', 'issued']) {
    test(`${kind}: without a pin nothing is sent and the pin is reported; with it the connection works`, async (t) => {
      const standIn = await startStandIn(t, 'agentService', ['--key', key, '--tls', kind]);
      const { params } = await rejects(dial(t, standIn), 'connect_failed');
      assert.deepEqual([params.reason, params['pin']], ['certificate_untrusted', await pinOf(standIn)]);
      const seam = await dial(t, standIn, { key, pin: await pinOf(standIn) });
      const session = await seam.open();
      await within(session.prompt('in private'), 'end');
      assert.equal(session.words(), 'in private');
      assert.deepEqual(upgrades(standIn), [key]);
    });
  }

  test('a changed certificate and an impostor are refused, and never get the key', async (t) => {
    const first = await startStandIn(t, 'agentService', ['--key', key, '--tls', 'self']);
    const pin = await pinOf(first);
    const { port } = new URL(first.url);
    await first.kill();
    const impostor = await startStandIn(t, 'agentService', ['--tls', 'self', '--port', port]);
    assert.equal(impostor.url, first.url);
    const { params } = await rejects(dial(t, impostor, { key, pin }), 'connect_failed');
    assert.deepEqual([params.reason, params['expected'], params['pin']], ['pin_mismatch', pin, await pinOf(impostor)]);
    await rejects(dial(t, impostor), 'connect_failed');
    // The impostor gets no request before the user trusts it, and never the other key.
    await dial(t, impostor, { key: 'for-the-impostor', pin: await pinOf(impostor) });
    await impostor.notes.until('upgrade', ({ event }) => event === 'upgrade');
    assert.deepEqual(upgrades(impostor), ['for-the-impostor']);
    assert.ok(!JSON.stringify(impostor.notes.all).includes(key));
  });

  test('an expired certificate is refused', async (t) => {
    const standIn = await startStandIn(t, 'agentService', ['--key', key, '--tls', 'self', '--expired']);
    const { params } = await rejects(dial(t, standIn, { key, pin: await pinOf(standIn) }), 'connect_failed');
    assert.equal(params.reason, 'certificate_expired');
    assert.deepEqual(upgrades(standIn), []);
  });
});

test('a key and a conversation are not sent unencrypted', async (t) => {
  const nowhere = { url: 'ws://192.0.2.1:8080/ws' };
  assert.equal((await rejects(dial(t, nowhere), 'connect_failed')).params.reason, 'plain_text');
});

test('an incomplete message, one that is too large, and one of 1 MiB', async (t) => {
  for (const [words, reason] of [
    ['half', 'connection_closed'],
    ['big', 'message_too_large'],
  ] as const) {
    const { prompt, ends } = await connect(t);
    assert.equal((await rejects(prompt(words), 'agent_exited')).params.reason, reason);
    await ends.until('end', () => true);
  }
  const { prompt, words } = await connect(t);
  await within(prompt('mib'), 'end');
  assert.equal(words().length, 1024 * 1024);
  assert.equal((await rejects(prompt('x'.repeat(33 * 1024 * 1024)), 'unsupported')).params.reason, 'message_size');
  await within(prompt('smaller'), 'end');
});

test('the service is reported as stateless once, and a session continues on another connection', async (t) => {
  const seam = await connect(t);
  await within(seam.prompt('one'), 'end');
  await within(seam.prompt('two'), 'end');
  const notices = eventsIn(seam.told.all).flatMap((event) => (event.type === 'host_notice' ? [event.code] : []));
  assert.deepEqual(notices, ['agent_keeps_no_context']);
});

test('a session id of the host is valid on every connection, an invented one is not', async (t) => {
  const { session } = await connect(t);
  const seam = await connect(t);
  await within((await seam.open({ method: 'resume', sessionId: session.id })).prompt('more'), 'end');
  for (const sessionId of ['of-another-agent', 'stateless-', 'stateless-of-yesterday', `${session.id}0`])
    await rejects(seam.open({ method: 'resume', sessionId }), 'session_unknown');
});

test('if the server is lost during a task, the turn is interrupted, the conversation continues, and nothing is sent twice', async (t) => {
  const standIn = await startStandIn(t, 'agentService', ['--key', key]);
  const host = createAgentHost({
    agent: {
      id: 'stand-in',
      label: 'Stand-in',
      protocol: 'agent-service',
      url: standIn.url,
      key: { type: 'environment', name: 'THE_KEY' },
    },
    baseEnv: { THE_KEY: key },
    cwd: await temporaryFolder(t),
    clientInfo: { name: 'test', title: 'Test', version: '0.0.0' },
    terminalAuth: false,
    restart: { firstDelayMs: 20 },
  });
  t.after(async () => {
    await host.stop({ force: true });
    host.dispose();
  });
  const session = await host.newSession();
  const outcome = await within(session.prompt(text('die')), 'end');
  assert.ok(outcome.type === 'interrupted', JSON.stringify(outcome));
  const again = await within(host.loadSession(session.id, session.state), 'session');
  await within(again.prompt(text('more')), 'end');
  assert.deepEqual(lines(again.state).slice(-3), ['user: more', 'agent: more', 'end end_turn']);
  await standIn.notes.until('last prompt', ({ frame }) => frame?.['msg'] === 'more');
  assert.deepEqual(
    standIn.frames().flatMap(({ msg }) => msg ?? []),
    ['die', 'more'],
  );
  assert.ok(!JSON.stringify([host.readTraffic(), host.diagnostics()]).includes(key));
});

describe('tasks on code', () => {
  const source = 'import os\n\ndef next_turn(self):\n    return self.turn + 1\n';
  const range = { start: { line: 2, character: 0 }, end: { line: 3, character: 24 } };
  const selected = pieceOf(source, range) ?? assert.fail();

  async function taskOn(
    t: TestContext,
    args: readonly string[] = [],
  ): Promise<{ readonly run: (task: Partial<CodeTask>) => Promise<Task>; readonly seam: Connected }> {
    const seam = await connect(t, args);
    const uri = pathToFileURL(path.join(seam.cwd, '..src', 'game.py')).href;
    // One of them is the request for the models.
    let sent = 1;
    const run = async (task: Partial<CodeTask>): Promise<Task> => {
      const from = sent;
      sent += task.kind === 'unittest' ? 2 : 1;
      const content = taskPrompt({ kind: 'explain', uri, selected, ...task });
      const { stopReason } = await within(seam.session.prompt('t1', content, 'turn'), 'end of the task');
      assert.equal(stopReason, 'end_turn');
      const frames = (await seen(seam.standIn, sent)).slice(from);
      return frames.map(({ request_id: _, ...rest }) => rest);
    };
    return { run, seam };
  }
  type Task = readonly Readonly<Record<string, unknown>>[];
  // A folder whose name only looks like the way out.
  const filepath = path.join('..src', 'game.py');
  const context = { filepath, range, text: selected.text };
  const model = 'local deepseek-R1:32b';

  test('they are commands of the agent, sent in the form of its document', async (t) => {
    const { run, seam } = await taskOn(t);
    const told = eventsIn(seam.told.all).find((event) => event.type === 'commands');
    assert.deepEqual(told?.type === 'commands' && told.commands.map(({ name }) => name), [
      'explain',
      'docstring',
      'optimize',
      'fix',
      'unittest',
    ]);
    const whole = { filepath, range: { start: { line: 0, character: 0 }, end: { line: 4, character: 0 } }, text: source };
    assert.deepEqual(await run({ kind: 'explain', whole: source }), [
      { cmd: 'exec_explain', language: 'en', selected_text: context, visible_text: whole, model },
    ]);
    assert.deepEqual(await run({ kind: 'explain', visible: selected, whole: source }), [
      { cmd: 'exec_explain', language: 'en', selected_text: context, visible_text: context, model },
    ]);
    await seam.session.setOption('language', 'zh');
    assert.deepEqual(await run({ kind: 'docstring' }), [{ cmd: 'exec_docstring', language: 'zh', selected_text: context, model }]);
  });

  test('optimize and fix send the selection as text, or as an object if configured; the error of a server that expects the other form is shown', async (t) => {
    for (const [args, first, second] of [
      [[], 'string', 'object'],
      [['--selected-text', 'object'], 'object', 'string'],
    ] as const) {
      const { run, seam } = await taskOn(t, args);
      await seam.session.setOption('selected_text', first);
      for (const kind of ['optimize', 'fix'] as const)
        assert.deepEqual(await run({ kind }), [
          { cmd: `exec_${kind}`, language: 'en', selected_text: first === 'object' ? context : selected.text, model },
        ]);
      await seam.session.setOption('selected_text', second);
      const error = await rejects(run({ kind: 'fix' }), 'request_failed');
      assert.equal(error.params.detail, 'selected_text: required');
      assert.equal((await seen(seam.standIn, 4)).filter(({ cmd }) => cmd === 'exec_fix').length, 2);
    }
  });

  test('a unit test takes two steps in one turn, and shows the recommendation', async (t) => {
    const { run, seam } = await taskOn(t);
    const symbols = [{ name: 'next_turn', kind: 'Function', range, children: [{ name: 'turn', kind: 'Variable', range, children: [] }] }];
    const [first, second] = await run({ kind: 'unittest', whole: source, symbols });
    assert.deepEqual(first, {
      cmd: 'exec_unittest_recommend',
      language: 'en',
      file_content: source,
      filepath,
      func_name: 'next_turn',
      func_location: range,
      func_symbols: symbols,
      model,
    });
    const recommendation = `recommend next_turn 2:0-3:24 of ${filepath} with 1 symbols`;
    assert.deepEqual(second, {
      cmd: 'exec_unittest_code',
      language: 'en',
      test_cases_str: recommendation,
      function_name: 'next_turn',
      file_path: filepath,
      relevant_content: selected.text,
      reference_content: source,
      model,
    });
    const said = eventsIn(seam.told.all).flatMap((event) => (event.type === 'message' && event.content.type === 'text' ? [event] : []));
    assert.deepEqual(
      said.map(({ content }) => content.type === 'text' && content.text),
      [recommendation, `code of next_turn in ${filepath}: ${recommendation}`],
    );
    assert.equal(new Set(said.map(({ messageId }) => messageId)).size, 2);
    const nothing = { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 9 } }, text: 'import os' };
    assert.equal((await rejects(run({ kind: 'unittest', selected: nothing, whole: source }), 'usage')).params.reason, 'function_unknown');
  });
});
