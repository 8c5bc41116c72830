/** Updates for a session before the answer that names it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UnclaimedSessions } from '../../../src/core/backends/acp/unclaimed.js';
import { selectOption } from '../../../src/core/session/userRequest.js';
import { isEvent, launch } from './launch.js';
import { fedSessions } from './feed.js';

describe('updates and requests before the answer to session/new', () => {
  test('they reach the session in order, after its beginning and before it resolves', async (t) => {
    const agent = await launch(t, 'speaksBeforeSession');
    await agent.start();
    let atOpen = '';
    const opening = agent.newSession().then((session) => {
      atOpen = agent.text();
      return session;
    });
    const { request, answer } = await agent.nextRequest();
    const session = await opening;
    assert.deepEqual([session.id, request.sessionId], ['early', 'early']);
    assert.equal(agent.events[0]?.type, 'begin');
    assert.match(atOpen, /^one two /);
    answer(selectOption('yes'));
    await agent.until(
      'answer',
      isEvent('message', ({ content }) => content.type === 'text' && content.text.startsWith('answer')),
    );
    assert.equal(agent.text(), 'one two three answer yes');
  });

  test('with two sessions being opened at once, each gets its own', async () => {
    const fed = fedSessions();
    const [one, two] = [fed.open(), fed.open()];
    fed.say('b', 'to b');
    fed.say('a', 'to a');
    fed.say('nobody', 'lost');
    await one.answer({ sessionId: 'a' });
    fed.say('b', ' again');
    await two.answer({ sessionId: 'b' });
    assert.deepEqual(
      [one.told, two.told],
      [
        ['begin a', 'to a', 'opened'],
        ['begin b', 'to b', ' again', 'opened'],
      ],
    );
    assert.deepEqual(fed.problems, ['1 updates for sessions that were never opened']);
  });
});

test('updates beyond the limit are reported as missing in the session', async () => {
  const fed = fedSessions();
  const opening = fed.open();
  for (let n = 0; n < 10_005; n++) fed.say('a', `${n} `);
  await opening.answer({ sessionId: 'a' });
  const [notice] = fed.events.filter(({ type }) => type === 'host_notice');
  assert.ok(notice?.type === 'host_notice' && notice.code === 'events_missing');
  assert.deepEqual([notice.params.events, notice.params.cause], [5, 'unclaimed']);
});

describe('updates for unknown sessions', () => {
  test('they use no memory while no session is being opened', async () => {
    const fed = fedSessions();
    const heapBefore = process.memoryUsage().heapUsed;
    for (let n = 0; n < 100_000; n++) fed.say(`invented ${n}`, 'x');
    assert.equal(await fed.sessions.whenOpen('invented 1'), undefined, 'a request for it is not waited for');
    assert.equal(fed.problems.length, 100_000);
    fed.problems.length = 0;
    assert.ok(process.memoryUsage().heapUsed - heapBefore < 50_000_000);
  });

  test('they are limited to a fixed number while a session is being opened', () => {
    const unclaimed = new UnclaimedSessions();
    let kept = 0;
    for (let n = 0; n < 20_000; n++) if (unclaimed.keep(`invented ${n}`, { n }, n)) kept++;
    assert.equal(kept, 10_000);
    assert.equal(unclaimed.clear(), 10_000);
    assert.equal(unclaimed.keep('again', {}, 1), true, 'there is room again');
  });

  test('a request for an unknown session is dropped once no answer can create that session', async () => {
    const fed = fedSessions();
    const opening = fed.open();
    const waiting = fed.sessions.whenOpen('nobody');
    await opening.answer({ sessionId: 'a' });
    assert.equal(await waiting, undefined);
  });

  test('a failed session/new drops the updates that waited for it', async () => {
    const fed = fedSessions();
    const opening = fed.open();
    fed.say('a', 'x');
    const waiting = fed.sessions.whenOpen('a');
    await opening.fail({ code: -32603, message: 'no' });
    assert.equal(await waiting, undefined);
    assert.deepEqual([opening.told, fed.problems], [['request_failed'], ['1 updates for sessions that were never opened']]);
  });
});
