/** Several command lines at once on one folder of sessions. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { sessionsLine, type SessionsLine, showLine } from '../../src/cli/output/reportSchema.js';
import { CliProcess, eventsOf, makePlace, type Place, runCli, testAgent } from './cliProcess.js';

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
