/** The command line with servers: the result of each kind of start and end. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { afterEach, beforeEach, describe, test, type TestContext } from 'node:test';
import { startStandIn } from '../standIns/startStandIn.js';
import { type CliResult, eventsOf, makePlace, type Place } from './cliProcess.js';
import { placesOfOneEngine } from './engineOf.js';
import { runHere } from './runHere.js';

const makeSharedPlace = placesOfOneEngine();

const key = 'simpletest2025_the-only-one';
const source = 'import os\n\ndef next_turn(self):\n    return self.turn + 1\n';

let place: Place;
beforeEach(async () => {
  place = await makeSharedPlace({ 'game.py': source });
});
afterEach(() => place.remove());

const cli = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CliResult> =>
  runHere(place, args, { env: { ...place.env, ...env } });

describe('agent-cli', () => {
  const start = async (t: TestContext): Promise<readonly string[]> => {
    const { url } = await startStandIn(t, 'agentCli', ['--real']);
    return ['--protocol', 'agent-cli', '--url', url, '--cwd', place.workspace];
  };

  test('run: text, a permission by policy, a limit of turns, and a lost connection', async (t) => {
    const agent = await start(t);
    const said = await cli(['run', ...agent, 'hello there']);
    assert.deepEqual([said.code, said.stdout.includes('hello there')], [0, true], said.stderr);
    const asked = await cli(['run', ...agent, '--format', 'json', '--permission', 'allow', 'ask']);
    assert.equal(asked.code, 0, asked.stderr);
    assert.ok(eventsOf(asked.stdout).some((line) => line.event === 'permission' && line.phase === 'answer'));
    const refused = await cli(['run', ...agent, '--permission', 'reject', 'turns']);
    assert.equal(refused.code, 5, refused.stderr);
    const told = await cli(['run', ...agent, 'die']);
    assert.match(told.stderr, /The connection to \S+ was lost\. Reconnecting in 1 s/);
    const lost = await cli(['run', ...agent, '--format', 'json', 'die']);
    assert.equal(lost.code, 6, lost.stderr);
    const events = eventsOf(lost.stdout).map((line) => (line.event === 'agent' ? line.state : line.event));
    assert.ok(events.includes('reconnecting') && events.includes('recovery'), events.join());
    assert.equal(events.filter((event) => event === 'session').length, 1);
  });

  test('run: request limits are set as options; an invalid value exits with 2 and sends nothing', async (t) => {
    const { url, frames, notes } = await startStandIn(t, 'agentCli', ['--documented']);
    const agent = ['--protocol', 'agent-cli', '--url', url, '--cwd', place.workspace];
    const set = ['--set', 'max_tokens=1000', '--set', 'max_context_num=7', '--set', 'prompt=Be brief.'];
    const limited = await cli(['run', ...agent, ...set, 'hello']);
    assert.equal(limited.code, 0, limited.stderr);
    const { frame } = await notes.until('prompt', (note) => JSON.stringify(note.frame?.['input']) === '{"Text":"hello"}');
    assert.deepEqual(frame?.['config'], {
      ask_before_tool_execution: true,
      max_tokens: 1000,
      max_context_num: 7,
      prompt: 'Be brief.',
    });
    const wrong = await cli(['run', ...agent, '--set', 'max_tokens=many', 'never']);
    assert.deepEqual([wrong.code, wrong.stderr.includes('max_tokens')], [2, true], wrong.stderr);
    assert.ok(!JSON.stringify(frames()).includes('never'));
  });

  test('doctor: no problems', async (t) => {
    const { code, stdout } = await cli(['doctor', ...(await start(t))]);
    assert.equal(code, 0, stdout);
  });
});

describe('agent-service', () => {
  const at = (url: string, ...more: readonly string[]): readonly string[] => [
    ...['--protocol', 'agent-service', '--url', url, '--key-env', 'THE_KEY', '--cwd', place.workspace],
    ...more,
  ];
  const withKey = { THE_KEY: key };

  test('an untrusted certificate is refused with its pin, which is then accepted; a wrong pin is refused, and no output has the key', async (t) => {
    const standIn = await startStandIn(t, 'agentService', ['--key', key, '--tls', 'self']);
    const first = await cli(['run', ...at(standIn.url), 'hello'], withKey);
    assert.equal(first.code, 3, first.stderr);
    const [pin = ''] = /sha256\/[A-Za-z0-9+/]{43}=/.exec(first.stderr) ?? [];
    assert.equal(pin, (await standIn.notes.until('pin', ({ event }) => event === 'certificate'))['pin']);
    assert.ok(!standIn.notes.all.some(({ event }) => event === 'upgrade'));
    const second = await cli(['run', ...at(standIn.url, '--pin', pin), 'hello'], withKey);
    assert.deepEqual([second.code, second.stdout.includes('hello')], [0, true], second.stderr);
    const wrong = await cli(['run', ...at(standIn.url, '--pin', `sha256/${'A'.repeat(43)}=`), 'hello'], withKey);
    assert.equal(wrong.code, 3, wrong.stderr);
    for (const { stdout, stderr } of [first, second, wrong]) assert.ok(!`${stdout}${stderr}`.includes(key));
  });

  test('an environment that switches verification off for other programs sends no key to an untrusted or expired server', async (t) => {
    // The engine must have this environment, too.
    await place.remove();
    place = await makePlace();
    const env = { ...withKey, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    for (const isExpired of [false, true]) {
      const standIn = await startStandIn(t, 'agentService', ['--key', key, '--tls', 'self', ...(isExpired ? ['--expired', 'yes'] : [])]);
      const { code, stderr } = await cli(['run', ...at(standIn.url), 'hello'], env);
      assert.equal(code, 3, stderr);
      assert.match(stderr, isExpired ? /Renew the certificate/ : /--pin/);
      assert.ok(!standIn.notes.all.some(({ event }) => event === 'upgrade'));
    }
  });

  test('a refused key exits with 4; not found, a redirect and an unreachable server with 3; an unset key with 2', async (t) => {
    for (const [style, code] of [
      ['401', 4],
      ['at-once', 4],
      ['after-frame', 4],
      ['404', 3],
      ['redirect', 3],
    ] as const) {
      const { url } = await startStandIn(t, 'agentService', ['--key', key, '--refuse', style]);
      const result = await cli(['run', ...at(url), 'hello'], { THE_KEY: 'another-key-that-is-wrong' });
      assert.equal(result.code, code, `${style}: ${result.stderr}`);
      if (code === 4) assert.match(result.stderr, /refused the key/);
    }
    assert.equal((await cli(['run', ...at('ws://127.0.0.1:9/ws'), 'hello'], withKey)).code, 3);
    const unset = await cli(['run', ...at('ws://127.0.0.1:9/ws'), 'hello']);
    assert.equal(unset.code, 2);
    assert.match(unset.stderr, /THE_KEY/);
  });

  test('run --session: the session id of an event continues without a saved record; an invented id exits with 3 and sends nothing', async (t) => {
    const { url, frames } = await startStandIn(t, 'agentService', ['--key', key]);
    const first = await cli(['run', ...at(url), '--format', 'json', 'hello'], withKey);
    const [id = ''] = eventsOf(first.stdout).flatMap((line) => (line.event === 'session' ? [line.sessionId] : []));
    const elsewhere = path.join(place.workspace, 'another-state');
    const again = await cli(['run', ...at(url), '--state', elsewhere, '--session', id, 'more'], withKey);
    assert.deepEqual([again.code, again.stdout.includes('more')], [0, true], again.stderr);
    for (const madeUp of ['stateless-of-yesterday', 'stateless-00000000-0000-4000-8000-000000000000']) {
      const unknown = await cli(['run', ...at(url), '--session', madeUp, 'never'], withKey);
      assert.equal(unknown.code, 3, unknown.stderr);
    }
    assert.deepEqual(
      frames().flatMap(({ msg }) => msg ?? []),
      ['hello', 'more'],
    );
  });

  test('run: the chosen model is used; an unknown model exits with 2 and sends nothing', async (t) => {
    const { url, frames } = await startStandIn(t, 'agentService', ['--key', key]);
    const chosen = await cli(['run', ...at(url, '--model', 'deepseek-R1:32b'), 'hello'], withKey);
    assert.equal(chosen.code, 0, chosen.stderr);
    const unknown = await cli(['run', ...at(url, '--model', 'gpt'), 'never'], withKey);
    assert.equal(unknown.code, 2, unknown.stderr);
    assert.deepEqual(
      frames().flatMap(({ msg, model }) => (msg === undefined ? [] : [[msg, model]])),
      [['hello', 'deepseek-R1:32b']],
    );
  });

  test('run --task: the range of the file is sent 0-based, and a unit test shows both steps', async (t) => {
    const { url, frames } = await startStandIn(t, 'agentService', ['--key', key]);
    const file = ['--file', path.join(place.workspace, 'game.py'), '--range', 'L3:1-L4:25'];
    const explained = await cli(['run', ...at(url), '--task', 'explain', ...file, '--language', 'zh'], withKey);
    assert.equal(explained.code, 0, explained.stderr);
    assert.match(explained.stdout, /explain zh game\.py 2:0-3:24 def next_turn/);
    const tested = await cli(['run', ...at(url), '--task', 'unittest', ...file, '--format', 'json'], withKey);
    assert.equal(tested.code, 0, tested.stderr);
    const events = eventsOf(tested.stdout);
    assert.equal(events.filter((line) => line.event === 'turn').length, 2);
    assert.match(tested.stdout, /recommend next_turn[\s\S]*code of next_turn/);
    const fixed = await cli(['run', ...at(url), '--task', 'fix', ...file, '--selected-text-as', 'object'], withKey);
    assert.deepEqual([fixed.code, fixed.stderr.includes('selected_text: required')], [1, true], fixed.stderr);
    assert.equal(frames().filter(({ cmd }) => cmd === 'exec_fix').length, 1);
  });

  test('run --task: an invalid task, file, range or agent exits with 2 and sends nothing', async (t) => {
    const { url, frames, notes } = await startStandIn(t, 'agentService', ['--key', key]);
    const file = path.join(place.workspace, 'game.py');
    for (const args of [
      ['--task', 'translate', '--file', file, '--range', 'L1:1-L2:1'],
      ['--task', 'explain', '--file', path.join(place.workspace, 'no.py'), '--range', 'L1:1-L2:1'],
      ['--task', 'explain', '--file', file, '--range', 'L3:1-L9:1'],
      ['--task', 'explain', '--file', file, '--range', 'L3:1-L2:1'],
      ['--task', 'explain', '--file', file, '--range', '3-4'],
      ['--task', 'unittest', '--file', file, '--range', 'L1:1-L1:10'],
      ['--task', 'explain', '--file', file],
      ['--task', 'explain', '--file', file, '--range', 'L1:1-L2:1', 'and a prompt'],
      ['--range', 'L1:1-L2:1', 'hello'],
      ['--language', 'zh', 'hello'],
      ['--task', 'explain', '--file', file, '--range', 'L1:1-L2:1', '--language', 'th'],
    ])
      assert.equal((await cli(['run', ...at(url), ...args], withKey)).code, 2, args.join(' '));
    assert.deepEqual([frames(), notes.all.filter(({ event }) => event === 'upgrade')], [[], []]);
    const other = await startStandIn(t, 'agentCli', ['--documented']);
    const agent = ['--protocol', 'agent-cli', '--url', other.url, '--cwd', place.workspace];
    const result = await cli(['run', ...agent, '--task', 'explain', '--file', file, '--range', 'L1:1-L2:1']);
    assert.equal(result.code, 2, result.stderr);
    assert.equal(other.frames().length, 1);
  });
});
