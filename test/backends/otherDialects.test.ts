/** Servers that are not what they are taken for: each is told within seconds, and the key of one that hangs up is said to be refused. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ConnectAgent, ConnectServer } from '../../src/core/backends/agentBackend.js';
import { connectAgentCli } from '../../src/core/backends/agentCli/agentCliBackend.js';
import { connectAgentService } from '../../src/core/backends/agentService/agentServiceBackend.js';
import type { HostError } from '../../src/core/base/errors.js';
import { errorMessage } from '../../src/text/errorText.js';
import { accept, serveWire, type WireServer } from '../core/transport/wireServer.js';
import { within } from '../real/deadline.js';
import { serverAt, startStandIn } from '../standIns/startStandIn.js';
import type { WebSocketPeer } from '../standIns/webSocketPeer.mjs';
import { connectSeam, rejects } from './seam.js';

const protocols: readonly (readonly [name: string, connect: ConnectServer])[] = [
  ['agent-cli', connectAgentCli],
  ['agent-service', connectAgentService],
];

function dial(t: TestContext, connect: ConnectServer, url: string, o: { readonly key?: string; readonly initializeMs?: number } = {}) {
  const { key, initializeMs = 30_000 } = o;
  const atServer: ConnectAgent = (options) => connect({ ...options, ...serverAt(url, key === undefined ? {} : { key }) });
  const deadlines = { initializeMs, sessionMs: 30_000, queryMs: 30_000 };
  return connectSeam(t, atServer, { agent: { label: 'Stand-in', command: '', args: [], env: {} }, deadlines });
}

/** A server that does this with whatever it is told. */
function hearing(t: TestContext, hear: (text: string, peer: WebSocketPeer) => void): Promise<WireServer> {
  return serveWire(t, {
    answer: (...request) => {
      const peer = accept(...request);
      peer?.on('text', (text: string) => hear(text, peer));
      return peer;
    },
  });
}

const saying = (t: TestContext, answer: (text: string) => string): Promise<WireServer> =>
  hearing(t, (text, peer) => peer.sendText(answer(text)));

for (const [name, connect] of protocols) {
  for (const [kind, answer] of [
    ['an echo', (text: string) => text],
    ['JSON-RPC', () => '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}'],
    ['an error in other words', (text: string) => JSON.stringify({ request_id: JSON.parse(text).request_id, message: 'what?' })],
  ] as const) {
    test(`${name}: ${kind} is another protocol`, async (t) => {
      const { url } = await saying(t, answer);
      const error: HostError = await within(rejects(dial(t, connect, url.href), 'handshake_failed'), 'refusal');
      assert.deepEqual([error.params.reason, error.params['url']], ['bad_answer', url.href]);
    });
  }

  test(`${name}: what is no JSON is shown where nothing else comes`, async (t) => {
    const { url } = await saying(t, () => 'Welcome to the chat!');
    const error = await rejects(dial(t, connect, url.href, { initializeMs: 300 }), 'handshake_timeout');
    const words = errorMessage(error.toData(), 'Stand-in');
    assert.match(words, /"Welcome to the chat!"/);
    assert.doesNotMatch(words, /stdout|printed|program/);
  });
}

test('each of the two taken for the other', async (t) => {
  for (const [standIn, personality, connect] of [
    ['agentCli', '--documented', connectAgentService],
    ['agentCli', '--real', connectAgentService],
    ['agentService', '--documented', connectAgentCli],
  ] as const) {
    const { url } = await startStandIn(t, standIn, [personality]);
    const error = await within(rejects(dial(t, connect, url), 'handshake_failed'), 'refusal');
    assert.equal(error.params.reason, 'bad_answer', `${standIn} ${personality}`);
  }
});

test('agent-cli: a server that hangs up before it answers refuses the key where there is one, after two attempts', async (t) => {
  const server = await serveWire(t, {
    answer: (_, socket) => {
      socket.destroy();
      return undefined;
    },
  });
  await rejects(dial(t, connectAgentCli, server.url.href, { key: 'secret-key-of-nobody' }), 'key_refused');
  assert.equal(server.keys.length, 2);
  const { params } = await rejects(dial(t, connectAgentCli, server.url.href), 'connect_failed');
  assert.deepEqual([params.reason, server.keys.length], ['closed', 3]);
});

test('agent-cli: a server that hangs up after the first message refuses the key, too', async (t) => {
  const server = await hearing(t, (_, peer) => peer.close(1008));
  await rejects(dial(t, connectAgentCli, server.url.href, { key: 'secret-key-of-nobody' }), 'key_refused');
  assert.equal(server.keys.length, 2);
  const { params } = await rejects(dial(t, connectAgentCli, server.url.href), 'connect_failed');
  assert.deepEqual([params.reason, server.keys.length], ['closed', 3]);
});
