/** Opens WebSockets. No other file does. */
import type { IncomingMessage } from 'node:http';
import WebSocket from 'ws';
import { startDeadline } from '../base/deadline.js';
import { HostError } from '../base/errors.js';
import { openSocket, type ServerTarget } from './serverSocket.js';
import { isReset, messageLimitBytes, WebSocketChannel, type WebSocketChannelOptions } from './webSocketChannel.js';

export interface WebSocketTarget extends ServerTarget {
  /** Sent only after the certificate was checked; never part of the URL, and never sent to the target of a redirect. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * @returns the channel, which does not read before `listen`
 * @throws HostError `connect_failed`, `key_refused`, `cancelled`
 */
export async function openWebSocket(target: WebSocketTarget, options: WebSocketChannelOptions): Promise<WebSocketChannel> {
  const socket = await openSocket(target);
  return new Promise((resolve, reject) => {
    const { url, headers, timeoutMs, signal } = target;
    const webSocket = new WebSocket(overOwnSocket(url), {
      headers: { ...headers, Host: url.host },
      createConnection: () => socket,
      followRedirects: false,
      maxPayload: messageLimitBytes,
      perMessageDeflate: false,
    });
    const settle = (): void => {
      stopDeadline();
      signal.removeEventListener('abort', abort);
      webSocket.off('error', onError);
    };
    const fail = (error: HostError): void => {
      settle();
      // Later errors of the socket are of no interest, but must be handled.
      webSocket.on('error', () => {});
      webSocket.terminate();
      socket.destroy();
      reject(error);
    };
    const onError = (error: Error): void => fail(toConnectError(error));
    // The timeout of `ws` does not apply to a socket that it did not create.
    const stopDeadline = startDeadline(timeoutMs, () => fail(new HostError('connect_failed', { reason: 'no_answer', timeoutMs })));
    const abort = (): void => fail(new HostError('cancelled', { reason: 'start' }));
    webSocket.once('unexpected-response', (_request, response) => fail(refusalOf(response)));
    webSocket.once('error', onError);
    webSocket.once('open', () => {
      settle();
      resolve(new WebSocketChannel(webSocket, socket, options));
    });
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
}

/**
 * VS Code replaces `http.request` and `https.request` in its extension host: a request gets a connection of the editor's own, maybe through
 * a proxy, instead of the one whose certificate was checked. It does not change requests to a Unix domain socket, so the URL names one.
 * Only `createConnection` determines where the request goes, and the name before the colon is never used.
 */
function overOwnSocket({ pathname, search }: URL): string {
  return `ws+unix:/checked:${pathname}${search}`;
}

/** @returns why the server answers with HTTP */
function refusalOf({ statusCode: status = 0, headers: { location } }: IncomingMessage): HostError {
  if (status === 401 || status === 403) return new HostError('key_refused', { reason: 'status', status });
  if (status >= 300 && status < 400) return new HostError('connect_failed', { reason: 'redirected', status, ...originOf(location) });
  return new HostError('connect_failed', { reason: 'http_status', status });
}

/** Returns only as much of the redirect's target as the user needs. */
function originOf(location: string | undefined): { readonly location?: string } {
  return location !== undefined && URL.canParse(location) ? { location: new URL(location).origin } : {};
}

function toConnectError(error: Error): HostError {
  const { message: detail } = error;
  const code = 'code' in error ? error.code : undefined;
  if (isReset(error)) return new HostError('connect_failed', { reason: 'closed', isReset: true }, { cause: error });
  // Node's code for a server that closed the connection instead of answering.
  if (code === 'ECONNRESET') return new HostError('connect_failed', { reason: 'closed' }, { cause: error });
  return new HostError('connect_failed', { reason: 'not_web_socket', detail }, { cause: error });
}
