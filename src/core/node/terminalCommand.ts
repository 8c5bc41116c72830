import { endTree, goneWithin, identifyProcess, listTree, type ProcessIdentity, signalAll } from './processTree.js';
import { spawnInTerminal, type SpawnOptions } from './spawnProcess.js';

/** How long the command may take to end by itself after SIGTERM. */
const terminateMs = 2_000;
/** Even SIGKILL does not end a process that hangs in the kernel. */
const killedMs = 5_000;

/**
 * Runs a program with this process's own stdin, stdout and stderr, and thus in its terminal.
 * @param signal ends the program and everything that it started
 * @returns its exit code, once all of it has ended; null if a signal ended it
 * @throws HostError like spawnProcess
 */
export async function runInTerminal(options: Omit<SpawnOptions, 'ownGroup'>, signal: AbortSignal): Promise<number | null> {
  const { pid, exited } = await spawnInTerminal(options);
  const identity = await identifyProcess(pid);
  const stopped = new Promise<null>((resolve, reject) => {
    const stop = (): void => void end(pid, identity).then(() => resolve(null), reject);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    void exited.then(() => signal.removeEventListener('abort', stop));
  });
  const code = await Promise.race([exited, stopped]);
  return signal.aborted ? stopped : code;
}

async function end(pid: number, identity: ProcessIdentity | undefined): Promise<void> {
  if (process.platform === 'win32') return endTree(pid);
  if (identity === undefined) return;
  const family = await listTree(identity);
  await signalAll(family, 'SIGTERM');
  await goneWithin(family, terminateMs);
  // Includes what was started in the meantime.
  const left = [...family, ...(await listTree(identity))];
  await signalAll(left, 'SIGKILL');
  await goneWithin(left, killedMs);
}
