import type { Logger } from '../base/logger.js';
import { type ProcessIdentity, endTree } from '../node/processTree.js';
import { endOnWindows, listWindowsTree } from '../node/windowsProcesses.js';
import type { RunningProcess } from './stopProcess.js';

/** What Windows does to processes. */
export interface WindowsSystem {
  /** As listWindowsTree. */
  readonly list: (root: RunningProcess) => Promise<readonly ProcessIdentity[]>;
  /** As endTree. */
  readonly end: (pid: number) => Promise<void>;
  /** As endOnWindows. */
  readonly endThose: (processes: readonly ProcessIdentity[]) => Promise<void>;
}

const windows: WindowsSystem = { list: listWindowsTree, end: endTree, endThose: endOnWindows };

/**
 * There is no gentle signal on Windows. What the process has started is looked at before it ends, for it may be left behind then. A step that
 * fails is told to the log, and does not keep the others from being taken. Never rejects.
 * @param ends resolves whether it ended after its input was closed
 * @param isGone resolves whether it ended in the end
 */
export async function stopOnWindows(
  running: RunningProcess,
  { ends, isGone }: { readonly ends: () => Promise<boolean>; readonly isGone: () => Promise<boolean> },
  log: Logger,
  system = windows,
): Promise<boolean> {
  const { pid } = running;
  const started = await system.list(running).catch((error: unknown): readonly ProcessIdentity[] => {
    log.warn('What the agent started could not be listed; some of it may be left behind', { pid }, error);
    return [];
  });
  running.closeInput();
  if (!(await ends())) {
    await system.end(pid).catch((error: unknown) => {
      log.warn('The agent could not be ended with what it started', { pid }, error);
      running.signal('SIGKILL');
    });
  }
  const gone = await isGone();
  await system.endThose(started).catch((error: unknown) => {
    log.warn('What the agent left behind could not be ended', { pid, left: started.map((one) => one.pid) }, error);
  });
  return gone;
}
