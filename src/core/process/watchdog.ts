import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Disposable } from '../base/disposable.js';
import type { Logger } from '../base/logger.js';
import type { ProcessIdentity } from '../node/processTree.js';
import { type Companion, spawnCompanion } from '../node/spawnProcess.js';
import { type WatchdogOrder, type WatchedProcess, writeOrder } from './watchdogOrders.js';

/** After the last agent: the next one often comes at once, after a crash or in another window. */
const lingerMs = 5_000;

/** One that was ended is started again; one that ends by itself would do so each time. */
const maxStartsAgain = 3;

export interface Watch extends Disposable {
  /** What the process has started by now, as far as it is known. */
  family(members: readonly ProcessIdentity[]): void;
}

/**
 * The one companion of this process that ends its agents should it die without ending them itself. Runs only while there is an agent.
 * It holds the other end of a pipe that nobody else has: the system closes it, however this process ends.
 */
class Watchdog {
  readonly #watched = new Map<number, WatchedProcess>();
  #companion: Companion | undefined;
  #startsAgain = 0;
  #linger: NodeJS.Timeout | undefined;

  watch(watched: WatchedProcess, log: Logger): void {
    clearTimeout(this.#linger);
    this.#watched.set(watched.pid, watched);
    if (this.#companion === undefined) this.#start(log);
    else this.#tell({ type: 'watch', watched });
  }

  forget(pid: number): void {
    if (!this.#watched.delete(pid)) return;
    this.#tell({ type: 'forget', pid });
    if (this.#watched.size > 0) return;
    this.#linger = setTimeout(() => this.#end(), lingerMs).unref();
  }

  #start(log: Logger): void {
    let companion: Companion;
    try {
      companion = spawnCompanion(program());
    } catch (error) {
      return log.warn('There is no watchdog that ends agents with this program; should it be killed, agents may be left', error);
    }
    this.#companion = companion;
    for (const watched of this.#watched.values()) this.#tell({ type: 'watch', watched });
    void companion.ended.then((how) => this.#onEnded(companion, how, log));
  }

  #onEnded(companion: Companion, how: string, log: Logger): void {
    if (companion !== this.#companion) return;
    this.#companion = undefined;
    if (this.#watched.size === 0) return;
    const again = this.#startsAgain++ < maxStartsAgain;
    log.warn(
      `The watchdog that ends agents with this program ended (${how})${again ? ' and is started again' : '; should this program be killed, agents may be left'}`,
    );
    if (again) this.#start(log);
  }

  #tell(order: WatchdogOrder): void {
    this.#companion?.tell(writeOrder(order));
  }

  #end(): void {
    this.#companion?.end();
    this.#companion = undefined;
  }
}

const watchdog = new Watchdog();

/**
 * The process is ended should this one die. Disposed of when it is gone, and what it started too.
 * @param mark what it has in its environment, and no other process but those that it starts
 */
export function watchProcess(
  watched: { readonly pid: number; readonly startedMs: number; readonly identity: ProcessIdentity | undefined; readonly mark: string },
  log: Logger,
): Watch {
  watchdog.watch({ ...watched, family: [] }, log);
  return {
    family: (members) => watchdog.watch({ ...watched, family: members }, log),
    dispose: () => watchdog.forget(watched.pid),
  };
}

/** Bundled, it lies beside the bundle that this is in; from source both run through tsx. */
function program(): Parameters<typeof spawnCompanion>[0] {
  const isSource = import.meta.url.endsWith('.ts');
  const script = fileURLToPath(new URL(isSource ? './watchdogMain.ts' : './watchdog.cjs', import.meta.url));
  const loader = isSource ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : [];
  const { NODE_OPTIONS: _forUs, ...env } = process.env;
  return {
    file: process.execPath,
    args: [...loader, script],
    // Not a folder that somebody wants to remove.
    cwd: path.parse(process.execPath).root,
    // In an editor our program is Electron.
    env: { ...env, ELECTRON_RUN_AS_NODE: '1' },
  };
}
