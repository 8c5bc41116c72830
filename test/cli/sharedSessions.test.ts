/** Several command lines at once with the same folder of sessions. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test, type TestContext } from 'node:test';
import { nullLogger } from '../../src/core/base/logger.js';
import { Redactor } from '../../src/core/base/redact.js';
import { ConversationStore } from '../../src/core/store/conversationStore.js';
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

describe('a session in use by another command line', () => {
  test('it is listed as running, and only taken over on request', async () => {
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

  test('its ID alone resumes it with the agent of the session', async () => {
    assert.equal((await runCli(place, ['run', ...agent, '--format', 'json', 'say one'])).code, 0);
    const [saved] = await sessions();
    const resumed = await runCli(place, ['run', '--session', saved?.id ?? '', '--format', 'json', 'say two']);
    assert.deepEqual([resumed.code, endings(resumed.stdout)], [0, ['end_turn']]);
    assert.deepEqual(
      (await sessions()).map(({ id }) => id),
      [saved?.id],
    );
  });

  test('without a running turn, it can be taken over in both directions', async () => {
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

  test('a suspended process learns about a takeover when it resumes, and can continue the session', async (t) => {
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

  test('a suspended run whose conversation was taken over says that its answer was not saved, and fails', async (t) => {
    const other = new CliProcess(place, ['run', ...agent, '--format', 'json', 'wait']);
    t.after(() => other.child.kill('SIGKILL'));
    await other.event('tool', (line) => line.event === 'update' && line.update.sessionUpdate === 'tool_call');
    other.child.kill('SIGSTOP');
    const here = await runCli(place, ['run', ...agent, '--continue', '--take-over', '--format', 'json', 'say two']);
    assert.deepEqual([here.code, endings(here.stdout)], [0, ['end_turn']]);
    other.child.kill('SIGCONT');
    const { code, stdout } = await other.ended();
    assert.equal(code, 1);
    assert.match(stdout, /did not respond for a while, so the conversation was continued in another process\. What the agent said here/);
  });

  test('after that process was killed, it is listed as interrupted and is free', async () => {
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

describe('a conversation of the editor without messages', () => {
  test('it is listed in order with its title or its unsent text', async (t) => {
    assert.equal((await runCli(place, ['run', ...agent, 'say one'])).code, 0);
    const { ACP_HOST_STATE: folder = '' } = place.env;
    const editor = new ConversationStore({ stateFolder: folder, program: 'editor', redactor: new Redactor(), log: nullLogger });
    t.after(() => editor.dispose());
    editor.writeDraft('draft', place.workspace, 'half a\nthought');
    editor.writeDraft('blank', place.workspace, ' ');
    editor.change('pinned', place.workspace, { isPinned: true });
    editor.change('named', place.workspace, { title: 'Mine' });
    const { stdout } = await runCli(place, ['sessions']);
    const [session, ...unsent] = stdout.trimEnd().split('\n').toReversed();
    const [draft, named, ...rest] = unsent.toSorted((a, b) => Number(a.endsWith('Mine')) - Number(b.endsWith('Mine')));
    assert.match(named ?? '', /^- .* {2}- +\S+ {2}\[not sent\] Mine$/);
    assert.match(draft ?? '', /^- +\d{4}-\d\d-\d\d \d\d:\d\d {2}- +\S+ {2}\[not sent\] half a thought$/);
    assert.match(session ?? '', / say one$/);
    assert.deepEqual(rest, []);
    const line = sessionsLine.parse(JSON.parse((await runCli(place, ['sessions', '--format', 'json'])).stdout));
    assert.deepEqual(
      line.sessions.map(({ title }) => title),
      ['say one'],
    );
    assert.deepEqual(line.unsent.map(({ cwd, title }) => [cwd, title]).toSorted(), [
      [place.workspace, 'Mine'],
      [place.workspace, 'half a thought'],
    ]);
    assert.ok(Date.parse(line.unsent[0]?.created ?? '') >= Date.parse(line.sessions[0]?.created ?? ''));
  });
});

describe('a turn that runs in another terminal', { skip: noTerminal() ?? false }, () => {
  const question = 'The agent is working on this conversation in another terminal. Stop it and continue here? [y/N] ';
  const isAsked = (text: string): boolean => text.endsWith(question);

  /** A command line that is using a conversation, and another one whose user is asked about that. */
  async function both(t: TestContext, ...args: readonly string[]): Promise<{ readonly other: CliProcess; readonly cli: CliProcess }> {
    const other = new CliProcess(place, chat);
    t.after(() => other.child.kill());
    other.writeLine({ prompt: 'wait' });
    await other.event('tool', (line) => line.event === 'update' && line.update.sessionUpdate === 'tool_call');
    return { other, cli: new CliProcess(place, args, { TERM: 'xterm', NO_COLOR: '1' }, { terminal: true }) };
  }

  /** Checks that its turn continues, and ends on request. */
  async function wasLeftAlone(other: CliProcess): Promise<void> {
    assert.deepEqual(endings(other.stdout), []);
    other.writeLine({ cancel: true });
    await other.event('end', (line) => line.event === 'turn' && line.phase === 'end');
    other.child.stdin.end();
    assert.equal((await other.ended()).code, 0);
  }

  for (const yes of ['y', 'YES'])
    test(`${yes} stops it, and the conversation continues here`, async (t) => {
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
    test(`${name} lets it continue, and the way to stop it is shown`, async (t) => {
      const { other, cli } = await both(t, 'run', ...agent, '--continue', 'say two');
      await cli.until('question', isAsked);
      cli.child.stdin.write(no);
      const { code, stdout } = await cli.ended();
      assert.equal(code, 2, stdout);
      assert.match(stdout, /still working on this conversation in a terminal.*--take-over/);
      await wasLeftAlone(other);
    });

  test('Ctrl+C lets it continue', async (t) => {
    const { other, cli } = await both(t, 'run', ...agent, '--continue', 'say two');
    await cli.until('question', isAsked);
    cli.child.stdin.write('\x03');
    await cli.ended();
    await wasLeftAlone(other);
  });

  test('input typed before the question does not stop it', async (t) => {
    const { other, cli } = await both(t, 'run', ...agent, '--continue', 'say two');
    cli.child.stdin.write('y\ry');
    await cli.until('question', isAsked);
    cli.child.stdin.write('\r');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 2, stdout);
    await wasLeftAlone(other);
  });

  test('a chat asks too, and accepts prompts afterwards', async (t) => {
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

  test('a program gets an error and no question, also in a terminal', async (t) => {
    const { other, cli } = await both(t, 'run', ...agent, '--continue', '--format', 'json', 'say two');
    await cli.until('question or error', (text) => /\[y\/N\]|--take-over/.test(text));
    assert.doesNotMatch(cli.stdout, /\[y\/N\]/);
    assert.equal((await cli.ended()).code, 2);
    await wasLeftAlone(other);
  });

  test('with --take-over, there is no question', async (t) => {
    const { other, cli } = await both(t, 'run', ...agent, '--continue', '--take-over', 'say two');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0, stdout);
    assert.doesNotMatch(stdout, /\[y\/N\]/);
    other.child.stdin.end();
    await other.ended();
  });
});
