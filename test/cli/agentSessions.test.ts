/** `acp-host sessions` with an agent: what began elsewhere is listed beside ours, opened, and deleted. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { sessionsLine } from '../../src/cli/output/reportSchema.js';
import { makePlace, type Place, testAgent } from './cliProcess.js';
import { runHere } from './runHere.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace({ 'a.txt': 'one\n' });
});
afterEach(() => place.remove());

const run = (...args: readonly string[]) => runHere(place, args);
const listed = async (...args: readonly string[]) =>
  sessionsLine.parse(JSON.parse((await run('sessions', '--agent', 'demo', '--format', 'json', ...args)).stdout));

describe('sessions of an agent', () => {
  test('that began elsewhere are listed with ours, opened with their history, and then ours', async () => {
    const elsewhere = ['--state', path.join(place.workspace, '..', 'elsewhere')];
    await run('run', '--agent', 'demo', ...elsewhere, 'read a.txt');
    await run('run', '--agent', 'demo', 'list');
    const { sessions, ofAgent } = await listed();
    assert.deepEqual(
      [sessions.map(({ title }) => title), ofAgent?.sessions.map(({ title, agent }) => [agent, title])],
      [['list'], [['demo', 'read a.txt']]],
    );
    assert.deepEqual([ofAgent?.incomplete, ofAgent?.unreadable], [null, 0]);
    const [other] = ofAgent?.sessions ?? [];
    assert.ok(other?.updated != null && other.cwd === place.workspace);
    const { stdout, stderr } = await run('sessions', '--agent', 'demo');
    assert.match(stdout, new RegExp(`^${other.id}  \\S+ \\S+  demo  .*\\[agent only\\] read a\\.txt$`, 'm'));
    assert.match(stdout, / {2}list$/m);
    assert.equal(stderr, '');

    assert.equal((await run('run', '--agent', 'demo', '--session', other.id, 'list')).code, 0);
    const after = await listed();
    assert.deepEqual([after.sessions.map(({ id }) => id).includes(other.id), after.ofAgent?.sessions], [true, []]);
    assert.match((await run('show', other.id)).stdout, /read a\.txt/);
  });

  test('are deleted after a question, or with --yes', async () => {
    const elsewhere = ['--state', path.join(place.workspace, '..', 'elsewhere')];
    await run('run', '--agent', 'demo', ...elsewhere, 'read a.txt');
    const [other] = (await listed()).ofAgent?.sessions ?? [];
    const id = other?.id ?? assert.fail('not listed');
    const unasked = await run('sessions', '--agent', 'demo', '--delete', id);
    assert.deepEqual([unasked.code, /asks first/.test(unasked.stderr)], [2, true]);
    const unknown = await run('sessions', '--agent', 'demo', '--delete', 'nothing', '--yes');
    assert.deepEqual([unknown.code, /has the ID "nothing"/.test(unknown.stderr)], [2, true]);
    const vague = await run('sessions', '--agent', 'demo', '--delete', id.slice(0, 8), '--yes');
    assert.deepEqual([vague.code, /has the ID/.test(vague.stderr)], [2, true]);
    const deleted = await run('sessions', '--agent', 'demo', '--delete', id, '--yes');
    assert.deepEqual([deleted.code, deleted.stderr], [0, 'acp-host: Deleted the session "read a.txt".\n']);
    assert.deepEqual((await listed('--all')).ofAgent?.sessions, []);
    assert.equal((await run('sessions', '--agent', 'demo')).stdout, 'Demo agent has no sessions in this folder.\n');
  });

  test('that are not all of them are said to be so', async () => {
    const { stdout, stderr, code } = await runHere(place, ['sessions', ...testAgent('listsSessions')], {
      env: { LIST: 'repeats' },
    });
    assert.equal(code, 0, stderr);
    assert.equal(stdout.split('\n').length, 4);
    assert.match(stderr, /repeats itself\. These are the 3 sessions until then/);
  });

  test('need an agent that has a list, and to be deleted an agent at all', async () => {
    const none = await runHere(place, ['sessions', ...testAgent('obedient')]);
    assert.equal(none.code, 3);
    assert.match(none.stderr, /doesn't list its sessions/);
    const { code, stderr } = await run('sessions', '--delete=x');
    assert.deepEqual([code, /is for the sessions of an agent/.test(stderr)], [2, true]);
  });
});
