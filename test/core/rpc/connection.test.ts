import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as z from 'zod/mini';
import { HostError } from '../../../src/core/base/errors.js';
import { createRpcPeer } from '../../../src/core/rpc/connection.js';
import { RpcError } from '../../../src/core/rpc/peer.js';
import { launchAgent } from '../process/launch.js';
import { method, turns, update, wireTo } from './wire.js';

const limits = { timeout: 30_000 };
const code =
  (expected: string) =>
  (error: unknown): boolean =>
    error instanceof HostError && error.code === expected;

test('the end of the stream rejects pending requests, aborts the handlers, and is then reported', limits, async (t) => {
  let aborted = false;
  const { peer, say, hangUp, closed } = wireTo(t, {
    onRequest: ({ signal }) => new Promise(() => signal.addEventListener('abort', () => (aborted = true))),
  });
  const pending = [peer.request(method('a'), {}), peer.request(method('b'), {}, { timeoutMs: 60_000 })];
  say({ id: 5, method: 'session/request_permission' });
  await turns();
  hangUp();
  for (const request of pending) await assert.rejects(request, code('agent_exited'));
  assert.equal((await closed).code, 'agent_exited');
  assert.equal(aborted, true);
  assert.equal(peer.stats.pendingRequests, 0);
  await assert.rejects(peer.request(method('late'), {}), code('agent_exited'));
  await assert.rejects(peer.notify('late', {}), code('agent_exited'));
});

test('if the agent process exits, the pending request is rejected', limits, async (t) => {
  const agent = await launchAgent(t, 'answersByScript', [JSON.stringify(['EXIT'])]);
  const peer = createRpcPeer(agent.channel, { onRequest: async () => ({}), onNotification: () => {} });
  t.after(() => peer.dispose());
  peer.listen();
  await assert.rejects(peer.request(method('session/prompt'), {}), code('agent_exited'));
});

test(
  'an incoming $/cancel_request aborts the request with that numeric or string id; malformed and unknown ids are harmless',
  limits,
  async (t) => {
    const { peer, say, heard } = wireTo(t, {
      onRequest: ({ signal, id }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new RpcError(-32800, `cancelled ${id}`)))),
    });
    say({ id: 'srv_1', method: 'ask' }, { id: 7, method: 'ask' });
    const cancel = (params: unknown): object => ({ jsonrpc: '2.0', method: '$/cancel_request', params });
    say(
      cancel(undefined),
      cancel({}),
      cancel({ requestId: null }),
      cancel({ requestId: {} }),
      cancel([7]),
      cancel({ requestId: 'unknown' }),
      cancel({ requestId: '7' }),
    );
    say(cancel({ requestId: 'srv_1' }), cancel({ requestId: 7 }), cancel({ requestId: 7 }));
    assert.deepEqual(await heard(), { jsonrpc: '2.0', id: 'srv_1', error: { code: -32800, message: 'cancelled srv_1' } });
    assert.deepEqual(await heard(), { jsonrpc: '2.0', id: 7, error: { code: -32800, message: 'cancelled 7' } });
    assert.equal(peer.stats.invalidMessages, 5);
  },
);

test(
  'a second request with the id of an open one is not handled, and the first is aborted, because no answer would be unambiguous',
  limits,
  async (t) => {
    const asked: string[] = [];
    const { peer, say, heard } = wireTo(t, {
      onRequest: ({ method: name, signal }) => {
        asked.push(name);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ withdrawn: name })));
      },
    });
    say({ id: 1, method: 'list' }, { id: '1', method: 'other' }, { id: 1, method: 'delete' });
    assert.equal((await heard())['error'] === undefined, false);
    assert.deepEqual(await heard(), { jsonrpc: '2.0', id: 1, result: { withdrawn: 'list' } });
    assert.deepEqual(asked, ['list', 'other']);
    assert.equal(peer.stats.invalidMessages, 1);
    say({ id: 1, method: 'again' }, { method: '$/cancel_request', params: { requestId: '1' } });
    assert.deepEqual(await heard(), { jsonrpc: '2.0', id: '1', result: { withdrawn: 'other' } });
    say({ method: '$/cancel_request', params: { requestId: 1 } });
    assert.deepEqual(await heard(), { jsonrpc: '2.0', id: 1, result: { withdrawn: 'again' } });
  },
);

test('canceling a request sends $/cancel_request, and a late answer to it is not counted as unexpected', limits, async (t) => {
  const { peer, say, heard } = wireTo(t);
  const abort = new AbortController();
  const request = peer.request(method('terminal/wait'), { a: 1 }, { signal: abort.signal });
  const { id } = await heard();
  abort.abort();
  await assert.rejects(request, code('cancelled'));
  assert.deepEqual(await heard(), { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: id } });
  say({ id, result: {} });
  await turns();
  assert.equal(peer.stats.unknownResponses, 0);
  assert.equal(peer.stats.pendingRequests, 0);
  await assert.rejects(peer.request(method('m'), {}, { signal: AbortSignal.abort() }), code('cancelled'));
});

test('a request without an answer times out, reports it, and is canceled', limits, async (t) => {
  const { peer, heard } = wireTo(t);
  const request = peer.request(method('session/list'), {}, { timeoutMs: 20 });
  const { id } = await heard();
  await assert.rejects(
    request,
    (error) => error instanceof HostError && error.code === 'request_timeout' && error.params['method'] === 'session/list',
  );
  assert.deepEqual((await heard())['params'], { requestId: id });
});

test('null params, missing params and a null result are accepted', limits, async (t) => {
  const { peer, say, heard, events } = wireTo(t);
  say({ method: 'a', params: null }, { method: 'b' }, { id: 1, method: 'c', params: null }, { id: 2, method: 'd' });
  assert.deepEqual((await heard())['result'], {});
  assert.deepEqual((await heard())['result'], {});
  assert.deepEqual(events, ['a {}', 'b {}', 'c #1 {}', 'd #2 {}']);
  const request = peer.request(method('session/load'), {});
  say({ id: (await heard())['id'], result: null });
  assert.deepEqual(await request, {});
});

test('a request with positional params is refused, such a notification is ignored', limits, async (t) => {
  const { peer, say, heard, events } = wireTo(t);
  say({ method: 'a', params: [1] }, { id: 1, method: 'b', params: [1] }, { id: 2, method: 'c', params: 'text' });
  for (const id of [1, 2]) {
    const answer = await heard();
    assert.equal(answer['id'], id);
    assert.equal((answer['error'] as { code: number }).code, -32602);
  }
  assert.deepEqual(events, []);
  assert.equal(peer.stats.invalidMessages, 1);
});

test('an undefined or null result is sent as {}', limits, async (t) => {
  const { say, heard } = wireTo(t, { onRequest: async ({ id }) => (id === 1 ? undefined : null) });
  say({ id: 1, method: 'a' }, { id: 2, method: 'a' });
  assert.deepEqual(
    [await heard(), await heard()],
    [
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, result: {} },
    ],
  );
});

test('if a handler returns a BigInt, the agent gets an error and the connection continues', limits, async (t) => {
  const { say, heard } = wireTo(t, { onRequest: async ({ id }) => (id === 1 ? { big: 1n, secret: 'sk-12345678' } : { fine: true }) });
  say({ id: 1, method: 'a' }, { id: 2, method: 'b' });
  const answer = await heard();
  assert.deepEqual(answer, { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'The host created a result that cannot be sent.' } });
  assert.deepEqual(await heard(), { jsonrpc: '2.0', id: 2, result: { fine: true } });
});

test("a handler's RpcError is sent unchanged; of any other error, the agent only learns that it happened", limits, async (t) => {
  const { say, heard, log } = wireTo(t, {
    onRequest: ({ id }) => {
      if (id === 1) throw new RpcError(-32601, 'Method not found', { method: 'x' });
      if (id === 2) throw new Error('/home/me/secret');
      return Promise.reject(new Error('/home/me/secret'));
    },
    onNotification: (name) => {
      if (name === 'sync') throw new Error('sync trouble');
      return Promise.reject(new Error('async trouble'));
    },
  });
  say({ id: 1, method: 'x' }, { id: 2, method: 'x' }, { id: 3, method: 'x' }, { method: 'sync' }, { method: 'async' });
  assert.deepEqual((await heard())['error'], { code: -32601, message: 'Method not found', data: { method: 'x' } });
  for (const id of [2, 3])
    assert.deepEqual(await heard(), { jsonrpc: '2.0', id, error: { code: -32603, message: 'The host failed to handle x.' } });
  await turns();
  assert.ok(log.some((line) => line.includes('sync trouble')) && log.some((line) => line.includes('async trouble')));
});

test(
  'an error of the agent with -32000 becomes auth_required; any other becomes request_failed with the original error',
  limits,
  async (t) => {
    const { peer, say, heard } = wireTo(t);
    const fail = async (error: unknown): Promise<HostError> => {
      const request = peer.request(method('session/new'), {});
      say({ id: (await heard())['id'], error });
      return request.then(
        () => assert.fail(),
        (reason: HostError) => reason,
      );
    };
    const auth = await fail({ code: -32000, message: 'Sign in', data: { reason: 'no key' } });
    assert.deepEqual(
      [auth.code, auth.params],
      ['auth_required', { method: 'session/new', code: -32000, message: 'Sign in', data: { reason: 'no key' }, detail: 'Sign in' }],
    );
    // The library uses these codes for its own failures, but here the agent sends them.
    for (const wireCode of [-32603, -32002, -32097, -32099, 429]) {
      const failed = await fail({ code: wireCode, message: 'No' });
      assert.deepEqual([failed.code, failed.params['code']], ['request_failed', wireCode]);
    }
    for (const odd of ['text', {}, { code: 'x', message: 1 }, [], 1]) assert.equal((await fail(odd)).code, 'request_failed');
  },
);

test('the error for a result of the wrong shape names the location, not the value', limits, async (t) => {
  const { peer, say, heard } = wireTo(t);
  const schema = z.object({ session: z.object({ id: z.string() }) });
  const request = peer.request({ method: 'session/new', parseResult: (result) => schema.parse(result) }, {});
  say({ id: (await heard())['id'], result: { session: { id: 5, token: 'sk-12345678' } } });
  await assert.rejects(
    request,
    (error) =>
      error instanceof HostError &&
      error.code === 'invalid_response' &&
      error.params['path'] === 'session.id' &&
      !JSON.stringify(error.toData()).includes('sk-'),
  );
});

test('a response with neither result nor error rejects its request', limits, async (t) => {
  const { peer, say, heard } = wireTo(t);
  const request = peer.request(method('a'), {});
  say({ id: (await heard())['id'] });
  await assert.rejects(request, code('invalid_response'));
});

test('invalid messages are counted and logged without their content, not answered, and affect nothing else', limits, async (t) => {
  const { peer, say, heard, events, log } = wireTo(t);
  const junk = [
    'null',
    '42',
    '"text"',
    'true',
    '[]',
    '[{"jsonrpc":"2.0","id":1,"method":"secret"}]',
    '{}',
    '{"id":null,"error":{"code":-32700,"message":"secret"}}',
    '{"method":5}',
    '{"id":null,"result":1}',
  ];
  say(`${junk.join('\n')}\nnoise secret?\n`, update(1), { id: 3, method: 'ask' });
  assert.equal((await heard())['id'], 3);
  assert.deepEqual(events, ['session/update {"n":1}', 'ask #3 {}']);
  assert.equal(peer.stats.invalidMessages, junk.length);
  assert.equal(peer.stats.noiseLines, 1);
  assert.ok(log.filter((line) => !line.includes('stdout')).every((line) => !line.includes('secret')));
  for (const why of ['not an object', 'a batch', 'neither an id nor a method'])
    assert.ok(
      log.some((line) => line.includes(why)),
      why,
    );
});

test('duplicate and unknown responses are counted and ignored', limits, async (t) => {
  const { peer, say, heard, log } = wireTo(t);
  const request = peer.request(method('a'), {});
  const { id } = await heard();
  say(
    { id: 999, result: {} },
    { id: String(id), result: { wrong: true } },
    { id, result: { first: true } },
    { id, result: { second: true } },
    { id: 'srv_1', error: { code: -32600, message: 'no' } },
  );
  assert.deepEqual(await request, { first: true });
  await turns();
  assert.equal(peer.stats.unknownResponses, 4);
  assert.deepEqual(peer.firstMisfit, { kind: 'foreign_id', message: { id: 999, result: {} } });
  assert.ok(log.some((line) => line.includes(`not pending {"id":"${String(id)}","pending":[${String(id)}]}`)));
});

test('a message without "jsonrpc" is accepted', limits, async (t) => {
  const { say, heard, events } = wireTo(t);
  say({ method: 'a', params: {} }, { id: 1, method: 'b' });
  await heard();
  assert.deepEqual(events, ['a {}', 'b #1 {}']);
});

test('a response that is too long fails its request', limits, async (t) => {
  const agent = await launchAgent(
    t,
    'answersByScript',
    [JSON.stringify([`{"jsonrpc":"2.0","id":$ID,"result":{"text":"${'x'.repeat(2000)}"}}\n`, '{"id":$ID,"result":{"ok":true}}\n'])],
    { channel: { lineLimits: { lineBytes: 1000, giveUpBytes: 10_000 } } },
  );
  const peer = createRpcPeer(agent.channel, { onRequest: async () => ({}), onNotification: () => {} });
  t.after(() => peer.dispose());
  peer.listen();
  await assert.rejects(peer.request(method('a'), {}), code('line_too_long'));
  assert.deepEqual(await peer.request(method('b'), {}), { ok: true });
});

test('dispose rejects pending requests, aborts handlers, and does not report an end', limits, async (t) => {
  const { peer, say, events } = wireTo(t);
  let closed = false;
  peer.onClose(() => (closed = true));
  const request = peer.request(method('a'), {});
  peer.dispose();
  await assert.rejects(request, code('disposed'));
  await assert.rejects(peer.request(method('b'), {}), code('disposed'));
  say(update(1));
  await turns();
  assert.deepEqual(events, []);
  assert.equal(closed, false);
  peer.dispose();
});

test('a slow consumer pauses the pipe at the limit, which resumes below half of it', limits, async (t) => {
  const settle: (() => void)[] = [];
  const { peer, say } = wireTo(t, { onNotification: () => new Promise<void>((resolve) => settle.push(resolve)) }, { backlogLimit: 100 });
  say(...Array.from({ length: 350 }, (_, n) => update(n)));
  await turns();
  assert.equal(peer.stats.backlog, 100);
  for (const done of settle.splice(0, 50)) done();
  await turns();
  assert.equal(peer.stats.backlog, 50, 'still paused at half');
  settle.shift()?.();
  await turns();
  assert.equal(peer.stats.backlog, 100);
  assert.equal(peer.stats.pauses, 2);
  while (settle.length > 0) {
    for (const done of settle.splice(0)) done();
    await turns();
  }
  assert.equal(peer.stats.backlog, 0);
});

test('a slow consumer of few but large messages pauses the pipe at the limit in bytes', limits, async (t) => {
  const { peer, say } = wireTo(t, { onNotification: () => new Promise<void>(() => {}) }, { backlogLimitBytes: 10_000 });
  say(...Array.from({ length: 50 }, () => ({ method: 'a', params: { text: 'x'.repeat(3000) } })));
  await turns();
  assert.equal(peer.stats.backlog, 4);
});

async function silentAgent(t: TestContext): Promise<ReturnType<typeof createRpcPeer>> {
  const agent = await launchAgent(t, 'neverReadsStdin', [], { channel: { writeQueue: { limitBytes: 200_000 } } });
  const peer = createRpcPeer(agent.channel, { onRequest: async () => ({}), onNotification: () => {} });
  t.after(() => peer.dispose());
  peer.listen();
  return peer;
}

test('if an agent never reads stdin, a request that does not fit is refused and the others wait', limits, async (t) => {
  const peer = await silentAgent(t);
  const accepted = peer.request(method('a'), { text: 'x'.repeat(150_000) }, { timeoutMs: 200 });
  const refused = peer.request(method('b'), { text: 'x'.repeat(150_000) });
  await assert.rejects(refused, code('queue_full'));
  await assert.rejects(peer.notify('c', { text: 'x'.repeat(150_000) }), code('queue_full'));
  await assert.rejects(accepted, code('request_timeout'));
});
