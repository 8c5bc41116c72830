import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CliProcess, eventsOf, isRunning, makePlace, type Place, testAgent } from './cliProcess.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const pidSaid = (stdout: string): number => Number(/pid (\d+)/.exec(stdout)?.[1] ?? 0);

describe('SIGINT', { skip: process.platform === 'win32' && 'Windows delivers no signals to a process without a console' }, () => {
  test('it cancels the turn, waits for its end and exits with 130', async () => {
    const cli = new CliProcess(place, [
      'run',
      '--agent',
      'demo',
      '--format',
      'json',
      '--permission',
      'allow',
      'run echo begun; sleep 600; touch never',
    ]);
    await cli.until('output of the command', (stdout) => stdout.includes('begun\\n'));
    cli.child.kill('SIGINT');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 130);
    const end = eventsOf(stdout).find((line) => line.event === 'turn' && line.phase === 'end');
    assert.ok(end?.event === 'turn' && end.phase === 'end');
    assert.equal(end.stopReason, 'cancelled');
    await assert.rejects(access(path.join(place.workspace, 'never')));
  });

  test('it cancels an open request', async () => {
    const cli = new CliProcess(place, ['run', '--agent', 'demo', '--format', 'json', 'ask']);
    await cli.event('question', (line) => line.event === 'question' && line.phase === 'request');
    cli.child.kill('SIGINT');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 130);
    const answer = eventsOf(stdout).find((line) => line.event === 'question' && line.phase === 'answer');
    assert.ok(answer?.event === 'question' && answer.phase === 'answer');
    assert.deepEqual([answer.outcome, answer.why], ['cancelled', 'turn_cancelled']);
  });

  test('a second one kills an agent that does not stop', async () => {
    const cli = new CliProcess(place, ['run', ...testAgent('ignoresCancel'), 'go']);
    await cli.until('the pid of the agent', (stdout) => pidSaid(stdout) > 0);
    cli.child.kill('SIGINT');
    await cli.until('a word about the second Ctrl+C', (_, stderr) => stderr.includes('Stopping'));
    cli.child.kill('SIGINT');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 130);
    assert.equal(isRunning(pidSaid(stdout)), false);
  });

  test('it ends an agent that never became ready', async () => {
    const cli = new CliProcess(place, ['run', ...testAgent('neverInitializes'), '--format', 'json', 'go']);
    await cli.event('start', (line) => line.event === 'agent' && line.state === 'starting');
    cli.child.kill('SIGINT');
    const { code, stdout } = await cli.ended();
    assert.equal(code, 130);
    assert.equal(
      eventsOf(stdout).some((line) => line.event === 'error'),
      false,
      'what was asked for is no error',
    );
  });
});

test('SIGTERM ends the agent too', { skip: process.platform === 'win32' && 'Windows has no SIGTERM' }, async () => {
  const cli = new CliProcess(place, ['run', ...testAgent('ignoresCancel'), 'go']);
  await cli.until('the pid of the agent', (stdout) => pidSaid(stdout) > 0);
  cli.child.kill('SIGTERM');
  const { code, stdout } = await cli.ended();
  assert.equal(code, 143);
  assert.equal(isRunning(pidSaid(stdout)), false);
});

test('if the reader goes away, the turn ends without output', async () => {
  const cli = new CliProcess(place, ['run', '--agent', 'demo', 'long 2000']);
  await cli.until('the first paragraph', (stdout) => stdout.includes('How an agent'));
  cli.child.stdout.destroy();
  const { code, stderr } = await cli.ended();
  assert.equal(code, 130);
  assert.doesNotMatch(stderr, /EPIPE|Error|Stopping/);
});
