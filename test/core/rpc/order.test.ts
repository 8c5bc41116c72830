import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { launchAgent } from '../process/launch.js';
import { createRpcPeer } from '../../../src/core/rpc/connection.js';
import { method, turns, update, wireTo } from './wire.js';

const limits = { timeout: 30_000 };

for (const size of ['one chunk', 'single bytes'] as const) {
  test(`updates and a response in ${size} keep their order`, limits, async (t) => {
    const { peer, say, events, heard } = wireTo(t);
    const turn = peer.request(method('session/prompt'), {}).then(() => events.push('response'));
    const { id } = await heard();
    const text = [update(1), update(2), update(3), { jsonrpc: '2.0', id, result: { stopReason: 'end_turn' } }, update(4), update(5)]
      .map((message) => `${JSON.stringify(message)}\n`)
      .join('');
    if (size === 'one chunk') say(text);
    else for (const character of text) say(character);
    await turn;
    await turns();
    assert.deepEqual(
      events.map((event) => event.replace(/\D+(\d).*/, '$1')),
      ['1', '2', '3', 'response', '4', '5'],
    );
  });
}

test('all replayed updates are dispatched before session/load resolves', limits, async (t) => {
  const { peer, say, events, heard } = wireTo(t);
  const load = peer.request(method('session/load'), {}).then(() => events.length);
  const { id } = await heard();
  say(...Array.from({ length: 2000 }, (_, n) => update(n)), { jsonrpc: '2.0', id, result: null });
  assert.equal(await load, 2000);
});

test('updates before the session/new response are dispatched before it, and those after it afterwards', limits, async (t) => {
  const { peer, say, events, heard } = wireTo(t);
  const opened = (async () => {
    await peer.request(method('session/new'), {});
    // A caller that opens a session takes several steps after the response.
    for (let step = 0; step < 20; step++) await Promise.resolve();
    events.push('opened');
  })();
  const { id } = await heard();
  say(update(1), { jsonrpc: '2.0', id, result: { sessionId: 's' } }, update(2));
  await opened;
  await turns();
  assert.deepEqual(events, ['session/update {"n":1}', 'opened', 'session/update {"n":2}']);
});

test('any messages in any chunks are handled in the order in which they arrive', limits, async (t) => {
  const kinds = fc.array(fc.constantFrom('update', 'response', 'request', 'cancel'), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(kinds, fc.array(fc.nat({ max: 4000 }), { maxLength: 20 }), async (sequence, cuts) => {
      const { peer, say, events, heard } = wireTo(t, {
        onRequest: async ({ id }) => {
          events.push(`request ${id}`);
          return {};
        },
      });
      const expected: string[] = [];
      const lines: string[] = [];
      for (const [n, kind] of sequence.entries()) {
        if (kind === 'update') lines.push(JSON.stringify(update(n)));
        if (kind === 'cancel') lines.push(JSON.stringify({ method: '$/cancel_request', params: { requestId: n - 1 } }));
        if (kind === 'request') lines.push(JSON.stringify({ id: n, method: 'ask' }));
        if (kind === 'response') {
          void peer.request(method('m'), {}).then(async () => {
            await Promise.resolve();
            events.push(`response ${n}`);
          });
          lines.push(JSON.stringify({ id: (await heard())['id'], result: {} }));
        }
        if (kind !== 'cancel') expected.push(kind === 'update' ? `session/update {"n":${n}}` : `${kind} ${n}`);
      }
      const bytes = lines.map((line) => `${line}\n`).join('');
      const at = [...new Set(cuts.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
      for (const [index, from] of [0, ...at].entries()) say(bytes.slice(from, at[index]));
      await turns(2 * sequence.length + 5);
      assert.deepEqual(events, expected);
      peer.dispose();
    }),
    { numRuns: 60 },
  );
});

test('if the agent exits right after its final response, the response and all updates are delivered before the end', limits, async (t) => {
  const agent = await launchAgent(t, 'answersByScript', [
    JSON.stringify([
      'EXIT' + `${JSON.stringify(update(1))}\n{"id":$ID,"result":{"stopReason":"end_turn"}}\n${JSON.stringify(update(2))}\n`,
    ]),
  ]);
  const events: string[] = [];
  const peer = createRpcPeer(agent.channel, {
    onRequest: async () => ({}),
    onNotification: (_, params) => void events.push(JSON.stringify(params)),
  });
  t.after(() => peer.dispose());
  const closed = new Promise<void>((resolve) =>
    peer.onClose(() => {
      events.push('closed');
      resolve();
    }),
  );
  peer.listen();
  assert.deepEqual(
    await peer.request(method('session/prompt'), {}).then((result) => {
      events.push('response');
      return result;
    }),
    { stopReason: 'end_turn' },
  );
  await closed;
  assert.deepEqual(events, ['{"n":1}', 'response', '{"n":2}', 'closed']);
});

test('requests with the ids 1 and "1" are both answered, each with its own id', limits, async (t) => {
  const { say, heard } = wireTo(t, { onRequest: async ({ id }) => ({ id }) });
  say({ jsonrpc: '2.0', id: 1, method: 'a' }, { jsonrpc: '2.0', id: '1', method: 'b' });
  const answers = [await heard(), await heard()];
  assert.deepEqual(
    answers.map(({ id, result }) => [id, result]),
    [
      [1, { id: 1 }],
      ['1', { id: '1' }],
    ],
  );
});

test('a request that waits for the user does not delay other messages', limits, async (t) => {
  let decide = (_: object): void => {};
  const { peer, say, heard, events } = wireTo(t, { onRequest: () => new Promise((resolve) => (decide = resolve)) });
  say({ jsonrpc: '2.0', id: 0, method: 'session/request_permission', params: {} }, update(1));
  await turns();
  assert.deepEqual(events, ['session/update {"n":1}']);
  const answered = peer.request(method('m'), {});
  say({ id: (await heard())['id'], result: { fine: true } });
  assert.deepEqual(await answered, { fine: true });
  decide({ outcome: 'selected' });
  assert.deepEqual(await heard(), { jsonrpc: '2.0', id: 0, result: { outcome: 'selected' } });
});
