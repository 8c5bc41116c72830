import type { Logger } from '../base/logger.js';
import { type ProcessIdentity, endTree } from '../node/processTree.js';
import { endOnWindows, listWindowsTree } from '../node/windowsProcesses.js';
import type { RunningProcess } from './stopProcess.js';

/** The operations of Windows on processes. */
export interface WindowsSystem {
  /** See listWindowsTree. */
  readonly list: (root: RunningProcess) => Promise<readonly ProcessIdentity[]>;
  /** See endTree. */
  readonly end: (pid: number) => Promise<void>;
  /** See endOnWindows. */
  readonly endThose: (processes: readonly ProcessIdentity[]) => Promise<void>;
}

const windows: WindowsSystem = { list: listWindowsTree, end: endTree, endThose: endOnWindows };

/**
 * Windows has no gentle signal. Lists what the process has started before the process ends, because it may be left behind. If a step fails,
 * this logs the error and continues with the next step. Never rejects.
 * @param ends resolves to whether it ended after its input was closed
 * @param isGone resolves to whether it ended in the end
 */
export async function stopOnWindows(
  running: RunningProcess,
  { ends, isGone }: { readonly ends: () => Promise<boolean>; readonly isGone: () => Promise<boolean> },
  log: Logger,
  system = windows,
): Promise<boolean> {
  const { pid } = running;
  const started = await system.list(running).catch((error: unknown): readonly ProcessIdentity[] => {
    log.warn('Could not list the child processes of the agent; some may keep running', { pid }, error);
    return [];
  });
  running.closeInput();
  if (!(await ends())) {
    await system.end(pid).catch((error: unknown) => {
      log.warn('Could not end the agent and its child processes', { pid }, error);
      running.signal('SIGKILL');
    });
  }
  const gone = await isGone();
  await system.endThose(started).catch((error: unknown) => {
    log.warn('Could not end the processes that the agent left behind', { pid, left: started.map((one) => one.pid) }, error);
  });
  return gone;
}
