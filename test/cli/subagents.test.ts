/** Sub-agents on the command line, with the demo agent. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { eventsOf, makePlace, type Place } from './cliProcess.js';
import { runHere } from './runHere.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace({});
});
afterEach(() => place.remove());

const run = (...args: readonly string[]) => runHere(place, ['run', ...args, '--agent', 'demo', 'delegate run echo hello']);

describe('sub-agents', () => {
  test('as text, each line of one begins with its name', async () => {
    const { stdout, stderr } = await run('--permission', 'allow');
    assert.match(stdout, /The sub-agent is done\.\n$/);
    assert.doesNotMatch(stdout, /exited with code/);
    assert.match(stderr, /^run │ started: Run a command in the workspace/m);
    assert.match(stderr, /^run │ .*echo hello/m);
    assert.match(stderr, /^run │ `echo hello` exited with code 0\.$/m);
    assert.match(stderr, /^run │ done · \d+ s · 1 tool$/m);
  });

  test('as JSON, what it is told, says, does and asks has its ID', async () => {
    const { stdout } = await run('--permission', 'allow', '--format', 'json');
    const events = eventsOf(stdout);
    const updates = events.flatMap((event) => (event.event === 'update' ? [event] : []));
    const id = updates.find(({ update }) => update.sessionUpdate === 'subagent_update')?.update['sessionId'];
    const inside = updates.filter(({ subagent }) => subagent === id).map(({ update }) => update.sessionUpdate);
    assert.deepEqual([...new Set(inside)].sort(), ['agent_message_chunk', 'tool_call', 'tool_call_update', 'user_message_chunk']);
    const tellsNothing = ({ update }: (typeof updates)[number]): boolean =>
      update.sessionUpdate === 'subagent_update' && Object.keys(update).length === 2;
    assert.deepEqual(updates.filter(tellsNothing), []);
    const asked = events.flatMap((event) => (event.event === 'permission' && event.phase === 'request' ? [event.subagent] : []));
    assert.deepEqual(asked, [{ id, name: 'run' }]);
  });

  test('a saved conversation has them', async () => {
    const { stdout: lines } = await run('--permission', 'allow', '--format', 'json');
    const id = /"event":"session"[^\n]*"sessionId":"([^"]+)"/.exec(lines)?.[1] ?? assert.fail(lines);
    const { stdout } = await runHere(place, ['show', id]);
    assert.match(stdout, /Sub-agent · run: Run a command in the workspace, after asking \(1 tool\)/);
    assert.match(stdout, /^ {2}│ ✓ echo hello$/m);
  });
});
