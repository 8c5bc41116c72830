import type { Logger } from '../base/logger.js';
import {
  endOnWindows,
  endTree,
  goneWithin,
  listFamily,
  listWindowsTree,
  type ProcessIdentity,
  processorTime,
  signalAll,
} from '../node/processTree.js';

/** A process to end, with what is needed to end it. */
export interface RunningProcess {
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
  /** Determined when it started; undefined on Windows, and if it had exited by then. Without it, only `seen` and `mark` lead to descendants. */
  readonly identity: ProcessIdentity | undefined;
  /** Its descendants when they were last listed. They can't be listed any more once the process is gone. */
  seen(): readonly ProcessIdentity[];
  /** A text in its environment and in that of what it starts, which also finds descendants whose parents have exited. */
  readonly mark: string;
  /** Resolves when the process itself has ended. */
  readonly exited: Promise<unknown>;
  /** Closes its stdin, which asks it to end by itself. */
  closeInput(): void;
  /** When it last wrote something, in milliseconds since the epoch; Infinity once it has closed its stdout. */
  lastOutputAt(): number;
  /** Signals the process itself if it runs. */
  signal(signal: NodeJS.Signals): void;
}

/** How long to wait after each step before the next one, in milliseconds. */
export interface StopSteps {
  /** From closing stdin to SIGINT. Agents save their history in this time. */
  readonly graceMs: number;
  /** From SIGINT to SIGTERM. */
  readonly interruptMs: number;
  /** From SIGTERM to SIGKILL, for the process and again for what it left behind. */
  readonly terminateMs: number;
  /**
   * If the process is idle for this long, it has not reacted to a step, and the next one follows. If this is absent, each step takes its
   * whole time.
   */
  readonly idleMs?: number;
}

type Step = Exclude<keyof StopSteps, 'idleMs'>;

export const gracefulSteps: StopSteps = { graceMs: 10_000, interruptMs: 3_000, terminateMs: 2_000 };
/** For an agent that hangs. Its stdin still ends first and it still gets an interrupt, because some agents save their data even then. */
export const forcedSteps: Readonly<Record<Step, number>> = { graceMs: 100, interruptMs: 400, terminateMs: 300 };

/** For a process in which nothing runs that would have to finish. If it is idle for this long, it has not noticed the end of its stdin. */
export const idleAfterMs = 1_000;

const idleSampleMs = 250;
/** Processor time per sample up to which a process counts as idle; timers and garbage collection use this much. */
const idleProcessorMs = 15;

const afterKillMs = 5_000;

/**
 * Ends a process and everything that it started. It lists the descendants first, because they cannot be found once the process is gone:
 * agents start shells in their own sessions, which no signal to the agent's process group reaches.
 * @returns whether the process ended; even SIGKILL does not end a process that hangs in the kernel
 * @param hurry when it is aborted, the current step ends and the following ones take the times of `forcedSteps`
 */
export async function stopProcess(running: RunningProcess, steps: StopSteps, hurry: AbortSignal, log: Logger): Promise<boolean> {
  const { identity, exited, mark } = running;
  const waitMs = (step: Step): number => Math.min(steps[step], hurry.aborted ? forcedSteps[step] : Infinity);
  const family = new Map<number, ProcessIdentity>();
  const ends = async (step: Step): Promise<boolean> => {
    const { idleMs } = steps;
    if (idleMs === undefined || hurry.aborted) return exitedWithin(exited, waitMs(step), hurry);
    const idle = watchIdle(running, () => [...family.values()], idleMs);
    try {
      return await exitedWithin(exited, waitMs(step), hurry, idle.signal);
    } finally {
      idle.stop();
    }
  };
  const collect = async (): Promise<void> => {
    // A process that was gone before it was identified may have left its group. Another process that has its pid by now does not match.
    const found = await listFamily(identity ?? { pid: running.pid, startedAt: '' }, mark);
    for (const member of found) family.set(member.pid, member);
  };

  if (process.platform === 'win32') {
    return stopOnWindows(running, { ends: () => ends('graceMs'), isGone: () => exitedWithin(exited, afterKillMs) }, log);
  }
  await collect();
  for (const member of running.seen()) family.set(member.pid, member);
  running.closeInput();
  let ended = await ends('graceMs');
  for (const [signal, step] of [
    ['SIGINT', 'interruptMs'],
    ['SIGTERM', 'terminateMs'],
  ] as const) {
    if (ended) break;
    await collect();
    running.signal(signal);
    ended = await ends(step);
  }
  await collect();
  if (ended) {
    await signalAll([...family.values()], 'SIGTERM');
    await goneWithin([...family.values()], waitMs('terminateMs'));
    // Finds what was started in the meantime.
    await collect();
  }
  running.signal('SIGKILL');
  await signalAll([...family.values()], 'SIGKILL');
  const [gone] = await Promise.all([exitedWithin(exited, afterKillMs), goneWithin([...family.values()], afterKillMs)]);
  return gone;
}

/** Aborts its signal once the process and what it started have neither worked nor written for `idleMs`. */
function watchIdle(
  { lastOutputAt }: RunningProcess,
  family: () => readonly ProcessIdentity[],
  idleMs: number,
): { readonly signal: AbortSignal; stop(): void } {
  const idle = new AbortController();
  let busyAt = Date.now();
  let used: number | undefined;
  const sample = async (): Promise<void> => {
    const now = await processorTime(family());
    const isIdle = used !== undefined && now !== undefined && now - used <= idleProcessorMs;
    if (!isIdle) busyAt = Date.now();
    // Otherwise, whatever was used since would look like nothing.
    if (now !== Infinity) used = now;
    if (Date.now() - Math.max(busyAt, lastOutputAt()) >= idleMs) idle.abort();
  };
  const timer = setInterval(() => void sample(), idleSampleMs);
  void sample();
  return { signal: idle.signal, stop: () => clearInterval(timer) };
}

function exitedWithin(exited: Promise<unknown>, limitMs: number, ...until: readonly AbortSignal[]): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (ended: boolean): void => {
      clearTimeout(timer);
      for (const signal of until) signal.removeEventListener('abort', onAbort);
      resolve(ended);
    };
    const onAbort = (): void => finish(false);
    const timer = setTimeout(() => finish(false), limitMs);
    for (const signal of until) signal.addEventListener('abort', onAbort);
    exited.then(
      () => finish(true),
      () => finish(true),
    );
  });
}

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
