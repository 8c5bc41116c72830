/** A conversation that stays open, driven by a program. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { EventLine } from '../../src/cli/output/eventSchema.js';
import { CliProcess, eventsOf, type Place, testAgent } from './cliProcess.js';
import { placesOfOneEngine } from './engineOf.js';
import { runHere } from './runHere.js';

const makePlace = placesOfOneEngine();
let place: Place;
beforeEach(async () => {
  place = await makePlace({ 'a.txt': 'one\n' });
});
afterEach(() => place.remove());

const demo = ['chat', '--agent', 'demo', '--format', 'json'];
const mortal = ['chat', ...testAgent('diesOnce'), '--format', 'json'];
const onSignals = { skip: process.platform === 'win32' && 'a process of Windows is not ended by a signal' };

const input = (...commands: readonly unknown[]): string => commands.map((command) => `${JSON.stringify(command)}\n`).join('');
const isEnd = (line: EventLine): boolean => line.event === 'turn' && line.phase === 'end';
const ends = (stdout: string): readonly unknown[] =>
  eventsOf(stdout).flatMap((line) => (line.event === 'turn' && line.phase === 'end' ? [line.stopReason] : []));
const said = (stdout: string): readonly string[] =>
  eventsOf(stdout).flatMap((line) => {
    if (line.event !== 'update' || line.update.sessionUpdate !== 'agent_message_chunk') return [];
    const { content } = line.update;
    return typeof content === 'object' && content !== null && 'text' in content ? [String(content.text)] : [];
  });
const errors = (stdout: string): readonly string[] => eventsOf(stdout).flatMap((line) => (line.event === 'error' ? [line.message] : []));

describe('chat --format json', () => {
  test('queued prompts are sent turn by turn in one session, and the end of stdin ends the chat', async () => {
    const { code, stdout, stderr } = await runHere(place, ['chat', ...testAgent('diesOnce'), '--format', 'json'], {
      stdin: input({ prompt: 'a' }, { prompt: 'b' }, { prompt: 'c' }),
    });
    assert.equal(code, 0);
    assert.equal(stderr, '');
    assert.deepEqual(said(stdout), ['You said: a', 'You said: b', 'You said: c']);
    const turns = eventsOf(stdout).flatMap((line) => (line.event === 'turn' ? [line.phase] : line.event === 'session' ? [line.how] : []));
    assert.deepEqual(turns, ['new', 'start', 'end', 'start', 'end', 'start', 'end']);
    assert.equal(eventsOf(stdout).at(-1)?.event, 'agent');
  });

  test('a prompt with unusual line separators is read in full', async () => {
    const prompt = 'a\u2028b\u2029c\u0085d';
    const { code, stdout } = await runHere(place, ['chat', ...testAgent('diesOnce'), '--format', 'json'], { stdin: input({ prompt }) });
    assert.deepEqual([code, said(stdout), errors(stdout)], [0, [`You said: ${prompt}`], []]);
  });

  test('without any input, it ends without output', async () => {
    const { code, stdout } = await runHere(place, demo);
    assert.equal(code, 0);
    assert.deepEqual(ends(stdout), []);
  });

  test('a command of a tool call is stopped, and its turn goes on', {
    skip: process.platform === 'win32' && 'uses a POSIX shell',
  }, async () => {
    const cli = new CliProcess(place, ['chat', ...testAgent('runsInTerminal'), '--format', 'json']);
    cli.writeLine({ prompt: 'echo started; exec sleep 600' });
    const line = await cli.event('output', (one) => one.event === 'update' && JSON.stringify(one.update).includes('started'));
    cli.writeLine({ stop: 'another' });
    await cli.event('error', (line) => line.event === 'error' && line.message === 'The command has ended');
    cli.writeLine({ stop: line.event === 'update' && line.item });
    cli.child.stdin.end();
    const { code, stdout } = await cli.ended();
    assert.deepEqual([code, ends(stdout)], [0, ['end_turn']]);
    assert.match(said(stdout).join(''), /"exit":\{"exitCode":null,"signal":"SIG/);
  });

  test('a cancel ends the running turn, and the chat continues', async () => {
    const cli = new CliProcess(place, ['chat', ...testAgent('obedient'), '--format', 'json']);
    cli.writeLine({ prompt: 'wait' });
    await cli.event('tool', (line) => line.event === 'update' && line.update.sessionUpdate === 'tool_call');
    cli.writeLine({ prompt: 'say hello' });
    cli.writeLine({ cancel: true });
    await cli.until('answer', (stdout) => stdout.includes('hello'));
    cli.writeLine({ cancel: true });
    cli.child.stdin.end();
    const { code, stdout } = await cli.ended();
    assert.deepEqual([code, ends(stdout)], [0, ['cancelled', 'end_turn']]);
  });

  test('a cancel sent together with a prompt cancels that prompt', async () => {
    const { code, stdout } = await runHere(place, ['chat', ...testAgent('obedient'), '--format', 'json'], {
      stdin: input({ prompt: 'wait' }, { prompt: 'say hello' }, { cancel: true }),
    });
    assert.deepEqual([code, ends(stdout), said(stdout)], [0, ['cancelled', 'end_turn'], ['hello']]);
  });

  test('answers are accepted between commands', async () => {
    const cli = new CliProcess(place, demo);
    cli.writeLine({ prompt: 'edit a.txt one => two' });
    const asked = await cli.event('permission', (line) => line.event === 'permission');
    assert.ok(asked.event === 'permission');
    cli.writeLine({ permission: asked.id, optionId: 'allow_once' });
    await cli.event('end', isEnd);
    cli.child.stdin.end();
    assert.equal((await cli.ended()).code, 0);
    assert.equal(await readFile(path.join(place.workspace, 'a.txt'), 'utf8'), 'two\n');
  });

  test('invalid input is reported, and the chat continues', async () => {
    const { code, stdout } = await runHere(place, demo, {
      stdin: `nonsense\n${input({ prompt: ' ' }, { resend: true }, { skip: true }, { recover: 'never' }, { prompt: 'list' })}`,
    });
    assert.equal(code, 0);
    assert.deepEqual(
      errors(stdout).map((message) => message.split(':')[0]),
      [
        'Unrecognized input line',
        'The prompt is empty',
        'No turn was interrupted, so there is nothing to resend or skip',
        'No turn was interrupted, so there is nothing to resend or skip',
        'Unrecognized input line',
      ],
    );
    assert.deepEqual(ends(stdout), ['end_turn']);
  });

  test('the first line may begin with a byte order mark, as PowerShell pipes it', async () => {
    const { stdout } = await runHere(place, demo, { stdin: `\uFEFF${input({ prompt: 'list' })}` });
    assert.deepEqual([errors(stdout), ends(stdout)], [[], ['end_turn']]);
  });

  test('it ends with the exit code of its last turn', async () => {
    assert.equal((await runHere(place, demo, { stdin: input({ prompt: 'fail limit' }) })).code, 5);
    assert.equal((await runHere(place, demo, { stdin: input({ prompt: 'fail limit' }, { prompt: 'list' }) })).code, 0);
  });

  test('a prompt that failed for want of a sign-in is sent again after it, once, and what follows waits for it', async () => {
    const cli = new CliProcess(place, ['chat', ...testAgent('expiresInBetween'), '--format', 'json'], { EXPIRES_AT: 'session/prompt' });
    cli.writeLine({ prompt: 'one' });
    await cli.event('the failure', (line) => line.event === 'turn' && line.phase === 'end' && line.outcome === 'failed');
    cli.writeLine({ signIn: true });
    cli.writeLine({ prompt: 'two' });
    cli.child.stdin.end();
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0);
    assert.deepEqual(ends(stdout), [undefined, 'end_turn', 'end_turn']);
    assert.equal(said(stdout).join(' '), 'half  one two');
  });

  test('an option that needs a sign-in is set after it, before the prompt that follows', async () => {
    const cli = new CliProcess(place, ['chat', ...testAgent('expiresInBetween'), '--format', 'json'], { EXPIRES_AT: 'session/set_mode' });
    cli.writeLine({ option: 'mode', value: 'plan' });
    cli.writeLine({ prompt: 'one' });
    await cli.event('the failure', (line) => line.event === 'error');
    cli.writeLine({ signIn: 'browser' });
    cli.child.stdin.end();
    const { code, stdout } = await cli.ended();
    assert.deepEqual([code, said(stdout)], [0, ['one']]);
    const [mode, answer] = ['current_mode_update', 'agent_message_chunk'].map((kind) => stdout.lastIndexOf(kind));
    assert.ok(mode !== undefined && answer !== undefined && mode >= 0 && mode < answer);
  });

  test('without a sign-in, the exit code says so, and nothing overtakes the prompt', async () => {
    const { code, stdout } = await runHere(place, demo, { stdin: input({ prompt: 'fail auth' }, { prompt: 'list' }) });
    const outcomes = eventsOf(stdout).flatMap((line) => (line.event === 'turn' && line.phase === 'end' ? [line.outcome] : []));
    assert.deepEqual([code, new Set(outcomes)], [4, new Set(['failed'])]);
  });

  test('a cancel also stops a prompt that waits for an option', async () => {
    const { code, stdout } = await runHere(place, ['chat', ...testAgent('obedient'), '--format', 'json'], {
      stdin: input({ option: 'mode', value: 'free' }, { prompt: 'wait' }, { cancel: true }),
    });
    assert.deepEqual([code, ends(stdout)], [0, ['cancelled']]);
  });

  test('a prompt is not sent if the option before it could not be set', async () => {
    const { stdout } = await runHere(place, ['chat', ...testAgent('obedient'), '--format', 'json'], {
      stdin: input({ option: 'mode', value: 'no-such-mode' }, { prompt: 'say hello' }),
    });
    assert.deepEqual([ends(stdout), said(stdout)], [[], []]);
    assert.match(errors(stdout).join(), /not sent.*say hello/);
  });

  test('SIGINT cancels the turn, and a second one exits', onSignals, async () => {
    const cli = new CliProcess(place, demo);
    cli.writeLine({ prompt: 'ask' });
    await cli.event('question', (line) => line.event === 'question');
    cli.child.kill('SIGINT');
    await cli.event('end', isEnd);
    cli.child.kill('SIGINT');
    const { code, stdout } = await cli.ended();
    assert.deepEqual([code, ends(stdout), errors(stdout)], [130, ['cancelled'], []]);
  });
});

describe('a chat whose agent crashes', onSignals, () => {
  test('the queue is held until resend, and nothing is reported twice', async () => {
    const cli = new CliProcess(place, mortal);
    for (const prompt of ['first', 'once', 'last']) cli.writeLine({ prompt });
    await cli.event('loss', (line) => line.event === 'agent' && line.state === 'reconnecting');
    cli.writeLine({ retry: 'now' });
    await cli.event('session', (line) => line.event === 'session' && line.how === 'loaded');
    cli.writeLine({ resend: true });
    cli.child.stdin.end();
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0);
    assert.deepEqual(ends(stdout), ['end_turn', 'interrupted', 'end_turn', 'end_turn']);
    assert.deepEqual(said(stdout), ['You said: first', 'half an ans', 'You said: once', 'You said: last']);
  });

  test('resend sends an interrupted prompt once, and the delay before the restart is reported', async () => {
    const cli = new CliProcess(place, mortal);
    cli.writeLine({ prompt: 'once' });
    await cli.event('end', isEnd);
    for (const command of [{ resend: true }, { resend: true }, { prompt: 'last' }]) cli.writeLine(command);
    cli.child.stdin.end();
    const { stdout } = await cli.ended();
    assert.deepEqual(said(stdout), ['half an ans', 'You said: once', 'You said: last']);
    assert.match(errors(stdout)[1] ?? '', /nothing to resend/);
    const attempts = eventsOf(stdout).filter((line) => line.event === 'agent' && line.state === 'reconnecting');
    assert.equal(attempts.length, 2, 'the delay, then the start');
  });

  test('skip drops the interrupted prompt', async () => {
    const cli = new CliProcess(place, mortal);
    cli.writeLine({ prompt: 'once' });
    cli.writeLine({ prompt: 'last' });
    await cli.event('end', isEnd);
    cli.writeLine({ skip: true });
    await cli.until('the answer to the queued one', (stdout) => stdout.includes('You said: last'));
    cli.child.stdin.end();
    const { stdout } = await cli.ended();
    assert.deepEqual(said(stdout), ['half an ans', 'You said: last']);
  });

  test('the end of stdin counts as skip', async () => {
    const { code, stdout } = await runHere(place, mortal, { stdin: input({ prompt: 'once' }, { prompt: 'last' }) });
    assert.equal(code, 0);
    assert.deepEqual(said(stdout), ['half an ans', 'You said: last']);
  });

  test('a crash between two turns is reported once the agent is back, and the next prompt is sent to it', async () => {
    const cli = new CliProcess(place, mortal);
    cli.writeLine({ prompt: 'pid' });
    await cli.event('end', isEnd);
    await cli.until('pid', (stdout) => /pid \d+/.test(stdout));
    process.kill(Number(/pid (\d+)/.exec(cli.stdout)?.[1]), 'SIGKILL');
    await cli.event('loss', (line) => line.event === 'agent' && line.state === 'reconnecting');
    cli.writeLine({ prompt: 'still there?' });
    cli.child.stdin.end();
    const { code, stdout } = await cli.ended();
    assert.equal(code, 0);
    assert.equal(said(stdout).at(-1), 'You said: still there?');
    assert.deepEqual(errors(stdout), []);
  });

  test('a crash before the first message creates a new session with the same options and sends the next prompt', async () => {
    const cli = new CliProcess(place, ['chat', ...testAgent('obedient'), '--mode', 'free', '--format', 'json'], {
      OBEDIENT_UNIQUE_IDS: '1',
    });
    const sessions = (): readonly string[] => eventsOf(cli.stdout).flatMap((line) => (line.event === 'session' ? [line.sessionId] : []));
    await cli.event('session', (line) => line.event === 'session');
    process.kill(Number(/^s(\d+)/.exec(sessions()[0] ?? '')?.[1]), 'SIGKILL');
    await cli.event('loss', (line) => line.event === 'agent' && line.state === 'reconnecting');
    cli.writeLine({ retry: 'now' });
    cli.writeLine({ prompt: 'say hello' });
    cli.child.stdin.end();
    const { code, stdout } = await cli.ended();
    assert.deepEqual([code, ends(stdout), said(stdout), errors(stdout)], [0, ['end_turn'], ['hello'], []]);
    assert.equal(new Set(sessions()).size, 2);
    const modes = eventsOf(stdout).filter((line) => line.event === 'update' && line.update.sessionUpdate === 'current_mode_update');
    assert.equal(modes.length, 2);
  });
});

describe('a chat whose session cannot be resumed', onSignals, () => {
  const cannotLoad = { DIES_ONCE_CANNOT_LOAD: '1' };
  const recoveryOf = async (cli: CliProcess): Promise<Extract<EventLine, { event: 'recovery' }>> => {
    const line = await cli.event('recovery', ({ event }) => event === 'recovery');
    assert.ok(line.event === 'recovery');
    return line;
  };
  const hows = (stdout: string): readonly string[] => eventsOf(stdout).flatMap((line) => (line.event === 'session' ? [line.how] : []));

  test('the choices and the available context are reported', async () => {
    const cli = new CliProcess(place, mortal, cannotLoad);
    cli.writeLine({ prompt: 'once' });
    const { sessionId, code, reason, choices, context } = await recoveryOf(cli);
    assert.deepEqual(
      [sessionId, code, choices, context?.turns, context?.omittedTurns, context?.length],
      ['s1', 'unsupported', ['context', 'fresh'], 1, 0, context?.text.length],
    );
    assert.match(reason, /could not be resumed: dies once doesn't support resuming earlier sessions/);
    assert.match(context?.text ?? '', /The user:\n> once\n\nThe agent:\n> half an ans\n\n- The turn was interrupted here: [^\n_]+\n/);
    cli.child.stdin.end();
    const ended = await cli.ended();
    assert.equal(ended.code, 6);
    assert.match(errors(ended.stdout).at(-1) ?? '', /nobody chose how to continue/);
  });

  test('continue_with_context sends the history to a new session once, before the next prompt', async () => {
    const cli = new CliProcess(place, mortal, cannotLoad);
    cli.writeLine({ prompt: 'once' });
    cli.writeLine({ prompt: 'heard' });
    cli.writeLine({ prompt: 'heard' });
    await recoveryOf(cli);
    cli.writeLine({ recover: 'context' });
    const fresh = await cli.event('fresh session', (line) => line.event === 'session' && line.how === 'fresh');
    assert.ok(fresh.event === 'session' && fresh.continues === 's1');
    cli.writeLine({ skip: true });
    await cli.until('both answers', (stdout) => ends(stdout.slice(0, stdout.lastIndexOf('\n') + 1)).length === 3);
    cli.child.stdin.end();
    const { code, stdout } = await cli.ended();
    const [, first = '', second = ''] = said(stdout);
    assert.equal(code, 0);
    assert.match(first, /acp-host:conversation\/s1[^]*> half an ans[^]*"heard"/);
    assert.equal(second, JSON.stringify([{ type: 'text', text: 'heard' }]));
  });

  test('a prompt before the choice is queued, and the agent is not asked to resume again', async () => {
    const cli = new CliProcess(place, mortal, cannotLoad);
    cli.writeLine({ prompt: 'once' });
    await recoveryOf(cli);
    cli.writeLine({ prompt: 'heard' });
    cli.writeLine({ recover: 'fresh' });
    await cli.event('fresh session', (line) => line.event === 'session' && line.how === 'fresh');
    cli.writeLine({ skip: true });
    cli.child.stdin.end();
    const { code, stdout } = await cli.ended();
    assert.equal(eventsOf(stdout).filter(({ event }) => event === 'recovery').length, 1);
    assert.deepEqual([code, said(stdout).at(-1)], [0, JSON.stringify([{ type: 'text', text: 'heard' }])]);
  });

  test('start_fresh allows editing and resending the interrupted prompt', async () => {
    const cli = new CliProcess(place, mortal, cannotLoad);
    cli.writeLine({ prompt: 'once' });
    await recoveryOf(cli);
    cli.writeLine({ recover: 'fresh' });
    cli.writeLine({ resend: 'heard' });
    await cli.event('fresh session', (line) => line.event === 'session' && line.how === 'fresh');
    cli.child.stdin.end();
    const { code, stdout } = await cli.ended();
    assert.deepEqual(
      [code, hows(stdout), said(stdout)],
      [0, ['new', 'fresh'], ['half an ans', JSON.stringify([{ type: 'text', text: 'heard' }])]],
    );
  });

  test('--recover decides, also for a session of an earlier run', async () => {
    assert.equal((await runHere(place, [...mortal], { stdin: input({ prompt: 'before' }) })).code, 0);
    const { code, stdout } = await runHere(place, ['chat', '--continue', '--recover', 'context', '--format', 'json'], {
      stdin: input({ prompt: 'heard' }),
      env: cannotLoad,
    });
    assert.deepEqual([code, hows(stdout)], [0, ['fresh']]);
    assert.match(said(stdout)[0] ?? '', /> You said: before/);
  });

  test('recover has no effect while the session is open', async () => {
    const cli = new CliProcess(place, demo);
    await cli.event('session', (line) => line.event === 'session');
    cli.writeLine({ recover: 'fresh' });
    cli.child.stdin.end();
    assert.deepEqual(errors((await cli.ended()).stdout), ['The session is open, so there is nothing to recover']);
  });
});

describe('a chat whose agent is not restarted automatically', onSignals, () => {
  const failed = (line: EventLine): boolean => line.event === 'agent' && (line.state === 'failed' || line.state === 'stopped');

  test('the chat continues, reports the reason, and restarts the agent on request', async () => {
    const cli = new CliProcess(place, ['chat', ...testAgent('obedient'), '--format', 'json']);
    cli.writeLine({ prompt: 'dieTwice' });
    await cli.event('end of the agent', failed);
    await cli.until('words', (stdout) => stdout.includes('could not be resumed: obedient exited'));
    cli.writeLine({ retry: 'now' });
    await cli.event('session', (line) => line.event === 'session' && line.how === 'loaded');
    cli.writeLine({ resend: 'say hello' });
    cli.child.stdin.end();
    const { code, stdout } = await cli.ended();
    assert.deepEqual([code, ends(stdout), said(stdout).at(-1)], [0, ['interrupted', 'end_turn'], 'hello']);
  });

  test('without a request it ends with 6', async () => {
    const { code, stdout } = await runHere(place, ['chat', ...testAgent('obedient'), '--format', 'json'], {
      stdin: input({ prompt: 'dieTwice' }, { prompt: 'say never' }),
    });
    assert.equal(code, 6);
    assert.match(errors(stdout).at(-1) ?? '', /nobody restarted the agent/);
    assert.equal(said(stdout).includes('never'), false);
  });
});
