/** Connecting to a server: what is checked before anything is sent, and the error for each refusal. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { systemClock } from '../../../src/core/base/clock.js';
import type { HostError } from '../../../src/core/base/errors.js';
import { nullLogger } from '../../../src/core/base/logger.js';
import { pinOf } from '../../../src/core/transport/serverSocket.js';
import type { WebSocketChannel } from '../../../src/core/transport/webSocketChannel.js';
import { openWebSocket, type WebSocketTarget } from '../../../src/core/transport/webSocketOpen.js';
import { rejects } from '../../backends/seam.js';
import { type Certificate, makeCertificate } from '../../standIns/certificate.mjs';
import { accept, serveWire, type WireServer } from './wireServer.js';

const key = 'a-key-that-nobody-else-may-see';
const pinOfIts = ({ pem }: Certificate): string => pinOf(new X509Certificate(pem));

function open(t: TestContext, url: URL, o: Partial<WebSocketTarget> = {}): Promise<WebSocketChannel> {
  const target = { url, pin: undefined, timeoutMs: 10_000, signal: new AbortController().signal, headers: { 'X-Api-Key': key }, ...o };
  const opening = openWebSocket(target, { log: nullLogger, clock: systemClock });
  opening.then(
    (channel) => t.after(() => channel.dispose()),
    () => {},
  );
  return opening;
}

async function refused(t: TestContext, { url, keys }: WireServer, o: Partial<WebSocketTarget>, reason: string): Promise<HostError> {
  const error = await rejects(open(t, url, o), 'connect_failed');
  assert.equal(error.params.reason, reason);
  assert.deepEqual(keys, [], 'the key was sent before the certificate was checked');
  return error;
}

const own = makeCertificate('stand-in');
const authority = makeCertificate('stand-in authority', { isAuthority: true });
const issued = makeCertificate('issued', { issuer: authority });

test('an untrusted certificate is refused without a pin, and the error identifies the certificate', async (t) => {
  for (const certificates of [[own], [issued], [issued, authority]]) {
    const [presented = own] = certificates;
    const { params } = await refused(t, await serveWire(t, { certificates }), {}, 'certificate_untrusted');
    assert.deepEqual([params['pin'], params['fingerprint']], [pinOfIts(presented), new X509Certificate(presented.pem).fingerprint256]);
    assert.ok(params['validTo'] !== undefined && params.detail !== undefined);
    assert.doesNotMatch(params.detail, /Node/);
  }
});

test('a certificate with a pinned public key is accepted: self-signed, issued, with and without its chain', async (t) => {
  for (const certificates of [[own], [issued], [issued, authority]]) {
    const server = await serveWire(t, { certificates });
    await open(t, server.url, { pin: pinOfIts(certificates[0] ?? own) });
    assert.deepEqual(server.keys, [key]);
  }
});

test('a certificate that was renewed with the same key still matches the pin', async (t) => {
  const renewed = makeCertificate('stand-in, renewed', { key: own });
  const server = await serveWire(t, { certificates: [renewed] });
  await open(t, server.url, { pin: pinOfIts(own) });
  assert.deepEqual(server.keys, [key]);
});

test('an impostor whose certificate does not match the pin receives neither the API key nor a message', async (t) => {
  const impostor = makeCertificate('stand-in');
  const server = await serveWire(t, { certificates: [impostor] });
  const { params } = await refused(t, server, { pin: pinOfIts(own) }, 'pin_mismatch');
  assert.deepEqual([params['pin'], params['expected']], [pinOfIts(impostor), pinOfIts(own)]);
  assert.deepEqual([server.peers.all, server.texts.all], [[], []]);
});

test('a pin does not match the authority of a certificate', async (t) => {
  await refused(t, await serveWire(t, { certificates: [issued, authority] }), { pin: pinOfIts(authority) }, 'pin_mismatch');
});

const expired = makeCertificate('expired', { expired: true });

test('an expired certificate is refused as such, pinned or not: a pin would change nothing', async (t) => {
  for (const pin of [undefined, pinOfIts(expired)]) {
    const { params } = await refused(t, await serveWire(t, { certificates: [expired] }), { pin }, 'certificate_expired');
    assert.ok(params['validFrom'] !== undefined && params['validTo'] !== undefined);
  }
});

test('an environment variable that switches verification off for other programs changes nothing', async (t) => {
  const name = 'NODE_TLS_REJECT_UNAUTHORIZED';
  const before = process.env[name];
  t.after(() => (before === undefined ? delete process.env[name] : (process.env[name] = before)));
  process.env[name] = '0';
  const impostor = makeCertificate('stand-in');
  for (const [certificates, pin, reason] of [
    [[own], undefined, 'certificate_untrusted'],
    [[issued, authority], undefined, 'certificate_untrusted'],
    [[expired], undefined, 'certificate_expired'],
    [[expired], pinOfIts(expired), 'certificate_expired'],
    [[impostor], pinOfIts(own), 'pin_mismatch'],
    [[issued, authority], pinOfIts(authority), 'pin_mismatch'],
  ] as const)
    await refused(t, await serveWire(t, { certificates }), { pin }, reason);
  const server = await serveWire(t, { certificates: [own] });
  await open(t, server.url, { pin: pinOfIts(own) });
  assert.deepEqual(server.keys, [key]);
});

test('a certificate that changes between the check and the connection is refused', async (t) => {
  const server = await serveWire(t, { certificates: [own] });
  const other = makeCertificate('stand-in');
  // A relay passes the first connection to one server, and the next to the other.
  const impostor = await serveWire(t, { certificates: [other] });
  let count = 0;
  const { connect } = await import('node:net');
  const relay = createServer((socket) => {
    const to = connect(Number((count++ === 0 ? server : impostor).url.port), '127.0.0.1');
    socket.on('error', () => {});
    to.on('error', () => {});
    socket.pipe(to).pipe(socket);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  t.after(() => relay.close());
  const url = new URL(`wss://127.0.0.1:${(relay.address() as AddressInfo).port}/ws`);
  const error = await rejects(open(t, url, { pin: pinOfIts(own) }), 'connect_failed');
  assert.equal(error.params.reason, 'pin_mismatch');
  assert.equal(count, 2);
  assert.deepEqual([server.keys, impostor.keys], [[], []]);
});

for (const status of [401, 403]) {
  test(`HTTP ${status} is reported as a refused key`, async (t) => {
    const { url } = await serveWire(t, {
      answer: (_request, socket) => void socket.end(`HTTP/1.1 ${status} No\r\nConnection: close\r\n\r\n`),
    });
    const { params } = await rejects(open(t, url), 'key_refused');
    assert.deepEqual([params.reason, params['status']], ['status', status]);
  });
}

test('a redirect is not followed, and the error contains only the origin of its target', async (t) => {
  const elsewhere = await serveWire(t);
  const location = `${elsewhere.url.href.replace('ws:', 'http:')}?token=secret`;
  const { url } = await serveWire(t, {
    answer: (_request, socket) => void socket.end(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nConnection: close\r\n\r\n`),
  });
  const { params } = await rejects(open(t, url), 'connect_failed');
  assert.deepEqual([params.reason, params['location']], ['redirected', new URL(location).origin]);
  assert.deepEqual(elsewhere.keys, []);
});

test('an HTTP status, an invalid response, a closed connection, no response and an unreachable server have separate reasons', async (t) => {
  const answering = async (text: string): Promise<URL> => (await serveWire(t, { answer: (_request, socket) => void socket.end(text) })).url;
  const reasonOf = async (url: URL, timeoutMs = 3_000): Promise<unknown> =>
    (await rejects(open(t, url, { timeoutMs }), 'connect_failed')).params.reason;
  assert.equal(await reasonOf(await answering('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')), 'http_status');
  assert.equal(await reasonOf(await answering('SSH-2.0-OpenSSH_9.9\r\n')), 'not_web_socket');
  const wrongAccept = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: bm8=\r\n\r\n';
  assert.equal(await reasonOf(await answering(wrongAccept)), 'not_web_socket');
  const hangsUp = await serveWire(t, { answer: (_request, socket) => void socket.destroy() });
  assert.equal(await reasonOf(hangsUp.url), 'closed');
  const silent = await serveWire(t, { answer: () => undefined });
  assert.equal(await reasonOf(silent.url, 300), 'no_answer');
  const nobody = createServer();
  await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
  const { port } = nobody.address() as AddressInfo;
  await new Promise((resolve) => nobody.close(resolve));
  assert.equal(await reasonOf(new URL(`ws://127.0.0.1:${port}`)), 'unreachable');
  assert.equal(await reasonOf(new URL(`wss://127.0.0.1:${port}`)), 'unreachable');
});

test('a server without TLS at a wss:// URL is refused, and does not receive the API key', async (t) => {
  const plain = await serveWire(t);
  const url = new URL(plain.url.href.replace('ws:', 'wss:'));
  const { params } = await rejects(open(t, url, { pin: pinOfIts(own) }), 'connect_failed');
  assert.equal(params.reason, 'not_secure');
  assert.deepEqual(plain.keys, []);
});

test('the checked connection is used even if the editor sends requests over connections of its own', async (t) => {
  for (const [module, agent] of [
    [http, () => new http.Agent()],
    [https, () => new https.Agent()],
  ] as const) {
    const { request } = module;
    // VS Code does this in its extension host to support proxies and the certificates of the system.
    t.mock.method(module, 'request', (options: https.RequestOptions, callback?: (response: http.IncomingMessage) => void) =>
      request(options.socketPath ? options : { ...options, agent: agent() }, callback),
    );
  }
  const server = await serveWire(t, { certificates: [own] });
  await open(t, server.url, { pin: pinOfIts(own) });
  assert.deepEqual(server.keys, [key]);
  const asked: unknown[] = [];
  const plain = await serveWire(t, {
    answer(request, socket, head) {
      asked.push(request.url, request.headers.host);
      return accept(request, socket, head);
    },
  });
  await open(t, new URL('/a:b%20c?d=e:f', plain.url));
  assert.deepEqual(asked, ['/a:b%20c?d=e:f', plain.url.host]);
  assert.deepEqual([plain.keys, plain.connections()], [[key], 1]);
});

test('localhost connects to this machine, with and without TLS', async (t) => {
  const server = await serveWire(t);
  await open(t, new URL(server.url.href.replace('127.0.0.1', 'localhost')));
  const secure = await serveWire(t, { certificates: [own] });
  await open(t, new URL(secure.url.href.replace('127.0.0.1', 'localhost')), { pin: pinOfIts(own) });
  assert.deepEqual([server.keys, secure.keys], [[key], [key]]);
});

test('opening can be canceled before it connects and while it waits for the response', async (t) => {
  await rejects(open(t, (await serveWire(t)).url, { signal: AbortSignal.abort() }), 'cancelled');
  const giveUp = new AbortController();
  const silent = await serveWire(t, {
    answer: () => {
      giveUp.abort();
      return undefined;
    },
  });
  await rejects(open(t, silent.url, { signal: giveUp.signal }), 'cancelled');
});
