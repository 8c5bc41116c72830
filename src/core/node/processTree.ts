import { closeSync, openSync, readSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runProcess } from './spawnProcess.js';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in whatever unit the system tells it: only good for comparing. */
  readonly startedAt: string;
}

interface ProcessRow extends ProcessIdentity {
  readonly parentPid: number;
  readonly groupPid: number;
}

/** @returns `undefined` when there is no such process (any more), and on Windows, where `endTree` needs no more than the number */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  if (process.platform === 'win32') return undefined;
  return (await listProcesses([pid])).find((row) => row.pid === pid);
}

/**
 * A process and everything that comes from it: its descendants, also those that lead a group or session of their own, and what is left of
 * the process group that it leads. Descendants are found through their parents, so look while these live: an orphan belongs to init.
 * Empty on Windows (windowsProcesses.ts).
 */
export async function listTree(root: ProcessIdentity): Promise<readonly ProcessIdentity[]> {
  return process.platform === 'win32' ? [] : treeIn(await listProcesses(), root);
}

function treeIn(rows: readonly ProcessRow[], root: ProcessIdentity): readonly ProcessIdentity[] {
  const atRoot = rows.find((row) => row.pid === root.pid);
  // The number was given to somebody else, which also means that its group is gone.
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
 * Linux only: the processes that have `mark` in the environment that they were started with, and started at `since` or later. No parent leads
 * to them any more; a program that hides its environment, or was given another one, is not found.
 */
export async function listMarked(mark: string, since: string): Promise<readonly ProcessIdentity[]> {
  if (process.platform !== 'linux') return [];
  const young = (await listProcesses()).filter(({ startedAt }) => !isEarlier(startedAt, since));
  const marked = await Promise.all(
    young.map(async ({ pid }) => (await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')).includes(mark)),
  );
  return young.filter((_, index) => marked[index]).map(({ pid, startedAt }) => ({ pid, startedAt }));
}

/** Linux counts the ticks since the machine started; `ps` writes a date. */
function isEarlier(one: string, other: string): boolean {
  return process.platform === 'linux' ? Number(one) < Number(other) : Date.parse(one) < Date.parse(other);
}

/** Those that still run, as the same processes. */
export async function stillRunning(processes: readonly ProcessIdentity[]): Promise<readonly ProcessIdentity[]> {
  if (processes.length === 0) return [];
  const running = new Map((await listProcesses(processes.map(({ pid }) => pid))).map((row) => [row.pid, row.startedAt]));
  return processes.filter(({ pid, startedAt }) => running.get(pid) === startedAt);
}

/**
 * How much processor time these processes have used, in milliseconds; Infinity while one of them is running or waits for the disk.
 * @returns undefined where the system does not tell
 */
export async function processorTime(processes: readonly ProcessIdentity[]): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const stats = await Promise.all(processes.map(({ pid }) => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')));
  return stats.reduce((sum, text) => sum + parseProcessorTime(text), 0);
}

/** proc(5): `utime` and `stime` count hundredths of a second. */
export function parseProcessorTime(text: string): number {
  const [state = '', , , , , , , , , , , userTicks = '0', systemTicks = '0'] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (state === 'R' || state === 'D') return Infinity;
  return (Number(userTicks) + Number(systemTicks)) * 10;
}

/** Sends a signal to those that still run as the same processes. @returns who they were */
export async function signalAll(processes: readonly ProcessIdentity[], signal: NodeJS.Signals): Promise<readonly ProcessIdentity[]> {
  const running = await stillRunning(processes);
  for (const { pid } of running) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended in between, or it is not ours to signal (a set-uid program): the caller looks again.
    }
  }
  return running;
}

const taskkillNotFound = 128;

/** Windows: ends a process and its descendants at once; there is no gentle way for a program without a window. Rejects where that failed. */
export async function endTree(rootPid: number): Promise<void> {
  const file = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\taskkill.exe`;
  const { code } = await runProcess(
    { file, args: ['/PID', String(rootPid), '/T', '/F'], cwd: process.cwd(), env: process.env },
    { timeoutMs: 10_000, outputBytes: 4096 },
  );
  if (code !== 0 && code !== taskkillNotFound) throw new Error(`taskkill.exe did not end process ${rootPid} (code ${code})`);
}

/** @param only leaves out the others where that is cheaper */
async function listProcesses(only?: readonly number[]): Promise<readonly ProcessRow[]> {
  return process.platform === 'linux' ? listFromProc(only ?? (await everyPid())) : listFromPs();
}

async function everyPid(): Promise<readonly number[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Others get their turn after that many: under a millisecond. */
const atOnce = 64;

/** Not `ps`: it is missing in many containers, and a fork is what a machine in trouble can do least. */
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

/** At once, as there is no disk behind it: through the threads of Node it takes ten times the processor time, for every process of the machine. */
function readProcStat(pid: number, buffer: Buffer): ProcessRow | undefined {
  try {
    const file = openSync(`/proc/${pid}/stat`, 'r');
    try {
      return parseProcStat(buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0)));
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined; // It ended while we looked.
  }
}

/** proc(5): the name stands in parentheses and may hold anything, so the fields are counted from the last one. A zombie runs no more. */
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
