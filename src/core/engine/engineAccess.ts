import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as z from 'zod/mini';
import type { Disposable } from '../base/disposable.js';
import { HostError, toHostError } from '../base/errors.js';
import { parseJson } from '../base/parseJson.js';
import { connectToEngine } from '../link/connect.js';
import { engineFilePath } from '../link/engineFile.js';
import type { Hello } from '../link/greeting.js';
import { type EngineProgram, findNode, launchEngine } from '../link/launchEngine.js';
import { listenAsEngine, type ServeOptions } from '../link/listen.js';
import type { Wire } from '../link/wire.js';
import { existsNow } from '../node/files.js';
import { unseenFile } from '../store/stateFolder.js';
import { linkVersion } from './contract.js';
import { Engine } from './engine.js';

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
): Promise<Disposable | 'lost'> {
  return listenAsEngine({
    ...options,
    linkVersion,
    isBusy: () => engine.running,
    onConnection: (wire) => engine.accept(wire),
  });
}

/** How long the engine of a newer version may take to start. */
const newerMs = 10_000;
const pollMs = 25;

/** Resolves when the state folder has another engine. Front ends that are left before would start one of their own version. */
export async function nextEngine(stateFolder: string): Promise<void> {
  const until = Date.now() + newerMs;
  while (!existsNow(engineFilePath(stateFolder)) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, pollMs));
}

/** How a front end reaches the engine of its state folder. If nothing can be saved there, an engine in this process works without a folder. */
export class EngineAccess {
  readonly #options: EngineProcessOptions;
  #place: EnginePlace;
  #engine: Engine | undefined;
  #listening: Disposable | undefined;
  /** Until the engine in this process has left its folder to that of a newer version. */
  #leaving: Promise<void> | undefined;

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
    // It accepts nobody any more.
    await this.#leaving;
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
      if (this.#engine === engine) this.#engine = undefined;
      engine.dispose();
    };
    const onEndRequested = (): void => {
      const ended = engine.close(() => {
        this.#listening?.dispose();
        return nextEngine(stateFolder);
      });
      this.#leaving = ended.then(onDisplaced);
    };
    const listening = await publishEngine(engine, { stateFolder, version, onEndRequested, onDisplaced });
    if (listening === 'lost') return false;
    this.#listening = listening;
    return true;
  }
}

// An engine in a process of its own: how a front end finds or starts it.

export interface EngineArguments {
  /** Absolute. */
  readonly stateFolder: string;
  /** Of ACP Host. */
  readonly version: string;
  readonly limits?: { readonly perSessionBytes?: number | undefined; readonly totalBytes?: number | undefined } | undefined;
}

const schema: z.ZodMiniType<EngineArguments> = z.object({
  stateFolder: z.string(),
  version: z.string(),
  limits: z.optional(z.object({ perSessionBytes: z.optional(z.number()), totalBytes: z.optional(z.number()) })),
});

/** @returns undefined for anything else */
export function parseEngineArguments(text: string | undefined): EngineArguments | undefined {
  const parsed = schema.safeParse(text === undefined ? undefined : parseJson(text));
  return parsed.success ? parsed.data : undefined;
}

export interface EngineProcessOptions extends EngineArguments {
  readonly program: Hello['program'];
  /** Where to look for Node. */
  readonly env: NodeJS.ProcessEnv;
  /** If false, no engine is started. */
  readonly mayStart?: boolean;
}

/** How long an engine may take to start on a busy machine. */
const startMs = 30_000;

/**
 * Connects to the engine of a state folder, and starts it if there is none.
 * @returns undefined if there is none and it may not start @throws HostError as connectToEngine
 */
export function connectToEngineProcess({ program, env, mayStart = true, ...args }: EngineProcessOptions): Promise<Wire | undefined> {
  return connectToEngine({
    stateFolder: args.stateFolder,
    hello: { version: args.version, linkVersion, program, pid: process.pid },
    ...(mayStart && { launch: async () => launchEngine({ program: await programFor(args, env), timeoutMs: startMs }) }),
  });
}

/**
 * What the engine needs of our environment: where the system, its programs, libraries and certificates are. The environment of an agent is
 * that of the front end that opens its conversation; keys have no place here.
 */
const needed =
  /^(?:PATH|PATHEXT|SystemRoot|windir|TE?MP|TMPDIR|HOME|USERPROFILE|USERNAME|USER|LOGNAME|LANG|LC_.*|TZ|XDG_RUNTIME_DIR|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|ACP_HOST_(?!.*KEY).*)$/i;

/** In a package, the program is beside the bundle with this code; from source, both run through tsx. */
async function programFor(args: EngineArguments, env: NodeJS.ProcessEnv): Promise<EngineProgram> {
  const isSource = import.meta.url.endsWith('.ts');
  const script = fileURLToPath(new URL(isSource ? './engineMain.ts' : './engine.mjs', import.meta.url));
  const loader = isSource ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : [];
  const node = await findNode(env, process.execPath, process.versions['electron'] !== undefined);
  return {
    file: node.file,
    args: [...loader, script, JSON.stringify(args)],
    // The root folder, because a process keeps its folder from being removed.
    cwd: path.parse(node.file).root,
    env: { ...Object.fromEntries(Object.entries(env).filter(([name]) => needed.test(name))), ...node.env },
  };
}
