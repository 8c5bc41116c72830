/** Conversations that go on without the command line that began them. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { parseArguments } from '../../src/cli/arguments/parseArguments.js';
import { engineLine, statusLine, type StatusLine } from '../../src/cli/output/reportSchema.js';
import { HostError } from '../../src/core/index.js';
import { CliProcess, type CliResult, eventsOf, makePlace, noTerminal, type Place, testAgent } from './cliProcess.js';
import { endEngine, enginePid, untilState } from './engineOf.js';
import { runHere } from './runHere.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace({ 'a.txt': 'one\n' });
});
afterEach(async () => {
  await endEngine(place);
  await place.remove();
});

const file = (): Promise<string> => readFile(path.join(place.workspace, 'a.txt'), 'utf8');
const hasEngine = (): boolean => existsSync(path.join(place.env['ACP_HOST_STATE'] ?? '', 'engine.json'));
const status = async (): Promise<StatusLine> => statusLine.parse(JSON.parse((await runHere(place, ['status', '--format', 'json'])).stdout));

/** @returns the ID, which is all that it prints */
async function detach(prompt: string, ...options: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runHere(place, ['run', '--agent', 'demo', '--detach', ...options, prompt]);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^[\da-f-]{36}\n$/);
  return stdout.trim();
}

/** @returns what is wrong with the command line; undefined if nothing is */
function refusal(args: readonly string[]): unknown {
  try {
    parseArguments(args, process.platform);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof HostError && error.code === 'usage');
    return error.params['detail'];
  }
}

function typesOf({ stdout }: CliResult): readonly string[] {
  return eventsOf(stdout).map((line) => ('phase' in line ? `${line.event} ${line.phase}` : line.event));
}

describe('a turn that goes on without its command', () => {
  test('waits for a permission, which another command answers; its end is the end of everything', async () => {
    const line = async (): Promise<string> => (await runHere(place, ['status', '--prompt'])).stdout;
    assert.equal(await line(), '');
    const id = await detach('edit a.txt one => two');
    await untilState(place, 'waiting');
    assert.equal(await line(), '1 needs input\n');
    const [waiting] = (await status()).conversations;
    assert.deepEqual([waiting?.id, waiting?.state, waiting?.agent, waiting?.title], [id, 'waiting', 'demo', 'edit a.txt one => two']);
    assert.equal(await file(), 'one\n');

    const attached = await runHere(place, ['attach', id.slice(0, 8), '--format', 'json'], {
      stdin: '{"permission":"ask1","optionId":"allow_once"}\n',
    });
    assert.equal(attached.code, 0, attached.stderr);
    assert.equal(await file(), 'two\n');
    const session = eventsOf(attached.stdout).find((line) => line.event === 'session');
    assert.equal(session?.event === 'session' && session.how, 'attached');
    const types = typesOf(attached).filter((type) => type !== 'update');
    assert.deepEqual(types.slice(0, 4), ['agent', 'session', 'turn start', 'permission request']);
    assert.ok(types.includes('permission answer') && types.includes('turn end'));
    assert.equal(hasEngine(), false);
  });

  test('can be joined by two, of whom the first answer counts; each sees all of it', async () => {
    const id = await detach('edit a.txt one => two');
    const both = [1, 2].map(() => new CliProcess(place, ['attach', id, '--format', 'json']));
    for (const one of both) await one.event('request', (line) => line.event === 'permission' && line.phase === 'request');
    both[0]?.writeLine({ permission: 'ask1', optionId: 'reject_once' });
    both[1]?.writeLine({ permission: 'ask1', optionId: 'allow_once' });
    const ends = await Promise.all(both.map((one) => one.ended()));
    const answers = ends.map(({ stdout }) =>
      eventsOf(stdout).flatMap((line) => (line.event === 'permission' && line.phase === 'answer' ? [line.optionId] : [])),
    );
    assert.equal(answers[0]?.length, 1);
    assert.deepEqual(answers[0], answers[1]);
    assert.equal(await file(), answers[0]?.[0] === 'allow_once' ? 'two\n' : 'one\n');
    assert.deepEqual(
      ends.map((end) => [end.code, typesOf(end).filter((type) => type.startsWith('turn'))]),
      [1, 2].map(() => [0, ['turn start', 'turn end']]),
    );
  });

  test('is shown from its beginning, also when it has ended, and its exit code is that of the turn', async () => {
    const id = await detach('read a.txt');
    // Until it has ended, or when it has.
    const { code, stdout, stderr } = await runHere(place, ['attach', id]);
    assert.equal(code, 0);
    assert.match(stderr, /> read a\.txt\n[\s\S]*✓ Read a\.txt/);
    assert.match(stdout, /1 line and 4 bytes/);
    const again = await runHere(place, ['attach', '--last']);
    assert.deepEqual([again.code, again.stdout], [0, stdout]);
    // It may be named wherever a session is.
    const go = await runHere(place, ['run', '--agent', 'demo', '--session', id.slice(0, 6), 'fail refusal']);
    assert.equal(go.code, 5);
    assert.match((await runHere(place, ['show', id.slice(0, 6)])).stdout, /> read a\.txt[\s\S]*> fail refusal/);
    assert.equal((await runHere(place, ['attach', '--last'])).code, 5);
  });

  test('prints its ID as JSON, too, takes further prompts so, and stays open for them', async () => {
    const began = await runHere(place, ['run', '--agent', 'demo', '--detach', '--format', 'json', 'run echo one']);
    assert.equal(began.code, 0);
    const [line, ...others] = eventsOf(began.stdout);
    assert.ok(line?.event === 'detached' && others.length === 0);
    const chat = new CliProcess(place, ['attach', line.id, '--format', 'json']);
    await chat.event('request', (line) => line.event === 'permission' && line.phase === 'request');
    chat.writeLine({ prompt: 'read a.txt' });
    chat.writeLine({ permission: 'ask1', optionId: 'reject_once' });
    const { code, stdout } = await chat.ended();
    assert.equal(code, 0);
    assert.deepEqual(
      typesOf({ code, stdout, stderr: '' }).filter((type) => type.startsWith('turn')),
      ['turn start', 'turn end', 'turn start', 'turn end'],
    );
  });

  test('of several is the only one of the folder or above it', async () => {
    await detach('long 2000');
    await detach('long 2000');
    const below = { ...place, workspace: path.join(place.workspace, 'below') };
    await mkdir(path.join(below.workspace, 'deep'), { recursive: true });
    const { stdout } = await runHere(below, ['run', '--detach', '--agent', 'demo', 'ask']);
    const deep = { ...below, workspace: path.join(below.workspace, 'deep') };
    assert.equal((await runHere(deep, ['attach', '--answer', 'tea'])).code, 0);
    assert.match((await runHere(place, ['show', stdout.trim()])).stdout, /You answered: \*\*tea\*\*/);
    assert.equal((await runHere(place, ['attach'])).code, 2);
    await runHere(place, ['stop', '--all']);
  });

  test('is stopped by its ID, and all of them are', async () => {
    const [id, ...others] = [await detach('long 2000'), await detach('long 2000'), await detach('long 2000')];
    assert.deepEqual(await runHere(place, ['stop', id]), { code: 0, stdout: `Stopped ${id.slice(0, 8)}\n`, stderr: '' });
    assert.equal((await runHere(place, ['attach', id])).code, 130);
    const { code, stderr } = await runHere(place, ['attach']);
    assert.equal(code, 2);
    assert.match(stderr, /Something runs in 2 conversations: \w{8} \(long 2000\), \w{8} \(long 2000\)\. /);
    const { stdout } = await runHere(place, ['stop', '--all']);
    assert.deepEqual(stdout.split('\n').filter(Boolean).sort(), others.map((one) => `Stopped ${one.slice(0, 8)}`).sort());
    assert.equal((await runHere(place, ['stop', '--all'])).stdout, 'Nothing runs.\n');
  });

  test('ends with the engine, in order: interrupted, with everything that was said', async () => {
    const id = await detach('long 2000');
    await untilState(place, 'running');
    const { engine } = engineLine.parse(JSON.parse((await runHere(place, ['engine', '--format', 'json'])).stdout));
    assert.deepEqual([engine?.frontEnds, engine?.running], [0, 1]);
    assert.equal((await runHere(place, ['engine', 'stop'])).stdout, `Ended ${engine?.pid}\n`);
    assert.equal(hasEngine(), false);
    assert.deepEqual(await status(), { schemaVersion: 1, engine: null, conversations: [] });
    const shown = await runHere(place, ['show', id]);
    assert.match(shown.stdout, /> long 2000/);
    assert.notEqual((await runHere(place, ['attach', id])).code, 0);
  });

  test('is told to its end if the engine is killed', async () => {
    const id = await detach('long 2000');
    const attached = new CliProcess(place, ['attach', id, '--format', 'json']);
    await attached.event('words', (line) => line.event === 'update');
    process.kill(await enginePid(place), 'SIGKILL');
    const ended = await attached.ended();
    const end = eventsOf(ended.stdout).find((line) => line.event === 'turn' && line.phase === 'end');
    assert.ok(end?.event === 'turn' && end.phase === 'end' && end.outcome === 'interrupted', ended.stdout.slice(-500));
    assert.equal(typesOf(ended).filter((type) => type === 'turn start').length, 1);
  });

  test('is said once to be interrupted if the engine is killed', async () => {
    const run = new CliProcess(place, ['run', '--agent', 'demo', 'long 2000']);
    await run.until('words', (stdout) => stdout.includes('How an agent'));
    process.kill(await enginePid(place), 'SIGKILL');
    const { code, stderr } = await run.ended();
    assert.deepEqual([code, stderr.match(/^error: .*$/gm)], [6, ['error: Demo agent or ACP Host exited during the turn']]);
  });

  test('that waits for a sign-in says so when it is joined', async () => {
    const agent = testAgent('obedient');
    const { stdout } = await runHere(place, ['run', ...agent, '--detach', 'say hello'], { env: { OBEDIENT_SIGNED_OUT: 'at the prompt' } });
    const { code, stderr } = await runHere(place, ['attach', stdout.trim()]);
    assert.equal(code, 4);
    assert.match(stderr, /sign in/i);
  });

  test('is not begun where it would end with its command', async () => {
    const { code, stdout, stderr } = await runHere(place, ['run', '--agent', 'demo', '--detach', 'list'], {
      env: { ACP_HOST_STATE: '/dev/null/state' },
    });
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /--detach needs a folder/);
  });

  test('is not begun if the agent does not start', async () => {
    const { code, stdout, stderr } = await runHere(place, ['run', '--command', '/no/such/agent', '--detach', 'list']);
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /no such file|not found|doesn't exist/i);
    assert.equal(hasEngine(), false);
  });
});

describe('what is named', () => {
  test('must exist', async () => {
    for (const args of [['attach'], ['attach', '--last'], ['attach', 'zzz'], ['stop', 'zzz']])
      assert.equal((await runHere(place, args)).code, 2, args.join(' '));
  });

  test('must fit the command', () => {
    for (const args of [['stop'], ['engine', 'begin'], ['attach', 'a', '--last']])
      assert.notEqual(refusal(args), undefined, args.join(' '));
  });

  test('answers in advance are refused together with --detach', () => {
    for (const option of [['--permission', 'allow'], ['--answer', 'yes'], ['--resend']]) {
      const words = new RegExp(`^--detach cannot be used with ${option[0] ?? ''}`);
      assert.match(String(refusal(['run', '--agent', 'demo', '--detach', ...option, 'list'])), words);
    }
  });
});

test('looking at an engine does not keep it', async () => {
  const watch = new CliProcess(place, ['status', '--watch', '--format', 'json']);
  await watch.until('first line', (text) => text.includes('\n'));
  const id = await detach('run echo one');
  await watch.until('conversation', (text) => text.includes(id));
  await runHere(place, ['stop', id]);
  await watch.until('the end of the engine', (text) => text.trimEnd().endsWith('"engine":null,"conversations":[]}'));
  assert.equal(hasEngine(), false);
  watch.child.kill('SIGINT');
  assert.equal((await watch.ended()).code, 0);
});

test('status leaves out an open conversation in which nothing was said', async () => {
  const chat = new CliProcess(place, ['chat', '--agent', 'demo', '--format', 'json']);
  await chat.event('session', ({ event }) => event === 'session');
  await untilState(place, 'idle');
  const before = await runHere(place, ['status']);
  chat.writeLine({ prompt: 'list' });
  await chat.event('end', (line) => line.event === 'turn' && line.phase === 'end');
  const then = await runHere(place, ['status']);
  chat.child.stdin.end();
  await chat.ended();
  assert.equal(before.stdout, 'Nothing runs.\n');
  assert.match(then.stdout, /idle .* list /);
});

test('status names a conversation that asks before anything was said', async () => {
  const env = { ASKS_AT: 'session/new', ASKS_FOR: 'form' };
  const chat = new CliProcess(place, ['chat', ...testAgent('asksToOpen'), '--format', 'json'], env);
  await chat.event('question', ({ event }) => event === 'question');
  const { stdout } = await runHere(place, ['status']);
  chat.child.stdin.end();
  await chat.ended();
  assert.match(stdout, /needs input .* New conversation /);
});

test('a signal that ends status --watch is its exit code', async () => {
  for (const [signal, exitCode] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    const watch = new CliProcess(place, ['status', '--watch', '--format', 'json']);
    await watch.until('first line', (text) => text.includes('\n'));
    watch.child.kill(signal);
    assert.equal((await watch.ended()).code, exitCode);
  }
});

describe('in a terminal', { skip: noTerminal() ?? false }, () => {
  test('status --watch keeps the ages up to date', async () => {
    const id = await detach('ask');
    await untilState(place, 'waiting');
    const watch = new CliProcess(place, ['status', '--watch'], { TERM: 'xterm' }, { terminal: true });
    await watch.until('two ages', (text) => new Set(text.match(/(?<=needs input {2})\d+ s/g)).size > 1);
    watch.child.stdin.write('\x03');
    await watch.ended();
    await runHere(place, ['stop', id]);
  });

  const open = (...args: readonly string[]): CliProcess =>
    new CliProcess(place, ['attach', ...args], { TERM: 'xterm', NO_COLOR: '1' }, { terminal: true });

  test('what another one answered is said: where, and how', async () => {
    const id = await detach('edit a.txt one => two');
    const cli = open(id);
    await cli.until('question', (text) => text.includes('Enter to'));
    const other = await runHere(place, ['attach', id, '--format', 'json'], { stdin: '{"permission":"ask1","optionId":"allow_once"}\n' });
    const answer = eventsOf(other.stdout).find((line) => line.event === 'permission' && line.phase === 'answer');
    assert.ok(answer?.event === 'permission' && answer.phase === 'answer' && answer.by === 'terminal');
    assert.match((await cli.ended()).stdout, /Answered in a terminal: Allow once \(Edit a\.txt\)/);
  });

  test('Ctrl+\\ and Ctrl+D leave the turn running, and the request open; it is asked in place, and the number decides', async () => {
    const id = await detach('edit a.txt one => two');
    const press = async (key: string): Promise<string> => {
      const cli = open(id);
      await cli.until('question', (text) => text.includes('Enter to'));
      cli.child.stdin.write(key);
      const { code, stdout } = await cli.ended();
      assert.equal(code, 0, stdout);
      assert.match(stdout, /Ctrl\+\\ to leave it running[^]*edit a\.txt/);
      return file();
    };
    for (const key of ['\x1c', '\x04']) {
      assert.equal(await press(key), 'one\n');
      await untilState(place, 'waiting');
    }
    assert.equal(await press('1\n'), 'two\n');
  });

  test('Ctrl+C stops the turn', async () => {
    const id = await detach('long 2000');
    const cli = open(id);
    await cli.until('prompt', (text) => text.includes('> long 2000'));
    cli.child.stdin.write('\x03');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 130, stdout);
    assert.match(stdout, /Stopping… \(press Ctrl\+C again to leave\)/);
    assert.doesNotMatch((await open(id).ended()).stdout, /to leave it running/, 'nothing runs any more');
  });
});
