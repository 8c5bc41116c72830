/** Shared by the stand-ins: a server on the loopback interface that prints its address, notes what it receives, and ends with its stdin. */
import { createServer as createPlainServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { WebSocketPeer } from './webSocketPeer.mjs';

/** Prints a line for the test. @param {object} event */
export const note = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);

/**
 * @param {{
 *   tls?: { key: string, cert: string },
 *   port?: number,
 *   refuse?: (request: import('node:http').IncomingMessage, socket: import('node:stream').Duplex) => boolean,
 *   onPeer: (peer: WebSocketPeer, request: import('node:http').IncomingMessage) => void,
 * }} o
 */
export function serve({ tls, port = 0, refuse = () => false, onPeer }) {
  const server = tls === undefined ? createPlainServer() : createSecureServer(tls);
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {});
    note({ event: 'upgrade', path: request.url, headers: request.headers });
    if (refuse(request, socket)) return;
    const peer = WebSocketPeer.accept(request, socket, head);
    if (peer !== undefined) onPeer(peer, request);
  });
  server.on('tlsClientError', (error) => note({ event: 'tls_refused', code: 'code' in error ? error.code : undefined }));
  // Only here, because a stand-in must not be reachable from a network.
  server.listen(port, '127.0.0.1', () => {
    const address = server.address();
    const given = typeof address === 'object' && address !== null ? address.port : 0;
    note({ event: 'ready', url: `${tls === undefined ? 'ws' : 'wss'}://127.0.0.1:${given}` });
  });
  process.stdin.resume();
  process.stdin.on('end', () => process.exit(0));
}

/** The values of `--name value` and `--name`. @param {string} name @returns {string | undefined} */
export function argument(name) {
  const at = process.argv.indexOf(`--${name}`);
  if (at < 0) return undefined;
  const next = process.argv[at + 1];
  return next === undefined || next.startsWith('--') ? '' : next;
}
