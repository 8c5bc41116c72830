/** A front end over a socket that is cut again and again. The seed determines after how much; `ACP_HOST_TEST_CUTS` sets another one. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CommandResult } from '../../../src/core/index.js';
import type { Batch } from '../../../src/core/conversation/events.js';
import { ChannelServer, RemoteReplica, type Replica, type Replicated, type Source } from '../../../src/core/engine/replica.js';
import { createSocketWire } from '../../../src/core/link/socketWire.js';
import type { Wire } from '../../../src/core/link/wire.js';
import { randomFrom } from '../../chaos/plan.js';

const seed = Number(process.env['ACP_HOST_TEST_CUTS'] ?? 1);
const mostMessages = 6;

interface Followed<State, BatchEvent, Command> {
  readonly client: Replica<State, BatchEvent, Command>;
  close(): void;
}

/**
 * Connects a front end as the engine does, and again whenever the connection was cut. It is cut between two commands, because one whose answer is
 * lost may have been obeyed or not, which nobody but the user could decide.
 */
export async function followOverCuts<State extends { readonly revision: number }, BatchEvent, Command>(
  source: Source<State, BatchEvent> & { execute(command: Command): Promise<CommandResult> },
  initial: State,
  reduce: (state: State, batch: Batch<BatchEvent>) => State,
): Promise<Followed<State, BatchEvent, Command>> {
  const random = randomFrom(seed);
  let asked = 0;
  let isClosed = false;
  let wire: Promise<Wire>;
  const call = async (method: string, params?: unknown): Promise<unknown> => {
    asked++;
    try {
      return await (await wire).call(method, params);
    } finally {
      asked--;
    }
  };
  const replica = new RemoteReplica<State, BatchEvent, Command>({
    initial,
    reduce,
    execute: async (command) => (await call('execute', command)) as CommandResult,
    resync: () => void call('resync').catch(() => {}),
  });
  const attach = async (): Promise<Wire> => {
    const [front, own] = (await openSockets()).map((socket) => createSocketWire(socket)) as [Wire, Wire];
    let left = 1 + Math.floor(random() * mostMessages);
    front.onTold(({ message }) => {
      if (left-- > 0 || asked > 0) return replica.receive(message as Exclude<Replicated<State, BatchEvent>, { type: 'closed' }>);
      // This message is lost, and what follows it on the wire.
      if (!isClosed) wire = attach();
      front.dispose();
    });
    own.serve(async (method, params) => {
      if (method === 'resync') return server.snapshot();
      const result = await source.execute(params as Command);
      await server.flush();
      return result;
    });
    const server = new ChannelServer<State, BatchEvent>({ source, wire: own, channel: 'source' });
    own.onClosed(() => server.dispose());
    return front;
  };
  const first = new Promise<void>((resolve) => replica.onChange(() => resolve()));
  wire = attach();
  await first;
  return {
    client: replica,
    close() {
      isClosed = true;
      replica.dispose();
      void wire.then((last) => last.dispose());
    },
  };
}

/** Two ends of a connection, both paused. */
async function openSockets(): Promise<readonly [Socket, Socket]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-cut-'));
  const server = createServer({ pauseOnConnect: true }).listen(path.join(folder, 's'));
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const socket = connect(path.join(folder, 's')).pause();
  const [[other]] = await Promise.all([accepted, once(socket, 'connect')]);
  server.close();
  await rm(folder, { recursive: true });
  return [socket, other];
}
