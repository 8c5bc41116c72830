/** What every backend shares whose agent is a server: how to connect to it, and how to report its end. */
import type { BackendEnd, ServerConnectOptions } from './agentBackend.js';
import { type ErrorParams, HostError, redactError, toHostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import type { ExitInfo } from '../node/spawnProcess.js';
import { otherProtocol } from './expectedProtocol.js';
import { insteadOf, toHandshakeError } from './handshakeError.js';
import type { AgentWait } from '../session/model.js';
import { isPlainBeyondLoopback } from '../agents/serverUrl.js';
import type { ConnectionStats } from '../traffic/trafficItem.js';
import type { WebSocketChannel } from '../transport/webSocketChannel.js';

/** Counts over all connections to a server. */
export type ServerStats = { -readonly [K in keyof ConnectionStats]: ConnectionStats[K] };

/** How long a server that sent something else may take to answer. */
const strangeMs = 1_500;

/**
 * Detects a server that speaks another protocol. A single unknown message may be a greeting; a server that sends nothing else for a while
 * speaks another protocol.
 */
export class DialectWatch {
  readonly #onForeign: () => void;
  #isUnderstood = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param onForeign called at most once, and never after the server was understood */
  constructor(onForeign: () => void) {
    this.#onForeign = onForeign;
  }

  get isUnderstood(): boolean {
    return this.#isUnderstood;
  }

  understood(): void {
    this.#isUnderstood = true;
    this.stop();
  }

  strange(): void {
    if (!this.#isUnderstood) this.#timer ??= setTimeout(this.#onForeign, strangeMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** The exit of a connection that the host closed: there is no process whose exit could be reported. */
const endedByUs: ExitInfo = { code: null, signal: null, requested: true };

/** @throws HostError `connect_failed`, `key_refused`, `cancelled` */
export async function openServerChannel(options: ServerConnectOptions): Promise<WebSocketChannel> {
  const { agent, deadlines, signal, log, clock, redactor, onTraffic, readKey } = options;
  const { url, pin, isPlainAllowed } = agent;
  if (isPlainBeyondLoopback(url) && isPlainAllowed !== true) throw new HostError('connect_failed', { reason: 'plain_text', url });
  let key: string | undefined;
  try {
    key = await readKey();
    const headers = key === undefined ? {} : { 'X-Api-Key': key };
    const target = { url: new URL(url), pin, timeoutMs: deadlines.initializeMs, signal, headers };
    // Loaded here, because most agents are processes.
    const { openWebSocket } = await import('../transport/webSocketOpen.js');
    const channel = await openWebSocket(target, { log, clock });
    channel.onTraffic(onTraffic);
    return channel;
  } catch (thrown) {
    const error = toHostError(thrown);
    const isMissing = error.code === 'key_refused' && key === undefined;
    throw redactError(error.with({ url, ...(isMissing && { reason: 'missing' }) }), redactor);
  }
}

/** Awaits the first answer, or the frame that shows that another protocol is spoken. */
export function orOtherProtocol<T>(answer: Promise<T>, channel: WebSocketChannel, { expected }: ServerConnectOptions): Promise<T> {
  return expected === undefined ? answer : Promise.race([answer, otherProtocol(channel, expected)]);
}

/** Reports to the turn that a server doesn't read its input. */
export function watchReading(channel: WebSocketChannel, wait: (wait: AgentWait | null) => void): void {
  channel.onStalled(({ pendingBytes }) => wait({ kind: 'not_reading', queuedBytes: pendingBytes }));
  channel.onRelieved(() => wait(null));
}

interface Starting {
  start(): Promise<void>;
  close(): Promise<unknown>;
  /** The beginning of the first data from the server that is not JSON; not redacted. */
  readonly firstNoise: string | undefined;
}

/** @throws what its start throws; nothing of the backend is left running then */
export async function startBackend<B extends Starting>(backend: B, { redactor, agent, expected }: ServerConnectOptions): Promise<B> {
  try {
    await backend.start();
    return backend;
  } catch (thrown) {
    await backend.close();
    const error = isHangUp(toHostError(thrown)) ? hungUp(toHostError(thrown)) : thrown;
    const failure = toHandshakeError(error, undefined, insteadOf(backend, redactor)).with({ url: agent.url });
    const isSlow = failure.code === 'handshake_timeout' && expected !== undefined;
    throw redactError(isSlow ? failure.with({ protocol: expected.name }) : failure, redactor);
  }
}

/**
 * A server may refuse a wrong key by closing the connection without a reason. A server that closed it by accident answers the next time.
 */
const attempts = 2;

/**
 * @param attempt connects with a key, and waits for an answer
 * @throws HostError `key_refused` if the server closes the connection each time; otherwise what the attempt throws
 */
export async function untilAnswered<T>({ agent: { url }, readKey }: ServerConnectOptions, attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (thrown) {
      const error = toHostError(thrown);
      if (!isHangUp(error)) throw error;
      if (count < attempts) continue;
      if (isTroubled(error)) throw hungUp(error);
      const reason = (await readKey()) === undefined ? 'missing' : 'closed';
      throw new HostError('key_refused', { reason, url, ...closeFacts(error) }, { cause: error });
    }
  }
}

/** The server disconnected before it sent anything: `beforeAnswer` in the params of the connection's end says so. */
function isHangUp({ code, params }: HostError): boolean {
  if (code === 'connect_failed') return params.reason === 'closed';
  return code === 'agent_exited' && params['beforeAnswer'] === true && params.reason === 'connection_closed';
}

/** Close codes of a server that is busy, broken or going away (RFC 6455 and IANA's registry of close codes). */
const troubleCodes: ReadonlySet<unknown> = new Set([1001, 1011, 1012, 1013, 1014]);

/** The end of the connection says nothing about the key. */
function isTroubled({ params }: HostError): boolean {
  return params['isReset'] === true || troubleCodes.has(params['closeCode']);
}

function hungUp(error: HostError): HostError {
  return new HostError('connect_failed', { reason: 'closed', ...closeFacts(error) }, { cause: error });
}

/** Returns how the server closed the connection, if it said that. */
function closeFacts({ params: { closeCode, detail, isReset } }: HostError): Pick<ErrorParams, 'detail'> {
  return { ...(closeCode !== undefined && { closeCode }), ...(detail !== undefined && { detail }), ...(isReset === true && { isReset }) };
}

/** Reports the end of a backend with any number of connections once. */
export class ServerLife {
  readonly #onClosed = new Emitter<BackendEnd>();
  #error: HostError | undefined;

  readonly onClosed = this.#onClosed.event;

  /** Why it ended; undefined while it is open. */
  get error(): HostError | undefined {
    return this.#error;
  }

  lost(error: HostError): void {
    this.#end(error, undefined);
  }

  stopped(): ExitInfo {
    this.#end(new HostError('agent_exited', { reason: 'stopped', requested: true }), endedByUs);
    return endedByUs;
  }

  #end(error: HostError, exit: ExitInfo | undefined): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#onClosed.fire({ error, exit });
    this.#onClosed.dispose();
  }
}
