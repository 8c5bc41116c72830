/** The process that has the conversations stops responding while a chat is open. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test, type TestContext } from 'node:test';
import { engineLine } from '../../src/cli/output/reportSchema.js';
import { CliProcess, makePlace, noTerminal, type Place, runCli } from './cliProcess.js';
import { endEngine, enginePid, keepEngine } from './engineOf.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(async () => {
  await endEngine(place);
  await place.remove();
});

/** Stops the engine, as if it hung. @returns what lets it go on */
async function freezeEngine(t: TestContext): Promise<() => void> {
  const pid = await enginePid(place);
  process.kill(pid, 'SIGSTOP');
  t.after(() => signalled(pid));
  return () => void process.kill(pid, 'SIGCONT');
}

/** Only matters if the test fails. */
function signalled(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // It has ended, as it should.
  }
}

test('the chat says so, and what helps; that ends it, and the next engine goes on with the conversation', async (t) => {
  const chat = new CliProcess(place, ['chat', '--agent', 'demo', '--format', 'json']);
  chat.writeLine({ prompt: 'help' });
  await chat.event('turn', (line) => line.event === 'turn' && line.phase === 'end');
  const { engine } = engineLine.parse(JSON.parse((await runCli(place, ['engine', '--format', 'json'])).stdout));
  assert.ok(engine !== null);
  process.kill(engine.pid, 'SIGSTOP');
  t.after(() => chat.child.kill('SIGKILL') && signalled(engine.pid));

  chat.writeLine({ prompt: 'list' });
  const notice = await chat.event('notice', (line) => line.event === 'notice' && line.code === 'engine_hangs');
  assert.match(notice.event === 'notice' ? notice.message : '', new RegExp(`${engine.pid}.*acp-host engine stop`));

  const stopped = await runCli(place, ['engine', 'stop']);
  assert.deepEqual([stopped.code, stopped.stdout], [0, `Ended ${engine.pid}\n`]);
  assert.match(stopped.stderr, /did not respond/);

  await chat.event('error', (line) => line.event === 'error' && line.code === 'agent_exited');
  chat.writeLine({ retry: 'now' });
  chat.writeLine({ prompt: 'title Named later' });
  chat.child.stdin.end();
  const { stdout, code } = await chat.ended();
  assert.equal(code, 0, stdout);
  assert.match(stdout, /Named later/);
});

test("a chat that can't begin leaves the terminal as it was", { skip: noTerminal() ?? false }, async (t) => {
  const leave = await keepEngine(place);
  const thaw = await freezeEngine(t);
  const chat = new CliProcess(place, ['chat', '--agent', 'demo'], { TERM: 'xterm' }, { terminal: true });
  const { code, stdout } = await chat.ended();
  assert.equal(code, 3, stdout);
  assert.ok(stdout.lastIndexOf('\x1b[?2004l') > stdout.lastIndexOf('\x1b[?2004h'), stdout);
  thaw();
  await leave();
});

test('a run can be ended nevertheless', async (t) => {
  const run = new CliProcess(place, ['run', '--agent', 'demo', '--format', 'json', 'ask']);
  await run.event('question', (line) => line.event === 'question');
  const thaw = await freezeEngine(t);
  run.child.kill('SIGTERM');
  assert.equal((await run.ended()).code, 143);
  thaw();
});

test('after another Ctrl+C, nobody waits to see whether it responds', async (t) => {
  const open = (command: string, ...prompt: readonly string[]): CliProcess =>
    new CliProcess(place, [command, '--agent', 'demo', '--format', 'json', ...prompt]);
  const [run, chat] = [open('run', 'ask'), open('chat')];
  t.after(() => [run, chat].forEach(({ child }) => child.kill('SIGKILL')));
  await run.event('question', (line) => line.event === 'question');
  await chat.event('session', (line) => line.event === 'session');
  const thaw = await freezeEngine(t);
  for (const cli of [run, chat]) {
    // Signals that follow one another at once may arrive as one.
    const pressing = setInterval(() => cli.child.kill('SIGINT'), 50);
    const { code, stdout } = await cli.ended();
    clearInterval(pressing);
    // One that arrives while the program exits ends it by itself, which is 130 for a shell, too.
    const exitCode = cli.child.signalCode === 'SIGINT' ? 130 : code;
    assert.deepEqual([exitCode, stdout.includes('engine_hangs')], [130, false], stdout);
  }
  thaw();
});

test('Ctrl+C ends a chat that waits for it', { skip: noTerminal() ?? false }, async (t) => {
  const leave = await keepEngine(place);
  const thaw = await freezeEngine(t);
  const chat = new CliProcess(place, ['chat', '--agent', 'demo'], { TERM: 'xterm' }, { terminal: true });
  await chat.until('line editor', (stdout) => stdout.includes('\x1b[?2004h'));
  chat.child.stdin.write('\x03');
  const { code, stdout } = await chat.ended();
  assert.deepEqual([code, /not responding/.test(stdout)], [130, false], stdout);
  assert.ok(stdout.lastIndexOf('\x1b[?2004l') > stdout.lastIndexOf('\x1b[?2004h'), stdout);
  thaw();
  await leave();
});
