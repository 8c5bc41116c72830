/** A server in this process for tests of the transport. It records the keys, connections and messages that reach it. */
import { createServer as createPlainServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import { collect, type Collected } from '../../backends/seam.js';
import { type Certificate, tlsOptionsOf } from '../../standIns/certificate.mjs';
import { WebSocketPeer } from '../../standIns/webSocketPeer.mjs';

export interface WireServer {
  readonly url: URL;
  /** Keys that were sent, or empty for a request without one. */
  readonly keys: readonly string[];
  /** The number of connections so far. */
  connections(): number;
  readonly peers: Collected<WebSocketPeer>;
  readonly texts: Collected<string>;
}

export type Answer = (request: IncomingMessage, socket: Duplex, head: Buffer) => WebSocketPeer | undefined;

export const accept: Answer = (request, socket, head) => WebSocketPeer.accept(request, socket, head);

/** @param certificates the first one is presented, the others are its chain */
export async function serveWire(
  t: TestContext,
  {
    certificates = [],
    answer = accept,
    port = 0,
  }: { readonly certificates?: readonly Certificate[]; readonly answer?: Answer; readonly port?: number } = {},
): Promise<WireServer> {
  const [own, ...chain] = certificates;
  const server =
    own === undefined
      ? createPlainServer()
      : createSecureServer({ ...tlsOptionsOf(own), cert: [own, ...chain].map(({ pem }) => pem).join('') });
  const keys: string[] = [];
  const sockets = new Set<Duplex>();
  const peers = collect<WebSocketPeer>();
  const texts = collect<string>();
  server.on('connection', (socket: Duplex) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    keys.push(String(request.headers['x-api-key'] ?? ''));
    const peer = answer(request, socket, head);
    peer?.on('text', (text: string) => texts.add(text));
    if (peer !== undefined) peers.add(peer);
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port: given } = server.address() as AddressInfo;
  const url = new URL(`${own === undefined ? 'ws' : 'wss'}://127.0.0.1:${given}/ws`);
  return { url, keys, connections: () => sockets.size, peers, texts };
}
