import { HostError, toHostError } from '../base/errors.js';
import { nullLogger } from '../base/logger.js';
import { engineFilePath } from '../link/engineFile.js';
import { type Listening, type ServeOptions, listenAsEngine } from '../link/listen.js';
import type { Wire } from '../link/wire.js';
import { unseenFile } from '../store/stateFolder.js';
import { linkVersion } from './contract.js';
import { Engine } from './engine.js';
import { connectToEngineProcess, type EngineProcessOptions } from './engineProcess.js';

/**
 * Where the engine is to run if there is none. `process`: in one of its own. `here`: in this process, which others find. `alone`: in this
 * process, which no one else finds.
 */
export type EnginePlace = 'process' | 'here' | 'alone';

/** The paths of files of which one exists while an engine runs, or since something ended in one that no front end showed. */
export function signsOfWork(stateFolder: string): readonly string[] {
  return [engineFilePath(stateFolder), unseenFile(stateFolder)];
}

/** Lets front ends find the engine. @returns `lost` if the state folder has another engine @throws HostError `engine_failed` */
export function publishEngine(
  engine: Engine,
  options: Pick<ServeOptions, 'stateFolder' | 'version' | 'onEndRequested' | 'onDisplaced'>,
): Promise<Listening | 'lost'> {
  return listenAsEngine({
    ...options,
    linkVersion,
    log: nullLogger,
    isBusy: () => engine.running,
    onConnection: (wire) => engine.accept(wire),
  });
}

/** How a front end reaches the engine of its state folder. If nothing can be saved there, an engine in this process works without a folder. */
export class EngineAccess {
  readonly #options: EngineProcessOptions;
  #place: EnginePlace;
  #engine: Engine | undefined;
  #listening: Listening | undefined;

  constructor(options: EngineProcessOptions, place: EnginePlace) {
    this.#options = options;
    this.#place = place;
  }

  /** @throws HostError why the engine can't be reached */
  async connect(): Promise<Wire> {
    try {
      if (this.#place !== 'process') return await this.#here();
      const wire = await connectToEngineProcess(this.#options);
      if (wire === undefined) throw new HostError('engine_lost', { reason: 'closed' });
      return wire;
    } catch (thrown) {
      const { code, params } = toHostError(thrown);
      if (this.#place === 'alone' || code !== 'engine_failed' || params.reason !== 'folder_unwritable') throw thrown;
      this.#place = 'alone';
      return this.#here();
    }
  }

  /** Ends an engine in this process, with its agents, gracefully. */
  async end(): Promise<void> {
    await this.#engine?.close(() => this.#listening?.dispose());
  }

  async #here(): Promise<Wire> {
    const { stateFolder, version, limits } = this.#options;
    while (this.#engine === undefined) {
      const found = this.#place === 'here' ? await connectToEngineProcess({ ...this.#options, mayStart: false }) : undefined;
      if (found !== undefined) return found;
      const engine = new Engine({ stateFolder, version, location: 'window', limits, onIdle: () => {} });
      if (this.#place === 'here' && !(await this.#publish(engine))) engine.dispose();
      else {
        this.#engine = engine;
        await engine.load();
      }
    }
    return this.#engine.connect();
  }

  /** @returns false if another engine was faster */
  async #publish(engine: Engine): Promise<boolean> {
    const { stateFolder, version } = this.#options;
    const onDisplaced = (): void => {
      this.#engine = undefined;
      engine.dispose();
    };
    const listening = await publishEngine(engine, { stateFolder, version, onDisplaced });
    if (listening === 'lost') return false;
    this.#listening = listening;
    return true;
  }
}
