/** An agent that exits during a turn, and what a run does about it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { EventLine } from '../../src/cli/output/eventSchema.js';
import { CliProcess, eventsOf, type Place, testAgent } from './cliProcess.js';
import { placesOfOneEngine } from './engineOf.js';
import { runHere } from './runHere.js';

const makePlace = placesOfOneEngine();
let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const cannotLoad = { DIES_ONCE_CANNOT_LOAD: '1' };
const json = ['run', ...testAgent('diesOnce'), '--format', 'json'];

/** Describes each event of a run in one word. */
function courseOf(lines: readonly EventLine[]): readonly string[] {
  return lines.flatMap((line) => {
    switch (line.event) {
      case 'agent':
        return line.state === 'reconnecting' || line.state === 'failed'
          ? [`${line.state}${line.retryInMs === undefined ? '' : ' later'}`]
          : [];
      case 'session':
        return [line.how];
      case 'turn':
        return [line.phase === 'start' ? 'turn' : `end ${line.stopReason}`];
      case 'update':
        return line.update.sessionUpdate === 'agent_message_chunk' || line.update.sessionUpdate === 'user_message_chunk'
          ? [JSON.stringify(line.update['content'])]
          : [];
      case 'error':
        return [`error ${line.code}`];
      default:
        return [];
    }
  });
}
const piece = (text: string): string => JSON.stringify({ type: 'text', text });

describe('a run whose turn is interrupted', {
  skip: process.platform === 'win32' && 'a process of Windows is not ended by a signal',
}, () => {
  test('it resumes the session, resends nothing, and exits with 6', async () => {
    const { code, stdout } = await runHere(place, [...json, 'once']);
    assert.equal(code, 6);
    const lines = eventsOf(stdout);
    assert.deepEqual(courseOf(lines), [
      'new',
      'turn',
      piece('half an ans'),
      'reconnecting later',
      'error agent_exited',
      'end interrupted',
      'reconnecting',
      'loaded',
    ]);
    const lost = lines.find((line) => line.event === 'agent' && line.state === 'reconnecting');
    assert.ok(lost?.event === 'agent');
    assert.deepEqual([lost.attempt, lost.of, lost.exit], [1, 5, { code: null, signal: 'SIGKILL' }]);
    assert.match(lost.reason ?? '', /SIGKILL/);
    assert.ok((lost.retryInMs ?? 0) > 0 && (lost.retryInMs ?? 0) <= 1000);
  });

  test('with --resend, the prompt is sent once more in the same session, and nothing is reported twice', async () => {
    const { code, stdout } = await runHere(place, [...json, '--resend', 'once']);
    assert.equal(code, 0);
    assert.deepEqual(courseOf(eventsOf(stdout)).slice(5), [
      'end interrupted',
      'reconnecting',
      'loaded',
      'turn',
      piece('You said: once'),
      'end end_turn',
    ]);
  });

  test('the prompt is not sent a third time', async () => {
    const { code, stdout } = await runHere(place, [...json, '--resend', 'always']);
    assert.equal(code, 6);
    assert.equal(eventsOf(stdout).filter((line) => line.event === 'turn' && line.phase === 'start').length, 2);
  });

  test('if the agent cannot resume sessions, it says so', async () => {
    const { code, stdout, stderr } = await runHere(place, ['run', ...testAgent('diesOnce'), '--resend', 'once'], { env: cannotLoad });
    assert.equal(code, 6);
    assert.equal(stdout, 'half an ans\n');
    assert.match(stderr, /was terminated by SIGKILL\. Restarting in 1 s \(attempt 1 of 5\)/);
    assert.match(
      stderr,
      /could not be resumed: dies once doesn't support resuming earlier sessions\. To continue in a new session, use --recover context .* or --recover fresh/,
    );
  });

  test('if the agent cannot resume the session, --recover continues in a new one and resends nothing', async () => {
    const interrupted = await runHere(place, [...json, '--recover', 'context', 'once'], { env: cannotLoad });
    assert.equal(interrupted.code, 6);
    assert.deepEqual(courseOf(eventsOf(interrupted.stdout)).slice(5), ['end interrupted', 'reconnecting', 'failed', 'fresh']);
  });

  test('with --recover and --resend, the prompt is sent once more to the new session', async () => {
    const { code, stdout } = await runHere(place, [...json, '--recover', 'fresh', '--resend', 'once'], { env: cannotLoad });
    assert.equal(code, 0);
    assert.deepEqual(courseOf(eventsOf(stdout)).slice(5), [
      'end interrupted',
      'reconnecting',
      'failed',
      'fresh',
      'turn',
      piece('You said: once'),
      'end end_turn',
    ]);
  });

  test('a user is told how to continue', async () => {
    const { stderr } = await runHere(place, ['run', ...testAgent('diesOnce'), 'once']);
    assert.match(stderr, /restarted and resumed the session\n.*its prompt was not resent\. Resume the session with --continue/);
    const { code, stdout } = await runHere(place, ['run', '--continue', 'and now']);
    assert.deepEqual([code, stdout], [0, 'You said: and now\n']);
  });

  test('Ctrl+C ends it at once while it waits for the agent', async () => {
    const cli = new CliProcess(place, [...json, 'once']);
    await cli.event('loss', (line) => line.event === 'agent' && line.state === 'reconnecting');
    await cli.event('end of the turn', (line) => line.event === 'turn' && line.phase === 'end');
    cli.child.kill('SIGINT');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 130);
    assert.equal(courseOf(eventsOf(stdout)).includes('loaded'), false);
  });
});

describe('an idle agent that exits without an error', {
  skip: process.platform === 'win32' && 'a process of Windows is not ended by a signal',
}, () => {
  test('it is reported as exited, and not as a session that could not be resumed', async () => {
    const cli = new CliProcess(place, ['chat', ...testAgent('obedient'), '--format', 'json']);
    cli.writeLine({ prompt: 'leaveOn SIGUSR2' });
    await cli.event('end', (line) => line.event === 'turn' && line.phase === 'end');
    await cli.until('pid', (stdout) => /pid \d+/.test(stdout));
    process.kill(Number(/pid (\d+)/.exec(cli.stdout)?.[1]), 'SIGUSR2');
    const error = await cli.event('error', (line) => line.event === 'error');
    assert.equal(error.event === 'error' && error.message, 'obedient exited');
    cli.writeLine({ retry: 'now' });
    await cli.event('session', (line) => line.event === 'session' && line.how === 'loaded');
    cli.child.stdin.end();
    assert.equal((await cli.ended()).code, 0);
  });
});

describe('an earlier session that cannot be resumed', () => {
  const cannotLoadAtAll = { env: cannotLoad };

  test('the error says how to continue, and no new session is created silently', async () => {
    await runHere(place, ['run', ...testAgent('diesOnce'), 'before']);
    const { code, stdout, stderr } = await runHere(place, ['run', '--continue', 'heard'], cannotLoadAtAll);
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /--recover context/);
  });

  test('a conversation that was not saved is not offered as context', async () => {
    const { code, stderr } = await runHere(place, ['run', '--agent', 'demo', '--session', 'of-another-program', 'list']);
    assert.equal(code, 3);
    assert.match(stderr, /Nothing of it was saved/);
    assert.match(stderr, /To continue in a new session, use --recover fresh\n/);
  });

  test('--recover continues in a new session with or without the history', async () => {
    await runHere(place, ['run', ...testAgent('diesOnce'), 'before']);
    const told = await runHere(place, ['run', '--continue', '--recover', 'context', 'heard'], cannotLoadAtAll);
    assert.equal(told.code, 0);
    assert.match(told.stdout, /> You said: before/);
    const fresh = await runHere(place, ['run', '--continue', '--recover', 'fresh', 'heard'], cannotLoadAtAll);
    assert.deepEqual([fresh.code, fresh.stdout], [0, `${JSON.stringify([{ type: 'text', text: 'heard' }])}\n`]);
  });
});
