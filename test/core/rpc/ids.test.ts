/** Whatever an agent uses as an id, nothing waits for ever: a request is answered with exactly that id, and a notification is heard. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../../../src/core/base/errors.js';
import { method, turns, wireTo } from './wire.js';

/** As the agent writes them. */
const ids = [
  '0',
  '-1',
  '7',
  '"7"',
  '""',
  '"json:7"',
  '1.5',
  '1e3',
  '9007199254740993',
  '-9007199254740993',
  '18446744073709551615',
  '1e400',
  'true',
  '{"a":[1]}',
  '[1,"x"]',
];

for (const id of ids) {
  test(`a request with the id ${id} is answered with it`, { timeout: 10_000 }, async (t) => {
    const { peer, say, heardLine } = wireTo(t, { onRequest: async ({ method: name }) => ({ name }) });
    say(`{"jsonrpc":"2.0","params":{"id":3,"text":"\\"id\\":4"},"id" : ${id},"method":"ask"}\n`);
    const line = await heardLine();
    assert.ok(line.includes(`"id":${id === '1e3' ? '1000' : id},`) || line.endsWith(`"id":${id}}`), line);
    assert.match(line, /"name":"ask"/);
    assert.equal(peer.stats.invalidMessages, 0);
  });
}

test('a request that is withdrawn by such an id is aborted', { timeout: 10_000 }, async (t) => {
  const { say, heardLine } = wireTo(t, {
    onRequest: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ withdrawn: true }))),
  });
  say('{"id":1.5,"method":"ask"}\n', '{"method":"$/cancel_request","params":{"requestId":1.5}}\n');
  assert.match(await heardLine(), /"id":1\.5.*withdrawn/);
});

test('a null id makes no request of a notification, and one that is asked is answered', { timeout: 10_000 }, async (t) => {
  const { peer, say, heardLine, events } = wireTo(t, { isRequest: (name) => name === 'ask' });
  say('{"jsonrpc":"2.0","id":null,"method":"session/update","params":{"n":1}}\n', '{"jsonrpc":"2.0","id":null,"method":"ask"}\n');
  assert.match(await heardLine(), /"id":null/);
  assert.equal(events[0], 'session/update {"n":1}');
  assert.equal(peer.stats.invalidMessages, 0);
});

test('an agent that cannot read the only open request, and so does not know its id, fails it', { timeout: 10_000 }, async (t) => {
  const { peer, say, heard } = wireTo(t);
  const answer = peer.request(method('a'), {});
  await heard();
  say({ id: null, error: { code: -32700, message: 'Parse error' } });
  await assert.rejects(answer, (error) => error instanceof HostError && error.params['code'] === -32700);
  const [one, other] = [peer.request(method('b'), {}), peer.request(method('c'), {})];
  const ids = [(await heard())['id'], (await heard())['id']];
  say({ id: null, error: { code: -32700, message: 'Parse error' } });
  await turns();
  assert.equal(peer.stats.invalidMessages, 1);
  for (const id of ids) say({ id, result: {} });
  await Promise.all([one, other]);
});
