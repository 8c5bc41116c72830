/**
 * Windows has no process groups and no sessions. A process keeps the pid of its parent even after the parent ended, when the pid may belong
 * to another process.
 */
import { type ProcessIdentity, endTree } from './processTree.js';
import { runProcess } from './spawnProcess.js';

export interface WindowsProcess extends ProcessIdentity {
  readonly parentPid: number;
}

/** The root of a tree: a process that runs, or ran, since the given time. */
interface WindowsRoot {
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
}

const listCommand =
  'Get-CimInstance Win32_Process | Where-Object CreationDate | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) $($_.CreationDate.ToFileTimeUtc())" }';
/** Starting PowerShell alone takes about a second. */
const listLimits = { timeoutMs: 8_000, outputBytes: 1024 * 1024 };

/** Lists the descendants of a process, even if it has ended. Rejects if the system does not list them. */
export async function listWindowsTree(root: WindowsRoot): Promise<readonly ProcessIdentity[]> {
  return windowsTree(await listProcesses(), root);
}

/**
 * Ends those that still run as the same process, each with what it started. Tries all of them, and then rejects if any could not be ended.
 */
export async function endOnWindows(processes: readonly ProcessIdentity[]): Promise<void> {
  if (processes.length === 0) return;
  const running = new Map((await listProcesses()).map(({ pid, startedAt }) => [pid, startedAt]));
  const failures: unknown[] = [];
  for (const { pid, startedAt } of processes)
    if (running.get(pid) === startedAt) await endTree(pid).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures);
}

async function listProcesses(): Promise<readonly WindowsProcess[]> {
  const file = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`;
  const args = ['-NoProfile', '-NonInteractive', '-Command', listCommand];
  const { code, stdout } = await runProcess({ file, args, cwd: process.cwd(), env: process.env }, listLimits);
  const processes = parseWindowsProcesses(stdout);
  // The list contains at least powershell.exe itself.
  if (processes.length === 0) throw new Error(`powershell.exe listed no processes (code ${code})`);
  return processes;
}

/** @param text lines with a pid, the pid of the parent, and the creation time as a FILETIME */
export function parseWindowsProcesses(text: string): readonly WindowsProcess[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, parentPid, startedAt] = /^\s*(\d+) (\d+) (\d+)\s*$/.exec(line) ?? [];
    return startedAt === undefined ? [] : [{ pid: Number(pid), parentPid: Number(parentPid), startedAt }];
  });
}

/**
 * Does not include the root. A child must be younger than its parent; otherwise the parent's pid belonged to another process when the child
 * started.
 */
export function windowsTree(rows: readonly WindowsProcess[], root: WindowsRoot): readonly ProcessIdentity[] {
  const found = new Map<number, ProcessIdentity>();
  const walk = (parentPid: number, sinceMs: number): void => {
    for (const { pid, parentPid: parent, startedAt } of rows) {
      if (parent !== parentPid || pid === root.pid || found.has(pid) || toMs(startedAt) < sinceMs) continue;
      found.set(pid, { pid, startedAt });
      walk(pid, toMs(startedAt));
    }
  };
  const atRoot = rows.find(({ pid }) => pid === root.pid);
  // The root's time is taken a moment after its start. A process that is much younger has reused its pid.
  if (atRoot !== undefined && toMs(atRoot.startedAt) > root.startedMs + slackMs) return [];
  walk(root.pid, root.startedMs - slackMs);
  return [...found.values()];
}

const slackMs = 2_000;

/** A FILETIME counts units of 100 ns since 1601. */
function toMs(fileTime: string): number {
  return Number(BigInt(fileTime) / 10_000n) - 11_644_473_600_000;
}
