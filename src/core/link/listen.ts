/** The engine's side of the link. */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { tmpdir } from 'node:os';
import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.js';
import { HostError, systemFacts } from '../base/errors.js';
import { watchFolder } from '../node/folderWatch.js';
import { isPrivateFolder, makePrivateFolder } from '../node/privateFiles.js';
import { markOfThisProcess } from '../node/processTree.js';
import { realFolderPath, removeSmallFile } from '../node/smallFiles.js';
import {
  claimStateFolder,
  createEngineFile,
  type EngineFile,
  engineFilePath,
  mayStillName,
  reachEngine,
  readEngineFile,
  replaceEngineFile,
  withdrawEngineFile,
  writeEngineFacts,
} from './engineFile.js';
import { type EngineStatus, Greeting, type Hello } from './greeting.js';
import { createSocketWire } from './socketWire.js';
import type { Wire } from './wire.js';

export interface ServeOptions {
  /** Absolute; created if it is missing. */
  readonly stateFolder: string;
  /** Of ACP Host. */
  readonly version: string;
  readonly linkVersion: number;
  /** Returns the number of turns that are running. */
  isBusy(): number;
  /** The wire belongs to the engine. Its handler must be set before this returns. */
  onConnection(wire: Wire, hello: Hello): void;
  /** The published file names another engine, which owns the folder now. Called at most once. */
  onDisplaced(): void;
  /**
   * A newer front end asked this engine to end, and no turn runs. Dispose of the listening when everything is written: the next engine
   * starts then.
   */
  onEndRequested(): void;
}

const greetingMs = 10_000;
const pollMs = 2_000;
const retryMs = 20;

/**
 * Becomes the engine of a state folder. Disposing withdraws the file, if it still names this engine, and closes the socket. Wires stay open.
 * @returns `lost` if another engine has the folder
 * @throws HostError `engine_failed`, `engine_hangs`
 */
export async function listenAsEngine(options: ServeOptions): Promise<Disposable | 'lost'> {
  const file = engineFilePath(options.stateFolder);
  const address = newAddress(options.stateFolder, process.env);
  const token = randomBytes(32).toString('base64url');
  const mark = await markOfThisProcess();
  const text = writeEngineFacts({ linkVersion: options.linkVersion, productVersion: options.version, ...mark, address, token });
  const owned = new DisposableStore();
  try {
    const engine = owned.add(new EngineSocket(options, token));
    // Before it is published, so that only a dead engine's socket refuses.
    await engine.listen(address);
    if (!(await publish(file, text, path.dirname(address)))) {
      owned.dispose();
      return 'lost';
    }
    owned.add(toDisposable(() => withdrawEngineFile(file, text)));
    engine.watch(file, text, owned);
    return owned;
  } catch (error) {
    owned.dispose();
    throw error;
  }
}

/** @returns false if there is a living engine */
async function publish(file: string, text: string, socketFolder: string): Promise<boolean> {
  for (;;) {
    const found = readEngineFile(file);
    claimStateFolder(file);
    if (found === undefined) {
      if (createEngineFile(file, text)) return true;
      continue;
    }
    const socket = await reachEngine(file, found);
    if (socket !== undefined) {
      socket.destroy();
      return false;
    }
    if (replaceEngineFile(file, found, text)) {
      removeDeadSocket(found, socketFolder);
      return true;
    }
    // Another starter is at it, or was faster.
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}

function removeDeadSocket({ facts }: EngineFile, socketFolder: string): void {
  if (process.platform !== 'win32' && facts !== undefined && path.dirname(facts.address) === socketFolder) removeSmallFile(facts.address);
}

class EngineSocket implements Disposable {
  readonly #options: ServeOptions;
  readonly #token: string;
  readonly #server: Server;
  /** Not connected yet. */
  readonly #greeted = new Set<Socket>();
  #isEnding = false;

  constructor(options: ServeOptions, token: string) {
    this.#options = options;
    this.#token = token;
    this.#server = createServer((socket) => {
      this.#greeted.add(socket);
      void this.#greet(socket).finally(() => this.#greeted.delete(socket));
    });
  }

  /** @throws HostError `engine_failed` */
  listen(address: string): Promise<void> {
    return new Promise((resolve, reject) => {
      // Stays, because an error without a listener would end the process.
      this.#server.on('error', (cause) =>
        reject(new HostError('engine_failed', { reason: 'not_listening', address, ...systemFacts(cause) }, { cause })),
      );
      this.#server.listen(address, resolve);
    });
  }

  /** Notices when the file no longer names this engine. */
  watch(file: string, text: string, owned: DisposableStore): void {
    const watched = owned.add(new DisposableStore());
    const check = (): void => {
      if (watched.disposed || mayStillName(file, text)) return;
      watched.dispose();
      this.#isEnding = true;
      this.#options.onDisplaced();
    };
    const poll = setInterval(check, pollMs).unref();
    watched.add(toDisposable(() => clearInterval(poll)));
    const onChange = (names?: readonly string[]): void => {
      if (names?.includes(path.basename(file)) !== false) check();
    };
    watched.add(watchFolder({ directory: path.dirname(file), pollMs, onChange }));
    check();
  }

  dispose(): void {
    this.#isEnding = true;
    this.#server.close();
    for (const socket of this.#greeted) socket.destroy();
  }

  async #greet(socket: Socket): Promise<void> {
    const { linkVersion, version, isBusy, onConnection } = this.#options;
    const status = (): EngineStatus => ({ version, linkVersion, turns: isBusy(), isEnding: this.#isEnding });
    try {
      const greeting = new Greeting(socket, greetingMs);
      const hello = await greeting.greetFrontEnd(this.#token);
      greeting.answer(status());
      for (;;) {
        const wish = await greeting.nextWish();
        const now = status();
        const granted =
          !now.isEnding && ((wish === 'attach' && hello.linkVersion === linkVersion) || (wish === 'end_if_idle' && now.turns === 0));
        greeting.answer({ granted, status: now });
        if (!granted) continue;
        if (wish === 'attach') return onConnection(createSocketWire(greeting.release()), hello);
        this.#isEnding = true;
        this.#options.onEndRequested();
      }
    } catch {
      // The other end learns why it is not connected from what it was answered, or that the socket is closed.
      socket.destroy();
    }
  }
}

// Where an engine listens: a path that is short, whatever the state folder is called, in a folder that only the user can enter.

/** Systems allow 104 to 108, including the zero at the end. */
const maxPathBytes = 100;

/** @throws HostError `engine_failed` if the folder for sockets can't be trusted or created */
export function newAddress(stateFolder: string, env: NodeJS.ProcessEnv): string {
  const folderHash = createHash('sha256').update(realFolderPath(stateFolder)).digest('hex').slice(0, 10);
  const name = `${folderHash}-${randomBytes(5).toString('hex')}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\acp-host-${name}`;
  return path.join(socketFolder(env, name.length + 1), name);
}

function socketFolder(env: NodeJS.ProcessEnv, nameBytes: number): string {
  const uid = process.getuid?.() ?? 0;
  const runtime = env['XDG_RUNTIME_DIR'];
  const candidates = [
    ...(runtime !== undefined && isTrusted(runtime) ? [path.join(runtime, 'acp-host')] : []),
    path.join(env['TMPDIR'] ?? tmpdir(), `acp-host-${uid}`),
  ];
  const folder =
    candidates.find((one) => path.isAbsolute(one) && Buffer.byteLength(one) + nameBytes < maxPathBytes) ??
    path.join('/tmp', `acp-host-${uid}`);
  let distrust: ReturnType<typeof makePrivateFolder>;
  try {
    distrust = makePrivateFolder(folder);
  } catch (cause) {
    throw new HostError('engine_failed', { reason: 'not_listening', address: folder, ...systemFacts(cause) }, { cause });
  }
  if (distrust !== undefined) throw new HostError('engine_failed', { reason: `unsafe_${distrust}`, path: folder });
  return folder;
}

/** The specification of XDG_RUNTIME_DIR says so; `su` and containers sometimes pass on the folder of another user. */
function isTrusted(folder: string): boolean {
  try {
    return path.isAbsolute(folder) && isPrivateFolder(folder) === undefined;
  } catch {
    return false;
  }
}
