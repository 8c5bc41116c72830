import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Disposable } from '../base/disposable.js';
import type { Logger } from '../base/logger.js';
import type { ProcessIdentity } from '../node/processTree.js';
import { type Companion, spawnCompanion } from '../node/spawnProcess.js';
import { type WatchdogOrder, type WatchedProcess, writeOrder } from './watchdogOrders.js';

/** How long the watchdog stays after the last agent ended. The next agent often starts at once, after a crash or in another window. */
const lingerMs = 5_000;

/** A watchdog that was killed is restarted. One that fails by itself would do so every time. */
const maxRestarts = 3;

export interface Watch extends Disposable {
  /** Reports the known descendants of the process. */
  family(members: readonly ProcessIdentity[]): void;
}

/**
 * The companion of this process that ends its agents if it dies without ending them. It only runs while there are agents. Only this process
 * has the other end of its pipe, so the system closes the pipe however this process ends.
 */
class Watchdog {
  readonly #watched = new Map<number, WatchedProcess>();
  #companion: Companion | undefined;
  #restarts = 0;
  #linger: NodeJS.Timeout | undefined;

  watch(watched: WatchedProcess, log: Logger): void {
    clearTimeout(this.#linger);
    this.#watched.set(watched.pid, watched);
    if (this.#companion === undefined) this.#start(log);
    else this.#send({ type: 'watch', watched });
  }

  forget(pid: number): void {
    if (!this.#watched.delete(pid)) return;
    this.#send({ type: 'forget', pid });
    if (this.#watched.size > 0) return;
    this.#linger = setTimeout(() => this.#end(), lingerMs).unref();
  }

  #start(log: Logger): void {
    let companion: Companion;
    try {
      companion = spawnCompanion(program());
    } catch (error) {
      return log.warn('Could not start the watchdog; if this program is killed, its agents may keep running', error);
    }
    this.#companion = companion;
    for (const watched of this.#watched.values()) this.#send({ type: 'watch', watched });
    void companion.ended.then((how) => this.#onEnded(companion, how, log));
  }

  #onEnded(companion: Companion, how: string, log: Logger): void {
    if (companion !== this.#companion) return;
    this.#companion = undefined;
    if (this.#watched.size === 0) return;
    const restarts = this.#restarts++ < maxRestarts;
    log.warn(`The watchdog ended (${how})${restarts ? '; restarting it' : '; if this program is killed, its agents may keep running'}`);
    if (restarts) this.#start(log);
  }

  #send(order: WatchdogOrder): void {
    this.#companion?.tell(writeOrder(order));
  }

  #end(): void {
    this.#companion?.end();
    this.#companion = undefined;
  }
}

const watchdog = new Watchdog();

/**
 * Has the watchdog end a process if this process dies. Dispose of it when the process and everything that it started are gone.
 * @param mark a text in the environment of the process and of what it starts, and of no other process
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

/**
 * What the watchdog needs of our environment: where the system, its programs and libraries are, and the marks of hosts and tests that look
 * for it. It has no use for keys.
 */
const needed = /^(?:PATH|PATHEXT|SystemRoot|windir|TE?MP|TMPDIR|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH|ACP_HOST_AGENT_ID|ACP_HOST_TEST_RUN)$/i;

/** In a bundle, the watchdog is next to the bundle with this code; from source, both run through tsx. */
function program(): Parameters<typeof spawnCompanion>[0] {
  const isSource = import.meta.url.endsWith('.ts');
  const script = fileURLToPath(new URL(isSource ? './watchdogMain.ts' : './watchdog.cjs', import.meta.url));
  const loader = isSource ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : [];
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => needed.test(name)));
  return {
    file: process.execPath,
    args: [...loader, script],
    // The root folder, because Windows does not remove the current folder of a process.
    cwd: path.parse(process.execPath).root,
    // In an editor, `process.execPath` is Electron.
    env: { ...env, ELECTRON_RUN_AS_NODE: '1' },
  };
}
