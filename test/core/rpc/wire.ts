import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import { nullLogger } from '../../../src/core/base/logger.js';
import type { HostError } from '../../../src/core/base/errors.js';
import { type RpcPeerOptions, createRpcPeer } from '../../../src/core/rpc/connection.js';
import type { MethodSpec, PeerHandlers, RpcPeer } from '../../../src/core/rpc/peer.js';
import { NdjsonChannel } from '../../../src/core/transport/ndjsonChannel.js';

/** A method whose result is passed on unchanged. */
export function method(name: string): MethodSpec<object, unknown> {
  return { method: name, parseResult: (result) => result };
}

export interface Wire {
  readonly peer: RpcPeer;
  readonly channel: NdjsonChannel;
  /** Sends messages or raw text as the agent. */
  say(...messages: readonly unknown[]): void;
  /** Ends the agent's stdout. */
  hangUp(): void;
  /** The next message that the peer sends. */
  heard(): Promise<Record<string, unknown>>;
  /** The same as it was written. */
  heardLine(): Promise<string>;
  /** Everything that reached the host, in order. */
  readonly events: string[];
  readonly log: string[];
  readonly closed: Promise<HostError>;
}

/** A peer over pipes within this process; the test is the agent. */
export function wireTo(t: TestContext, handlers: Partial<PeerHandlers> = {}, options: RpcPeerOptions = {}): Wire {
  const fromAgent = new PassThrough({ highWaterMark: 1 << 24 });
  const toAgent = new PassThrough({ highWaterMark: 1 << 24 });
  const events: string[] = [];
  const log: string[] = [];
  const note = (message: string, ...facts: readonly unknown[]): void =>
    void log.push(`${message} ${facts.map((fact) => (fact instanceof Error ? fact.message : JSON.stringify(fact))).join(' ')}`);
  const logger = { ...nullLogger, debug: note, info: note, warn: note, error: note };
  const channel = new NdjsonChannel(fromAgent, toAgent, { log: logger });
  const peer = createRpcPeer(
    channel,
    {
      onNotification: (name, params) => {
        events.push(`${name} ${JSON.stringify(params)}`);
      },
      onRequest: async ({ id, method: name, params }) => {
        events.push(`${name} #${JSON.stringify(id)} ${JSON.stringify(params)}`);
        return {};
      },
      ...handlers,
    },
    { log: logger, ...options },
  );
  const closed = new Promise<HostError>((resolve) => peer.onClose(resolve));
  t.after(() => peer.dispose());
  const lines = linesOf(toAgent);
  peer.listen();
  return {
    peer,
    channel,
    events,
    log,
    closed,
    say: (...messages) =>
      void fromAgent.write(messages.map((message) => (typeof message === 'string' ? message : `${JSON.stringify(message)}\n`)).join('')),
    hangUp: () => void fromAgent.end(),
    heard: async () => JSON.parse((await lines.next()).value ?? 'null'),
    heardLine: async () => (await lines.next()).value ?? '',
  };
}

async function* linesOf(source: AsyncIterable<Buffer>): AsyncGenerator<string, undefined> {
  let rest = '';
  for await (const chunk of source) {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  return undefined;
}

/** Waits for some turns of the event loop, so that earlier messages have been handled. */
export async function turns(count = 3): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export const update = (n: number): object => ({ jsonrpc: '2.0', method: 'session/update', params: { n } });
