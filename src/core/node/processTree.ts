import { closeSync, openSync, readSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runProcess } from './spawnProcess.js';

/** Identifies a process, so that a later one with the same pid is not mistaken for it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in a unit of the system. Use it for comparison only. */
  readonly startedAt: string;
}

interface ProcessRow extends ProcessIdentity {
  readonly parentPid: number;
  readonly groupPid: number;
}

/** @returns `undefined` if the process doesn't exist, and always on Windows, where `endTree` only needs the pid */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  if (process.platform === 'win32') return undefined;
  return (await listProcesses([pid])).find((row) => row.pid === pid);
}

/**
 * Lists a process and everything that it started: its descendants, including those that lead their own group or session, and the rest of
 * the process group that it leads. Descendants are found through their parents, so call this while the parents run: orphans belong to init.
 * Empty on Windows (see windowsProcesses.ts).
 */
export async function listTree(root: ProcessIdentity): Promise<readonly ProcessIdentity[]> {
  return process.platform === 'win32' ? [] : treeIn(await listProcesses(), root);
}

function treeIn(rows: readonly ProcessRow[], root: ProcessIdentity): readonly ProcessIdentity[] {
  const atRoot = rows.find((row) => row.pid === root.pid);
  // The pid now belongs to a different process, which also means that the old group is gone.
  if (atRoot !== undefined && atRoot.startedAt !== root.startedAt) return [];
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const parent = row.groupPid === root.pid ? root.pid : row.parentPid;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [row]);
    else siblings.push(row);
  }
  const found = new Map<number, ProcessIdentity>();
  const walk = (pid: number): void => {
    for (const { pid: child, startedAt } of children.get(pid) ?? []) {
      if (found.has(child)) continue;
      found.set(child, { pid: child, startedAt });
      walk(child);
    }
  };
  if (atRoot !== undefined) found.set(root.pid, root);
  walk(root.pid);
  return [...found.values()];
}

/**
 * Linux only: lists the processes that started at `since` or later with `mark` in their environment. Finds processes that no parent leads
 * to. Does not find a program that hides its environment or got a different one.
 */
export async function listMarked(mark: string, since: string): Promise<readonly ProcessIdentity[]> {
  return process.platform === 'linux' ? markedIn(await listProcesses(), mark, since) : [];
}

async function markedIn(rows: readonly ProcessRow[], mark: string, since: string): Promise<readonly ProcessIdentity[]> {
  const young = rows.filter(({ startedAt }) => !isEarlier(startedAt, since));
  const marked = await Promise.all(
    young.map(async ({ pid }) => (await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')).includes(mark)),
  );
  return young.filter((_, index) => marked[index]).map(({ pid, startedAt }) => ({ pid, startedAt }));
}

/**
 * Lists what `listTree` and `listMarked` find, from one look at the processes of the machine. A process may be in the list twice.
 * @param root its `startedAt` may be empty if that is unknown; then only the rest of its group and marked processes are found
 */
export async function listFamily(root: ProcessIdentity, mark: string): Promise<readonly ProcessIdentity[]> {
  if (process.platform === 'win32') return [];
  const rows = await listProcesses();
  const marked = process.platform === 'linux' ? await markedIn(rows, mark, root.startedAt || '0') : [];
  return [...treeIn(rows, root), ...marked];
}

/** Linux counts the ticks since the machine started; `ps` prints a date. */
function isEarlier(one: string, other: string): boolean {
  return process.platform === 'linux' ? Number(one) < Number(other) : Date.parse(one) < Date.parse(other);
}

/** Returns those that still run as the same process. */
export async function stillRunning(processes: readonly ProcessIdentity[]): Promise<readonly ProcessIdentity[]> {
  if (processes.length === 0) return [];
  const running = new Map((await listProcesses(processes.map(({ pid }) => pid))).map((row) => [row.pid, row.startedAt]));
  return processes.filter(({ pid, startedAt }) => running.get(pid) === startedAt);
}

/** Waits until all of them have ended, at most this long. Polls, because the system reports only the end of our own children. */
export async function goneWithin(processes: readonly ProcessIdentity[], limitMs: number): Promise<void> {
  const until = Date.now() + limitMs;
  while ((await stillRunning(processes)).length > 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/**
 * Returns the processor time that these processes have used, in milliseconds; Infinity while one of them is running or waits for the disk.
 * @returns undefined if the system does not report it
 */
export async function processorTime(processes: readonly ProcessIdentity[]): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const stats = await Promise.all(processes.map(({ pid }) => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')));
  return stats.reduce((sum, text) => sum + parseProcessorTime(text), 0);
}

/** proc(5): `utime` and `stime` count hundredths of a second. */
function parseProcessorTime(text: string): number {
  const [state = '', , , , , , , , , , , userTicks = '0', systemTicks = '0'] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (state === 'R' || state === 'D') return Infinity;
  return (Number(userTicks) + Number(systemTicks)) * 10;
}

/**
 * Sends a signal to those that still run as the same process.
 * @returns those processes
 */
export async function signalAll(processes: readonly ProcessIdentity[], signal: NodeJS.Signals): Promise<readonly ProcessIdentity[]> {
  const running = await stillRunning(processes);
  for (const { pid } of running) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended in between, or we may not signal it (a set-uid program). The caller checks again.
    }
  }
  return running;
}

const taskkillNotFound = 128;

/** Windows: ends a process and its descendants immediately; a program without a window cannot be asked to end. Rejects if that failed. */
export async function endTree(rootPid: number): Promise<void> {
  const file = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\taskkill.exe`;
  const { code } = await runProcess(
    { file, args: ['/PID', String(rootPid), '/T', '/F'], cwd: process.cwd(), env: process.env },
    { timeoutMs: 10_000, outputBytes: 4096 },
  );
  if (code !== 0 && code !== taskkillNotFound) throw new Error(`taskkill.exe did not end process ${rootPid} (code ${code})`);
}

/** @param only leaves out other processes if that is cheaper */
async function listProcesses(only?: readonly number[]): Promise<readonly ProcessRow[]> {
  return process.platform === 'linux' ? listFromProc(only ?? (await everyPid())) : listFromPs();
}

async function everyPid(): Promise<readonly number[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Other tasks get their turn after this many processes, which take less than a millisecond. */
const atOnce = 64;

/** Does not use `ps`, because many containers don't have it, and because a machine in trouble can hardly fork. */
async function listFromProc(pids: readonly number[]): Promise<readonly ProcessRow[]> {
  const buffer = Buffer.allocUnsafe(4096);
  const rows: ProcessRow[] = [];
  for (let begin = 0; begin < pids.length; begin += atOnce) {
    if (begin > 0) await nextTurn();
    for (const pid of pids.slice(begin, begin + atOnce)) {
      const row = readProcStat(pid, buffer);
      if (row !== undefined) rows.push(row);
    }
  }
  return rows;
}

/**
 * Synchronous, because there is no disk behind it: reading through Node's thread pool takes ten times the processor time, for every process
 * of the machine.
 */
function readProcStat(pid: number, buffer: Buffer): ProcessRow | undefined {
  try {
    const file = openSync(`/proc/${pid}/stat`, 'r');
    try {
      return parseProcStat(buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0)));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined; // The process ended in the meantime.
  }
}

/**
 * See proc(5): the name is in parentheses and may contain anything, so fields are counted from the last parenthesis. A zombie no longer
 * runs.
 */
export function parseProcStat(text: string): ProcessRow | undefined {
  const [state, parentPid, groupPid, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const startedAt = rest[16];
  if (state === 'Z' || state === 'X' || startedAt === undefined) return undefined;
  return { pid: Number.parseInt(text, 10), parentPid: Number(parentPid), groupPid: Number(groupPid), startedAt };
}

async function listFromPs(): Promise<readonly ProcessRow[]> {
  const { stdout } = await runProcess(
    { file: '/bin/ps', args: ['-A', '-o', 'pid=,ppid=,pgid=,state=,lstart='], cwd: '/', env: { LC_ALL: 'C' } },
    { timeoutMs: 5_000, outputBytes: 4 * 1024 * 1024 },
  );
  return parsePs(stdout);
}

export function parsePs(text: string): readonly ProcessRow[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, parentPid, groupPid, state, startedAt] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (startedAt === undefined || state === undefined || state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parentPid: Number(parentPid), groupPid: Number(groupPid), startedAt }];
  });
}

/** Identifies a process to other processes, including those on other machines that share a folder. */
interface ProcessMark {
  readonly pid: number;
  /** As in `ProcessIdentity`; absent if the system does not report it. */
  readonly startedAt?: string | undefined;
  readonly host: string;
}

export async function markOfThisProcess(): Promise<ProcessMark> {
  return { pid: process.pid, startedAt: (await identifyProcess(process.pid))?.startedAt, host: hostname() };
}

/** @returns `unknown` for a process on another machine */
export async function lifeOf({ pid, startedAt, host }: ProcessMark): Promise<'alive' | 'gone' | 'unknown'> {
  if (host !== hostname()) return 'unknown';
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user exists too.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return 'gone';
  }
  if (startedAt === undefined) return 'alive';
  // Another process may have the pid now.
  return (await identifyProcess(pid))?.startedAt === startedAt ? 'alive' : 'gone';
}

// Windows has no process groups and no sessions. A process keeps the pid of its parent even after the parent ended, when the pid may belong
// to another process.

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
  return windowsTree(await listWindowsProcesses(), root);
}

/**
 * Ends those that still run as the same process, each with what it started. Tries all of them, and then rejects if any could not be ended.
 */
export async function endOnWindows(processes: readonly ProcessIdentity[]): Promise<void> {
  if (processes.length === 0) return;
  const running = new Map((await listWindowsProcesses()).map(({ pid, startedAt }) => [pid, startedAt]));
  const failures: unknown[] = [];
  for (const { pid, startedAt } of processes)
    if (running.get(pid) === startedAt) await endTree(pid).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures);
}

async function listWindowsProcesses(): Promise<readonly WindowsProcess[]> {
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
