/** Sessions that outlive the process, cancels at every step, and every kind of end. */
import assert from 'node:assert/strict';
import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { listProcesses } from '../../scripts/processes.mjs';
import { DemoClient, type DemoPlace, makeDemoPlace, textOf } from './demoClient.js';

let place: DemoPlace;
let demo: DemoClient;
let id: string;
beforeEach(async () => {
  place = await makeDemoPlace();
  demo = await DemoClient.start(place.state);
  id = (await demo.newSession(place.workspace)).sessionId;
});
afterEach(async () => {
  await demo.end();
  await place.remove();
});

async function restart(): Promise<void> {
  await demo.end();
  demo = await DemoClient.start(place.state);
}

describe('a session in a new process', () => {
  test('is replayed unchanged before the response', async () => {
    demo.permit = () => 'allow_once';
    await demo.turn(id, 'edit a.txt two => 2');
    await demo.setMode(id, 'read-only');
    const before = textOf(demo.updates);
    await restart();
    const loaded = await demo.loadSession(id, place.workspace);
    assert.equal(loaded.modes?.currentModeId, 'read-only');
    assert.equal(textOf(demo.updates, 'user_message_chunk'), 'edit a.txt two => 2');
    assert.equal(textOf(demo.updates), before);
    const call = demo.updates.find((update) => update.sessionUpdate === 'tool_call');
    assert.deepEqual(call?.sessionUpdate === 'tool_call' && [call.status, call.content?.[0]?.type], ['completed', 'diff']);
    assert.doesNotMatch((await demo.turn(id, 'list')).said, /I am the demo agent/);
  });

  test('does not remember "always"', async () => {
    demo.permit = () => 'allow_always';
    await demo.turn(id, 'edit a.txt');
    await restart();
    await demo.loadSession(id, place.workspace);
    await demo.turn(id, 'edit a.txt');
    assert.equal(demo.permissions.length, 1);
  });

  test('survives a last line that a crash left incomplete', async () => {
    await demo.turn(id, 'list');
    await demo.end();
    const [name = ''] = await readdir(place.state);
    const file = path.join(place.state, name);
    await writeFile(file, `${await readFile(file, 'utf8')}{"type":"update","upda`);
    demo = await DemoClient.start(place.state);
    await demo.loadSession(id, place.workspace);
    assert.match(textOf(demo.updates), /a\.txt/);
  });

  test('is refused if it is unknown, even if its id is a path', async () => {
    for (const unknown of ['11111111-2222-3333-4444-555555555555', '../state/x', '']) {
      await assert.rejects(demo.loadSession(unknown, place.workspace), { code: -32002 });
    }
  });

  test('is replayed as a summary after a compaction', async () => {
    for (let round = 0; round < 3; round++) await demo.turn(id, 'help');
    await demo.turn(id, 'compact');
    await restart();
    await demo.loadSession(id, place.workspace);
    const text = textOf(demo.updates);
    assert.match(text, /^Earlier in this session: prompts 3, tool calls 0\.\n- help\n- help\n- help/);
    assert.doesNotMatch(text, /`list \[DIR\]`/);
  });
});

describe('the list of sessions', () => {
  test('has those in which something was said, page by page, until they are deleted', async () => {
    assert.deepEqual((await demo.listSessions({})).sessions, []);
    await demo.turn(id, 'help');
    for (let round = 0; round < 20; round++) await demo.turn((await demo.newSession(place.workspace)).sessionId, `list ${round}`);
    await restart();
    const { sessions, nextCursor } = await demo.listSessions({ cwd: place.workspace });
    assert.equal(sessions.length, 20);
    const rest = await demo.listSessions({ cwd: place.workspace, cursor: nextCursor ?? assert.fail('one page') });
    assert.deepEqual([rest.sessions.length, rest.nextCursor], [1, undefined]);
    assert.equal(new Set([...sessions, ...rest.sessions].map(({ sessionId }) => sessionId)).size, 21);
    const listed = [...sessions, ...rest.sessions].find(({ sessionId }) => sessionId === id);
    assert.equal(listed?.title, 'help');
    assert.deepEqual((await demo.listSessions({ cwd: path.dirname(place.workspace) })).sessions, []);
    await demo.deleteSession(id);
    await demo.deleteSession(id);
    await assert.rejects(demo.loadSession(id, place.workspace), { code: -32002 });
    assert.deepEqual((await demo.listSessions({ cursor: nextCursor ?? '' })).sessions, []);
  });
});

test('notices, compaction updates and boolean options are only for clients that declared them', async () => {
  await demo.end();
  demo = await DemoClient.start(place.state, {});
  const session = await demo.newSession(place.workspace);
  assert.equal(
    session.configOptions?.some(({ type }) => type === 'boolean'),
    false,
  );
  assert.match((await demo.turn(session.sessionId, 'notice')).said, /did not declare/);
  const { said, updates } = await demo.turn(session.sessionId, 'compact');
  assert.match(said, /now has/);
  assert.equal(
    updates.some(({ sessionUpdate }) => sessionUpdate.startsWith('compaction')),
    false,
  );
});

describe('a cancel', () => {
  test('stops a stream', async () => {
    const ended = demo.prompt(id, 'long 2000');
    await demo.update((update) => textOf([update]).includes('prompt'));
    await demo.cancel(id);
    assert.equal((await ended).stopReason, 'cancelled');
  });

  test('with an open permission ends the turn without a change', async () => {
    let asked: () => void;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    demo.permit = () => {
      asked();
      return new Promise(() => {}); // a client that forgets to answer must not hang the turn
    };
    const ended = demo.prompt(id, 'edit a.txt two => 2');
    await isAsked;
    await demo.cancel(id);
    assert.equal((await ended).stopReason, 'cancelled');
    assert.equal(await readFile(path.join(place.workspace, 'a.txt'), 'utf8'), 'one\ntwo\nthree\n');
    const last = demo.updates.findLast((update) => update.sessionUpdate === 'tool_call_update');
    assert.equal(last?.sessionUpdate === 'tool_call_update' && last.status, 'failed');
  });

  test('ends a command and every process that it started', { timeout: 60_000 }, async () => {
    demo.permit = () => 'allow_once';
    const ended = demo.prompt(id, `run (sh -c 'echo inner $$; sleep 600; touch never'); touch never`);
    const shown = await demo.update((update) => update.sessionUpdate === 'tool_call_update' && /inner \d+/.test(JSON.stringify(update)));
    const pid = Number(/inner (\d+)/.exec(JSON.stringify(shown))?.[1]);
    await demo.cancel(id);
    assert.equal((await ended).stopReason, 'cancelled');
    // It was killed, but the system needs a moment. A zombie counts as gone.
    while ((await listProcesses()).some((one) => one.pid === pid));
    await assert.rejects(access(path.join(place.workspace, 'never')));
    assert.match(JSON.stringify(demo.updates.at(-1)), /inner[\s\S]*canceled/, 'the output so far stays');
  });

  test('does not wait for a detached process that a command started', async () => {
    demo.permit = () => 'allow_once';
    const ended = demo.prompt(
      id,
      `run "${process.execPath}" -e "const c = require('child_process').spawn('sleep', ['600'], { detached: true, stdio: 'inherit' }); console.log('inner', c.pid); c.unref()"`,
    );
    const shown = await demo.update((update) => update.sessionUpdate === 'tool_call_update' && /inner \d+/.test(JSON.stringify(update)));
    await demo.cancel(id);
    assert.equal((await ended).stopReason, 'cancelled');
    process.kill(Number(/inner (\d+)/.exec(JSON.stringify(shown))?.[1]));
  });

  test('without a turn does nothing', async () => {
    await demo.cancel(id);
    assert.equal((await demo.turn(id, 'list')).stopReason, 'end_turn');
  });
});

test('sessions run side by side, but a second turn in one session is refused', async () => {
  const other = (await demo.newSession(place.workspace)).sessionId;
  const hanging = demo.prompt(id, 'fail hang');
  assert.equal((await demo.turn(other, 'list')).stopReason, 'end_turn');
  await assert.rejects(demo.prompt(id, 'list'), { code: -32600 });
  await demo.cancel(id);
  await hanging;
});

describe('how turns and the agent end', () => {
  test('the end of stdin ends the agent and its commands', async () => {
    demo.permit = () => 'allow_once';
    const ended = demo.prompt(id, 'run echo inner $$; exec sleep 600');
    const lost = assert.rejects(ended);
    const shown = await demo.update((update) => update.sessionUpdate === 'tool_call_update' && /inner \d+/.test(JSON.stringify(update)));
    const pid = Number(/inner (\d+)/.exec(JSON.stringify(shown))?.[1]);
    assert.equal(await demo.end(), 0);
    await lost;
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  });

  const stops: readonly (readonly [prompt: string, stopReason: string])[] = [
    ['fail refusal', 'refusal'],
    ['fail limit', 'max_tokens'],
    ['fail requests', 'max_turn_requests'],
    ['fail silent', 'end_turn'],
  ];
  for (const [prompt, stopReason] of stops) {
    test(`${prompt} ends the turn with ${stopReason}`, async () => assert.equal((await demo.prompt(id, prompt)).stopReason, stopReason));
  }

  test('fail commands end a turn with an error or without output, or crash the process', async () => {
    await assert.rejects(demo.prompt(id, 'fail'), { code: -32603 });
    await assert.rejects(demo.prompt(id, 'fail auth'), { code: -32000 });
    const silent = await demo.turn(id, 'fail silent');
    assert.equal(silent.said, '');
    await assert.rejects(demo.prompt(id, 'fail crash'));
    assert.equal(await demo.end(), 70);
    assert.match(textOf(demo.updates), /Now I crash/);
  });
});
