import type { HostError } from '../base/errors.js';
import { nullLogger } from '../base/logger.js';
import type { Listening } from '../link/listen.js';
import { listenAsEngine } from '../link/listen.js';
import type { Wire } from '../link/wire.js';
import { linkVersion } from './contract.js';
import { Engine } from './engine.js';
import { connectToEngineProcess, type EngineProcessOptions } from './engineProcess.js';

export interface EngineHereOptions extends EngineProcessOptions {
  /** If false, no other front end finds it: nothing can be saved, so nothing can be shared. */
  readonly isFound: boolean;
}

/** An engine in this process, which ends with it; if another one has the state folder, that one. */
export class EngineHere {
  readonly #options: EngineHereOptions;
  #engine: Engine | undefined;
  #listening: Listening | undefined;

  constructor(options: EngineHereOptions) {
    this.#options = options;
  }

  /** @throws HostError as connectToEngineProcess */
  async connect(): Promise<Wire> {
    const { isFound, stateFolder, version, limits } = this.#options;
    while (this.#engine === undefined) {
      const wire = isFound ? await connectToEngineProcess({ ...this.#options, mayStart: false }) : undefined;
      if (wire !== undefined) return wire;
      const engine = new Engine({ stateFolder, version, location: 'window', limits, onIdle: () => {} });
      if (!isFound || (await this.#listen(engine))) {
        this.#engine = engine;
        await engine.load();
      } else engine.dispose();
    }
    return this.#engine.connect();
  }

  /** Ends its agents gracefully. */
  async end(): Promise<void> {
    await this.#engine?.close();
    this.#listening?.dispose();
  }

  /** @returns false if another engine was faster */
  async #listen(engine: Engine): Promise<boolean> {
    const { stateFolder, version } = this.#options;
    const listening = await listenAsEngine({
      stateFolder,
      version,
      linkVersion,
      log: nullLogger,
      isBusy: () => engine.running,
      onConnection: (wire) => engine.accept(wire),
      onDisplaced: () => engine.dispose(),
    });
    if (listening === 'lost') return false;
    this.#listening = listening;
    return true;
  }
}

/** Whether an engine cannot have the state folder, because nothing can be written there. It can still work, without saving anything. */
export function isUnsaved({ code, params: { reason } }: HostError): boolean {
  return code === 'engine_failed' && reason === 'folder_unwritable';
}
