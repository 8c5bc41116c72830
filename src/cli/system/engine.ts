/** The engine that has the user's conversations, as a command uses it. */
import { existsSync } from 'node:fs';
import {
  connectToEngineProcess,
  EngineClient,
  EngineHere,
  type EngineNotice,
  type EngineProcessOptions,
  type FrontEndServices,
  hasOwnProtocols,
  HostError,
  isUnsaved,
  stateFolder,
  toHostError,
  type Wire,
} from '../../core/index.js';
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
  const options = { stateFolder: folder, version: packageVersion(), program: 'terminal', env: io.env } as const;
  const connection = new Connection(options, onlyReads && !existsSync(folder));
  const client = new EngineClient({
    connect: () => connection.connect(),
    attaching: { program: 'terminal', isOneShot: true, keepAliveMs: 0 },
    services,
  });
  client.onNotice(onNotice);
  await client.connected();
  return {
    client,
    async end() {
      await client.leave();
      await connection.end();
    },
  };
}

/** The engine of the folder, in its own process; in this one if nothing can be saved there, or if only this program knows its agents. */
class Connection {
  readonly #options: EngineProcessOptions;
  #here: EngineHere | undefined;

  constructor(options: EngineProcessOptions, isEmpty: boolean) {
    this.#options = options;
    if (isEmpty) this.#here = new EngineHere({ ...options, isFound: false });
    else if (hasOwnProtocols()) this.#here = new EngineHere({ ...options, isFound: true });
  }

  async connect(): Promise<Wire> {
    if (this.#here !== undefined) return this.#here.connect();
    try {
      const wire = await connectToEngineProcess(this.#options);
      if (wire === undefined) throw new HostError('engine_lost', { reason: 'closed' });
      return wire;
    } catch (error) {
      if (!isUnsaved(toHostError(error))) throw error;
      this.#here = new EngineHere({ ...this.#options, isFound: false });
      return this.#here.connect();
    }
  }

  async end(): Promise<void> {
    await this.#here?.end();
  }
}
