/**
 * Servers with a different protocol than configured: each is recognized within seconds, and a server that closes the connection is reported
 * as refusing the key.
 */
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { ConnectAgent, ConnectServer } from '../../src/core/backends/agentBackend.js';
import { connectAgentCli } from '../../src/core/backends/agentCli/agentCliBackend.js';
import { connectAgentService } from '../../src/core/backends/agentService/agentServiceBackend.js';
import { expectedOf } from '../../src/core/backends/protocols.js';
import { adviceFor, toCliError } from '../../src/cli/output/errorText.js';
import { HostError } from '../../src/core/base/errors.js';
import { lossOf } from '../../src/core/host/agentLife.js';
import { describeError, errorMessage, isOfConnection } from '../../src/text/errorText.js';
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

/** A server that reacts in this way to every message. */
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
    test(`${name}: ${kind} is recognized as another protocol`, async (t) => {
      const { url } = await saying(t, answer);
      const error: HostError = await within(rejects(dial(t, connect, url.href), 'handshake_failed'), 'refusal');
      assert.deepEqual([error.params.reason, error.params['url']], ['bad_answer', url.href]);
    });
  }

  for (const [kind, words, found] of [
    ['ACP', '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}', 'acp'],
    ['Pi', '{"type":"response","command":"parse","success":false,"error":"Unknown command"}', 'pi'],
  ] as const)
    test(`${name}: a server that answers as ${kind} is named, with the advice that this protocol is for programs`, async (t) => {
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
    test(`${name}: a server that sends only ${kind} is recognized as another protocol before the deadline`, async (t) => {
      const { url } = await saying(t, () => words);
      const error = await within(rejects(dial(t, connect, url.href), 'handshake_failed'), 'refusal');
      assert.equal(error.params.reason, 'bad_answer');
      assert.ok(errorMessage(error.toData(), 'Stand-in').includes(`It sent "${words}", which is not a message of this protocol`));
    });

  test(`${name}: text before the answer is accepted as a greeting`, async (t) => {
    const { url } = await hearing(t, (text, peer) => {
      const { request_id } = JSON.parse(text);
      peer.sendText('Welcome!');
      const answer = name === 'agent-cli' ? { response: { Text: '{"commands":[]}' }, error: null } : { models: ['one'] };
      setImmediate(() => peer.sendText(JSON.stringify({ request_id, ...answer })));
    });
    const { backend } = await dial(t, connect, url.href);
    assert.equal(backend.stats.noiseLines, 1);
  });

  test(`${name}: text that is not JSON is shown if the deadline passes`, async (t) => {
    const { url } = await saying(t, () => 'Welcome to the chat!');
    const error = await rejects(dial(t, connect, url.href, { initializeMs: 300 }), 'handshake_timeout');
    assert.equal(error.params['protocol'], name);
    const words = errorMessage(error.toData(), 'Stand-in');
    assert.match(words, /"Welcome to the chat!"/);
    assert.doesNotMatch(words, /stdout|printed|program/);
  });
}

for (const [name, connect] of protocols) {
  const key = 'secret-key-of-nobody';

  test(`${name}: a server that closes because it is busy or broken does not count as refusing the key, and its reason is shown`, async (t) => {
    for (const code of [1001, 1011, 1012, 1013, 1014]) {
      const { url } = await hearing(t, (_, peer) => peer.close(code, 'come back later'));
      const error = await within(rejects(dial(t, connect, url.href, { key }), 'connect_failed'), 'refusal');
      assert.deepEqual(error.params, { reason: 'closed', closeCode: code, detail: 'come back later', url: url.href });
      const words = `${url.href} closed the connection before it answered (code ${code}). It gave the reason "come back later"`;
      assert.equal(errorMessage(error.toData(), 'Mine'), words);
    }
  });

  test(`${name}: the reason of a server that closes and refuses the key is shown`, async (t) => {
    const { url } = await hearing(t, (_, peer) => peer.close(1008, `Nobody has ${key}`));
    const error = await within(rejects(dial(t, connect, url.href, { key }), 'key_refused'), 'refusal');
    assert.deepEqual([error.params.reason, error.params['closeCode']], ['closed', 1008]);
    const words = 'Mine refused the key: it closed the connection before it answered (code 1008). It gave the reason "Nobody has ';
    assert.ok(errorMessage(error.toData(), 'Mine').startsWith(words), errorMessage(error.toData(), 'Mine'));
    assert.match(
      describeError(error.toData(), { agent: 'Mine' }).text,
      /before it answered \(code 1008\)\. It gave the reason "Nobody has .*"\. Check the key/,
    );
  });

  test(`${name}: a server that breaks the WebSocket protocol does not count as refusing the key`, async (t) => {
    for (const bytes of [
      [0xf1, 2, 0x41, 0x41],
      [0x81, 2, 0xc3, 0x28],
    ]) {
      const { url } = await serveWire(t, {
        answer: (request, socket, head) => {
          const peer = accept(request, socket, head);
          peer?.on('text', () => socket.write(Buffer.from(bytes)));
          return peer;
        },
      });
      const error = await within(rejects(dial(t, connect, url.href, { key }), 'handshake_failed'), 'refusal');
      assert.equal(error.params.reason, 'bad_answer');
      assert.match(
        errorMessage(error.toData(), 'Mine'),
        /^Mine did not respond properly: Mine broke the WebSocket protocol, so the connection was closed: Invalid WebSocket frame/,
      );
    }
  });

  test(`${name}: the last text of a server before it closed is shown`, async (t) => {
    const { url } = await hearing(t, (_, peer) => {
      peer.sendText('Too many users');
      peer.close(1013);
    });
    const error = await within(rejects(dial(t, connect, url.href), 'connect_failed'), 'refusal');
    assert.match(errorMessage(error.toData(), 'Mine'), /\(code 1013\)\. It sent "Too many users"/);
  });
}

test('a server that breaks the WebSocket protocol during a turn is a lost connection, not a program that exited', async (t) => {
  const { url } = await serveWire(t, {
    answer: (request, socket, head) => {
      const peer = accept(request, socket, head);
      peer?.on('text', (text: string) => {
        const { request_id, cmd } = JSON.parse(text);
        if (cmd === 'list_model') peer.sendText(JSON.stringify({ request_id, models: ['one'] }));
        else socket.write(Buffer.from([0xf1, 2, 0x41, 0x41]));
      });
      return peer;
    },
  });
  const seam = await dial(t, connectAgentService, url.href);
  const { prompt } = await seam.open();
  const error = await within(rejects(prompt('hello'), 'agent_exited'), 'end');
  assert.equal(error.params.reason, 'bad_frame');
  assert.equal(lossOf(error, undefined), error);
  assert.ok(isOfConnection(error.toData()));
  assert.match(
    errorMessage(error.toData(), 'Mine'),
    /^Mine broke the WebSocket protocol, so the connection was closed: Invalid WebSocket frame/,
  );
});

test('the command line gives suitable advice: the pin for a certificate, the protocol for a server that closes', async () => {
  const advised = (reason: 'certificate_untrusted' | 'pin_mismatch' | 'http_status' | 'closed'): string =>
    adviceFor(toCliError(new HostError('connect_failed', { reason, url: 'ws://127.0.0.1:1/' }).toData())).join();
  assert.match(advised('certificate_untrusted'), /--pin/);
  assert.match(advised('pin_mismatch'), /--pin/);
  assert.match(advised('closed'), /--url and --protocol/);
  for (const reason of ['http_status', 'closed'] as const) assert.doesNotMatch(advised(reason), /--pin/);
});

for (const [standIn, personality, protocol, found, connect] of [
  ['agentCli', '--documented', 'agent-service', 'agent-cli', connectAgentService],
  ['agentCli', '--real', 'agent-service', 'agent-cli', connectAgentService],
  ['agentService', '--documented', 'agent-cli', 'agent-service', connectAgentCli],
] as const)
  test(`${found} (${personality.slice(2)}) as ${protocol}: the error names its protocol and what to choose`, async (t) => {
    const { url } = await startStandIn(t, standIn, [personality]);
    const error = await within(rejects(dial(t, connect, url), 'handshake_failed'), 'refusal');
    assert.deepEqual(error.params, { reason: 'other_protocol', protocol, found, url });
    const { text } = describeError(error.toData(), { agent: 'Mine' });
    assert.equal(text, `Mine speaks the protocol "${found}", not "${protocol}". Choose the protocol "${found}" for it.`);
    assert.deepEqual(adviceFor(toCliError(error.toData(), 'Mine')), [`Use --protocol ${found}.`]);
    const params = { agent: 'Mine', error: error.toData(), lines: [], stderrTail: '' };
    assert.equal(
      findingText({ check: 'handshake', state: 'problem', code: 'handshake_failed', params }, 'editor').advice,
      'Correct its protocol.',
    );
  });

test('agent-cli: a server that closes before it answers counts as refusing a key after two attempts', async (t) => {
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

for (const [name, connect] of protocols)
  test(`${name}: a connection lost before the answer does not count as a refused key if the next one is answered`, async (t) => {
    let connections = 0;
    const { url } = await serveWire(t, {
      answer: (...request) => {
        const peer = accept(...request);
        const isFirst = ++connections === 1;
        peer?.on('text', (text: string) => {
          const answer = name === 'agent-cli' ? { response: { Text: '{"commands":[]}' }, error: null } : { models: ['one'] };
          if (isFirst) request[1].destroy();
          else peer.sendText(JSON.stringify({ request_id: JSON.parse(text).request_id, ...answer }));
        });
        return peer;
      },
    });
    const { backend, ends, open } = await dial(t, connect, url.href, { key: 'secret-key-of-nobody' });
    await open();
    assert.deepEqual([connections, ends.all], [2, []]);
    await backend.close();
  });

for (const [name, connect] of protocols) {
  test(`${name}: a connection that is reset is no refused key, before and after the WebSocket is open`, async (t) => {
    for (const isOpen of [false, true]) {
      const { url } = await serveWire(t, {
        answer: (request, socket, head) => {
          const reset = (): void => void (socket instanceof Socket && socket.resetAndDestroy());
          if (!isOpen) return void reset();
          const peer = accept(request, socket, head);
          peer?.on('text', reset);
          return peer;
        },
      });
      const { params } = await rejects(dial(t, connect, url.href, { key: 'secret-key-of-nobody' }), 'connect_failed');
      assert.deepEqual([params.reason, params['isReset']], ['closed', true]);
      const text = errorMessage({ code: 'connect_failed', params }, 'Mine');
      assert.match(text, /reset the connection/);
    }
  });

  test(`${name}: a server that breaks the WebSocket protocol is told as such, although it never closes`, async (t) => {
    const { url } = await serveWire(t, {
      answer: (request, socket, head) => {
        const peer = accept(request, socket, head);
        if (peer !== undefined) peer.isDeaf = true;
        // Reserved bits are set.
        peer?.on('text', () => void socket.write(Buffer.from([0xf1, 1, 0x61])));
        return peer;
      },
    });
    const dialed = dial(t, connect, url.href, { key: 'secret-key-of-nobody', initializeMs: 30_000 });
    const { params } = await rejects(dialed, 'handshake_failed');
    assert.equal(params.reason, 'bad_answer');
    assert.match(errorMessage({ code: 'handshake_failed', params }, 'Mine'), /broke the WebSocket protocol/);
  });
}

test('agent-cli: a server that closes after the first message counts as refusing the key, too', async (t) => {
  const server = await hearing(t, (_, peer) => peer.close(1008));
  await rejects(dial(t, connectAgentCli, server.url.href, { key: 'secret-key-of-nobody' }), 'key_refused');
  assert.equal(server.keys.length, 2);
  const { params } = await rejects(dial(t, connectAgentCli, server.url.href), 'connect_failed');
  assert.deepEqual([params.reason, server.keys.length], ['closed', 3]);
});
