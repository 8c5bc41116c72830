/** Servers that are not what they are taken for: each is told within seconds, and the key of one that hangs up is said to be refused. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ConnectAgent, ConnectServer } from '../../src/core/backends/agentBackend.js';
import { connectAgentCli } from '../../src/core/backends/agentCli/agentCliBackend.js';
import { connectAgentService } from '../../src/core/backends/agentService/agentServiceBackend.js';
import { expectedOf } from '../../src/core/backends/protocols.js';
import { adviceFor, toCliError } from '../../src/cli/output/errorText.js';
import type { HostError } from '../../src/core/base/errors.js';
import { describeError, errorMessage } from '../../src/text/errorText.js';
import { findingText } from '../../src/text/findingText.js';
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
  const { key, initializeMs = 600_000 } = o;
  const expected = expectedOf(connect === connectAgentCli ? 'agent-cli' : 'agent-service');
  const atServer: ConnectAgent = (options) =>
    connect({ ...options, ...serverAt(url, key === undefined ? {} : { key }), ...(expected && { expected }) });
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
    ['an error in other words', (text: string) => JSON.stringify({ request_id: JSON.parse(text).request_id, message: 'what?' })],
  ] as const) {
    test(`${name}: ${kind} is another protocol`, async (t) => {
      const { url } = await saying(t, answer);
      const error: HostError = await within(rejects(dial(t, connect, url.href), 'handshake_failed'), 'refusal');
      assert.deepEqual([error.params.reason, error.params['url']], ['bad_answer', url.href]);
    });
  }

  for (const [kind, words, found] of [
    ['ACP', '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}', 'acp'],
    ['Pi', '{"type":"response","command":"parse","success":false,"error":"Unknown command"}', 'pi'],
  ] as const)
    test(`${name}: a server that answers as ${kind} is told, and that only programs are spoken to in it`, async (t) => {
      const { url } = await saying(t, () => words);
      const error = await within(rejects(dial(t, connect, url.href), 'handshake_failed'), 'refusal');
      assert.deepEqual(error.params, { reason: 'protocol_of_programs', protocol: name, found, url: url.href });
      const { text } = describeError(error.toData(), { agent: 'Mine' });
      assert.equal(
        text,
        `Mine speaks the protocol "${found}", not "${name}". ACP Host speaks "${found}" only with programs that it starts: specify a command instead of a URL.`,
      );
      assert.deepEqual(adviceFor(toCliError(error.toData(), 'Mine')), [
        `Use --protocol ${found}, and --command with the program that speaks it instead of --url.`,
      ]);
    });

  for (const [kind, words] of [
    ['text', 'Welcome to the chat!'],
    ['HTML', '<!doctype html><html><body>Sign in first</body></html>'],
  ] as const)
    test(`${name}: a server that says nothing but ${kind} speaks another protocol, which is told before the deadline`, async (t) => {
      const { url } = await saying(t, () => words);
      const error = await within(rejects(dial(t, connect, url.href), 'handshake_failed'), 'refusal');
      assert.equal(error.params.reason, 'bad_answer');
      assert.ok(errorMessage(error.toData(), 'Stand-in').includes(`It sent "${words}", which is not a message of this protocol`));
    });

  test(`${name}: text before the answer is a greeting`, async (t) => {
    const { url } = await hearing(t, (text, peer) => {
      const { request_id } = JSON.parse(text);
      peer.sendText('Welcome!');
      const answer = name === 'agent-cli' ? { response: { Text: '{"commands":[]}' }, error: null } : { models: ['one'] };
      setImmediate(() => peer.sendText(JSON.stringify({ request_id, ...answer })));
    });
    const { backend } = await dial(t, connect, url.href);
    assert.equal(backend.stats.noiseLines, 1);
  });

  test(`${name}: what is no JSON is shown where the deadline comes first`, async (t) => {
    const { url } = await saying(t, () => 'Welcome to the chat!');
    const error = await rejects(dial(t, connect, url.href, { initializeMs: 300 }), 'handshake_timeout');
    assert.equal(error.params['protocol'], name);
    const words = errorMessage(error.toData(), 'Stand-in');
    assert.match(words, /"Welcome to the chat!"/);
    assert.doesNotMatch(words, /stdout|printed|program/);
  });
}

for (const [standIn, personality, protocol, found, connect] of [
  ['agentCli', '--documented', 'agent-service', 'agent-cli', connectAgentService],
  ['agentCli', '--real', 'agent-service', 'agent-cli', connectAgentService],
  ['agentService', '--documented', 'agent-cli', 'agent-service', connectAgentCli],
] as const)
  test(`${found} (${personality.slice(2)}) as ${protocol}: what it speaks is told, and what to choose`, async (t) => {
    const { url } = await startStandIn(t, standIn, [personality]);
    const error = await within(rejects(dial(t, connect, url), 'handshake_failed'), 'refusal');
    assert.deepEqual(error.params, { reason: 'other_protocol', protocol, found, url });
    const { text } = describeError(error.toData(), { agent: 'Mine' });
    assert.equal(text, `Mine speaks the protocol "${found}", not "${protocol}". Choose the protocol "${found}" for it.`);
    assert.deepEqual(adviceFor(toCliError(error.toData(), 'Mine')), [`Use --protocol ${found}.`]);
    const params = { agent: 'Mine', error: error.toData(), lines: [], stderrTail: '' };
    assert.equal(findingText({ check: 'handshake', state: 'problem', code: 'handshake_failed', params }).advice, 'Correct its protocol.');
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
