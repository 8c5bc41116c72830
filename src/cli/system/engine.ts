/** The engine that has the user's conversations, as a command uses it. */
import { existsSync } from 'node:fs';
import {
  type Attaching,
  connectToEngineProcess,
  EngineAccess,
  EngineClient,
  type EngineNotice,
  type FrontEndServices,
  hasOwnProtocols,
  HostError,
  stateFolder,
  toHostError,
} from '../../core/index.js';
import type { Io } from './io.js';
import { packageVersion } from './ownPackage.js';

export interface EngineUse {
  readonly client: EngineClient;
  /** Leaves the engine. Resolves when it has ended, if nobody else uses it. */
  end(): Promise<void>;
}

export interface EngineUseOptions {
  /** `--state` */
  readonly state: string | undefined;
  readonly services?: FrontEndServices;
  readonly onNotice?: (notice: EngineNotice) => void;
  /** Nothing will be saved, so there need be no folder. */
  readonly onlyReads?: boolean;
  /** By default, the conversations that only this command has open end with it. */
  readonly use?: Attaching['use'];
}

/** @throws HostError why there is no engine */
export async function useEngine(
  { state, services = {}, onNotice = () => {}, onlyReads = false, use = 'once' }: EngineUseOptions,
  io: Io,
): Promise<EngineUse> {
  const folder = stateFolder(state, io);
  // Only this program knows agents with protocols of its own.
  const place = onlyReads && !existsSync(folder) ? 'alone' : hasOwnProtocols() ? 'here' : 'process';
  const access = new EngineAccess({ stateFolder: folder, version: packageVersion(), program: 'terminal', env: io.env }, place);
  const client = new EngineClient({
    connect: () => access.connect(),
    attaching: { program: 'terminal', use },
    services,
  });
  client.onNotice(onNotice);
  await client.connected();
  return {
    client,
    async end() {
      await client.leave();
      await access.end();
    },
  };
}

/**
 * Looks at the engine that runs, and neither starts one nor keeps it running. If it ends while it is asked, the question is asked again.
 * @param ask gets undefined if no engine runs
 * @throws HostError why the engine can't be reached, or what `ask` throws
 */
export async function askEngine<T>(state: string | undefined, io: Io, ask: (client: EngineClient | undefined) => Promise<T>): Promise<T> {
  for (let mayBeLost = true; ; mayBeLost = false) {
    const client = await findEngine(state, io);
    try {
      return await ask(client);
    } catch (error) {
      if (!mayBeLost || toHostError(error).code !== 'engine_lost') throw error;
    } finally {
      client?.dispose();
    }
  }
}

/** @returns undefined if no engine runs @throws HostError why it can't be reached */
async function findEngine(state: string | undefined, io: Io): Promise<EngineClient | undefined> {
  const options = {
    stateFolder: stateFolder(state, io),
    version: packageVersion(),
    program: 'terminal',
    env: io.env,
    mayStart: false,
  } as const;
  let isThere = true;
  const client = new EngineClient({
    async connect() {
      const wire = await connectToEngineProcess(options);
      isThere = wire !== undefined;
      if (wire === undefined) throw new HostError('disposed', { reason: 'connection' });
      return wire;
    },
    attaching: { program: 'terminal', use: 'look' },
    services: {},
  });
  try {
    await client.connected();
    return client;
  } catch (error) {
    client.dispose();
    if (isThere) throw error;
    return undefined;
  }
}
