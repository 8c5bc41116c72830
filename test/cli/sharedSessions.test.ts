/** Several command lines at once with the same folder of sessions. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test, type TestContext } from 'node:test';
import { sessionsLine, type SessionsLine, showLine } from '../../src/cli/output/reportSchema.js';
import { CliProcess, eventsOf, makePlace, noTerminal, type Place, runCli, testAgent } from './cliProcess.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const agent = testAgent('obedient');
const chat = ['chat', ...agent, '--format', 'json'];
const sessions = async (): Promise<SessionsLine['sessions']> =>
  sessionsLine.parse(JSON.parse((await runCli(place, ['sessions', '--format', 'json'])).stdout)).sessions;
const endings = (stdout: string): readonly unknown[] =>
  eventsOf(stdout).flatMap((line) => (line.event === 'turn' && line.phase === 'end' ? [line.stopReason] : []));

describe('a session that another command line works in', () => {
  test('is listed as running, and is not taken over unless that is asked for', async () => {
    const other = new CliProcess(place, chat);
    other.writeLine({ prompt: 'wait' });
    await other.event('tool', (line) => line.event === 'update' && line.update.sessionUpdate === 'tool_call');
    assert.deepEqual(
      (await sessions()).map(({ title, state, openIn }) => [title, state, openIn]),
      [['wait', 'running', 'terminal']],
    );
    assert.match((await runCli(place, ['sessions'])).stdout, / {2}\[running in a terminal\] wait\n$/);
    const refused = await runCli(place, ['run', ...agent, '--continue', '--format', 'json', 'say two']);
    assert.equal(refused.code, 2);
    assert.match(refused.stdout, /"event":"error".*still working on this conversation in a terminal.*--take-over/);
    const taken = await runCli(place, ['run', ...agent, '--continue', '--take-over', '--format', 'json', 'say two']);
    assert.deepEqual([taken.code, endings(taken.stdout)], [0, ['end_turn']]);
    await other.event('error', (line) => line.event === 'error' && line.message.includes('continues in a terminal'));
    assert.deepEqual(endings(other.stdout), ['cancelled']);
    other.child.stdin.end();
    await other.ended();
    const [saved] = await sessions();
    const shown = showLine.parse(JSON.parse((await runCli(place, ['show', saved?.id ?? '', '--format', 'json'])).stdout));
    assert.deepEqual(
      shown.items.flatMap((item) => (item.type === 'prompt' ? [item.text] : item.type === 'end' ? [item.outcome] : [])),
      ['wait', 'ended', 'say two', 'ended'],
    );
  });

  test('goes from one to the other and back where nothing runs in it', async () => {
    const other = new CliProcess(place, chat);
    other.writeLine({ prompt: 'say one' });
    await other.event('end', (line) => line.event === 'turn' && line.phase === 'end');
    const [saved] = await sessions();
    assert.deepEqual([saved?.state, saved?.openIn], ['idle', 'terminal']);
    const here = await runCli(place, ['run', ...agent, '--session', saved?.id ?? '', '--format', 'json', 'say two']);
    assert.deepEqual([here.code, endings(here.stdout)], [0, ['end_turn']]);
    other.writeLine({ retry: 'now' });
    other.writeLine({ prompt: 'say three' });
    await other.until('answer', (stdout) => stdout.includes('"text":"three"'));
    other.child.stdin.end();
    assert.equal((await other.ended()).code, 0);
  });

  test('is told to the one that was suspended when it wakes up, which goes on with it all the same', async (t) => {
    const other = new CliProcess(place, chat);
    t.after(() => other.child.kill('SIGKILL'));
    other.writeLine({ prompt: 'say one' });
    await other.event('end', (line) => line.event === 'turn' && line.phase === 'end');
    const [idle] = await sessions();
    assert.deepEqual([idle?.state, idle?.openIn], ['idle', 'terminal']);
    other.child.kill('SIGSTOP');
    const here = await runCli(place, ['run', ...agent, '--continue', '--format', 'json', 'say two']);
    assert.deepEqual([here.code, endings(here.stdout)], [0, ['end_turn']]);
    other.child.kill('SIGCONT');
    await other.event(
      'error',
      (line) => line.event === 'error' && /did not respond for a while, so .* in another process/.test(line.message),
    );
    other.writeLine({ retry: 'now' });
    other.writeLine({ prompt: 'say three' });
    await other.until('answer', (stdout) => stdout.includes('"text":"three"'));
    other.child.stdin.end();
    assert.equal((await other.ended()).code, 0);
    const [saved] = await sessions();
    const shown = showLine.parse(JSON.parse((await runCli(place, ['show', saved?.id ?? '', '--format', 'json'])).stdout));
    assert.deepEqual(
      shown.items.flatMap((item) => (item.type === 'prompt' ? [item.text] : item.type === 'end' ? [item.outcome] : [])),
      ['say one', 'ended', 'say two', 'ended', 'say three', 'ended'],
    );
  });

  test('is listed as interrupted, and is free, once that one was killed', async () => {
    const other = new CliProcess(place, chat);
    other.writeLine({ prompt: 'wait' });
    await other.event('tool', (line) => line.event === 'update' && line.update.sessionUpdate === 'tool_call');
    other.child.kill('SIGKILL');
    await other.ended();
    const [saved] = await sessions();
    assert.deepEqual([saved?.state, saved?.openIn], ['interrupted', undefined]);
    assert.equal((await runCli(place, ['run', ...agent, '--continue', 'say two'])).code, 0);
  });
});

describe('at a terminal, a turn that runs in another one', { skip: noTerminal() ?? false }, () => {
  const question = 'The agent is working on this conversation in another terminal. Stop it and continue here? [y/N] ';
  const isAsked = (text: string): boolean => text.endsWith(question);

  /** A command line that works in a conversation, and one at a terminal that is asked about it. */
  async function both(t: TestContext, ...args: readonly string[]): Promise<{ readonly other: CliProcess; readonly cli: CliProcess }> {
    const other = new CliProcess(place, chat);
    t.after(() => other.child.kill());
    other.writeLine({ prompt: 'wait' });
    await other.event('tool', (line) => line.event === 'update' && line.update.sessionUpdate === 'tool_call');
    return { other, cli: new CliProcess(place, args, { TERM: 'xterm', NO_COLOR: '1' }, { terminal: true }) };
  }

  /** It runs on, and ends when it is told to. */
  async function wasLeftAlone(other: CliProcess): Promise<void> {
    assert.deepEqual(endings(other.stdout), []);
    other.writeLine({ cancel: true });
    await other.event('end', (line) => line.event === 'turn' && line.phase === 'end');
    other.child.stdin.end();
    assert.equal((await other.ended()).code, 0);
  }

  for (const yes of ['y', 'YES'])
    test(`is stopped for ${yes}, and the conversation continues here`, async (t) => {
      const { other, cli } = await both(t, 'run', ...agent, '--continue', 'say two');
      await cli.until('question', isAsked);
      cli.child.stdin.write(`${yes}\r`);
      const { code, stdout } = await cli.ended();
      assert.equal(code, 0, stdout);
      assert.match(stdout, /two\r\n/);
      await other.event('error', (line) => line.event === 'error' && line.message.includes('continues in a terminal'));
      assert.deepEqual(endings(other.stdout), ['cancelled']);
      other.child.stdin.end();
      await other.ended();
    });

  for (const [name, no] of [
    ['Enter alone', '\r'],
    ['another word', 'why\r'],
    ['Ctrl+D', '\x04'],
  ] as const)
    test(`runs on after ${name}, and the way to stop it is named`, async (t) => {
      const { other, cli } = await both(t, 'run', ...agent, '--continue', 'say two');
      await cli.until('question', isAsked);
      cli.child.stdin.write(no);
      const { code, stdout } = await cli.ended();
      assert.equal(code, 2, stdout);
      assert.match(stdout, /still working on this conversation in a terminal.*--take-over/);
      await wasLeftAlone(other);
    });

  test('runs on after Ctrl+C', async (t) => {
    const { other, cli } = await both(t, 'run', ...agent, '--continue', 'say two');
    await cli.until('question', isAsked);
    cli.child.stdin.write('\x03');
    await cli.ended();
    await wasLeftAlone(other);
  });

  test('is not stopped by what was typed before the question', async (t) => {
    const { other, cli } = await both(t, 'run', ...agent, '--continue', 'say two');
    cli.child.stdin.write('y\ry');
    await cli.until('question', isAsked);
    cli.child.stdin.write('\r');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 2, stdout);
    await wasLeftAlone(other);
  });

  test('a chat asks, too, and takes prompts after it', async (t) => {
    const { other, cli } = await both(t, 'chat', ...agent, '--continue');
    await cli.until('question', isAsked);
    cli.child.stdin.write('y\r');
    await cli.until('line', (text) => /> (?:\x1b\[3G)?$/.test(text));
    cli.child.stdin.write('say two\r');
    await cli.until('answer', (text) => /say two\r+\n[^]*two\r+\n[^]*> (?:\x1b\[3G)?$/.test(text));
    cli.child.stdin.write('\x04');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0, stdout);
    other.child.stdin.end();
    await other.ended();
  });

  test('nobody is asked with --take-over', async (t) => {
    const { other, cli } = await both(t, 'run', ...agent, '--continue', '--take-over', 'say two');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0, stdout);
    assert.doesNotMatch(stdout, /\[y\/N\]/);
    other.child.stdin.end();
    await other.ended();
  });
});
