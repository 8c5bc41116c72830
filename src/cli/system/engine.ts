/** The engine that has the user's conversations, as a command uses it. */
import { existsSync } from 'node:fs';
import { EngineAccess, EngineClient, type EngineNotice, type FrontEndServices, hasOwnProtocols, stateFolder } from '../../core/index.js';
import type { Io } from './io.js';
import { packageVersion } from './packageVersion.js';

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
}

/** @throws HostError why there is no engine */
export async function useEngine(
  { state, services = {}, onNotice = () => {}, onlyReads = false }: EngineUseOptions,
  io: Io,
): Promise<EngineUse> {
  const folder = stateFolder(state, io);
  // Only this program knows agents with protocols of its own.
  const place = onlyReads && !existsSync(folder) ? 'alone' : hasOwnProtocols() ? 'here' : 'process';
  const access = new EngineAccess({ stateFolder: folder, version: packageVersion(), program: 'terminal', env: io.env }, place);
  const client = new EngineClient({
    connect: () => access.connect(),
    attaching: { program: 'terminal', isOneShot: true, keepAliveMs: 0 },
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
