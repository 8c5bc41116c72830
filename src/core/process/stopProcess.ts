import type { Logger } from '../base/logger.js';
import { type ProcessIdentity, listTree, processorTime, signalAll, stillRunning } from '../node/processTree.js';
import { stopOnWindows } from './stopOnWindows.js';

/** What has to be ended, as far as ending it needs to know it. */
export interface RunningProcess {
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
  /** Taken at its start; absent on Windows, and where the system does not tell. Without it the descendants stay. */
  readonly identity: ProcessIdentity | undefined;
  /** What it had started when that was looked at last: of a process that is gone already, all that there is to go by. */
  seen(): readonly ProcessIdentity[];
  /** What no parent leads to: it was left by who started it, or its parents are gone. */
  strays(): Promise<readonly ProcessIdentity[]>;
  /** Resolves when the process itself has ended. */
  readonly exited: Promise<unknown>;
  /** Tells it to end by itself: closes its stdin. */
  closeInput(): void;
  /** When it wrote something last, in milliseconds since the epoch; Infinity once it closed its stdout. */
  lastOutputAt(): number;
  /** Signals the process itself, if it runs. */
  signal(signal: NodeJS.Signals): void;
}

/** How long each step may take before the next one, in milliseconds. */
export interface StopSteps {
  /** From the closed stdin to SIGINT. Agents save their history in this time. */
  readonly graceMs: number;
  /** From SIGINT to SIGTERM. */
  readonly interruptMs: number;
  /** From SIGTERM to SIGKILL, for the process and again for what it left behind. */
  readonly terminateMs: number;
  /** A process that is idle for so long has not understood a step; the next one follows. Absent: each step has its whole time. */
  readonly idleMs?: number;
}

type Step = Exclude<keyof StopSteps, 'idleMs'>;

export const gracefulSteps: StopSteps = { graceMs: 10_000, interruptMs: 3_000, terminateMs: 2_000 };
/** For an agent that hangs. The end of its stdin and an interrupt still come first: some save what they have even then. */
export const forcedSteps: Readonly<Record<Step, number>> = { graceMs: 100, interruptMs: 400, terminateMs: 300 };

/** For a process in which nothing runs that would have to be brought to an end: one that is idle has not noticed that its stdin ended. */
export const idleAfterMs = 1_000;

const idleSampleMs = 250;
/** Of processor time in one sample: timers and garbage collection use as much. */
const idleProcessorMs = 15;

const AFTER_KILL_MS = 5_000;

/**
 * Ends a process and everything that came from it. The descendants are listed first, because those of a process that is gone cannot be found
 * any more: agents start shells in sessions of their own, which no signal to the agent's process group reaches.
 * @returns whether the process ended; even SIGKILL does not end one that hangs in the kernel
 * @param hurry aborted: the step under way ends now and the others are those of `forcedSteps`
 */
export async function stopProcess(running: RunningProcess, steps: StopSteps, hurry: AbortSignal, log: Logger): Promise<boolean> {
  const { identity, exited } = running;
  const waitMs = (step: Step): number => Math.min(steps[step], hurry.aborted ? forcedSteps[step] : Infinity);
  const family = new Map<number, ProcessIdentity>();
  const ends = async (step: Step): Promise<boolean> => {
    const { idleMs } = steps;
    if (idleMs === undefined || hurry.aborted) return within(exited, waitMs(step), hurry);
    const idle = watchIdle(running, () => [...family.values()], idleMs);
    try {
      return await within(exited, waitMs(step), hurry, idle.signal);
    } finally {
      idle.stop();
    }
  };
  const collect = async (): Promise<void> => {
    if (identity === undefined) return;
    const [tree, strays] = await Promise.all([listTree(identity), running.strays()]);
    for (const member of [...tree, ...strays]) family.set(member.pid, member);
  };

  if (process.platform === 'win32') {
    return stopOnWindows(running, { ends: () => ends('graceMs'), isGone: () => within(exited, AFTER_KILL_MS) }, log);
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
    // What was started in the meantime.
    await collect();
  }
  running.signal('SIGKILL');
  await signalAll([...family.values()], 'SIGKILL');
  const [gone] = await Promise.all([within(exited, AFTER_KILL_MS), goneWithin([...family.values()], AFTER_KILL_MS)]);
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
    const before = used;
    used = await processorTime(family());
    const isIdle = before !== undefined && used !== undefined && used - before <= idleProcessorMs && Number.isFinite(used);
    if (!isIdle) busyAt = Date.now();
    if (Date.now() - Math.max(busyAt, lastOutputAt()) >= idleMs) idle.abort();
  };
  const timer = setInterval(() => void sample(), idleSampleMs);
  void sample();
  return { signal: idle.signal, stop: () => clearInterval(timer) };
}

/** Nothing tells when a process ends that is not our child, so it is looked at again and again. */
async function goneWithin(processes: readonly ProcessIdentity[], limitMs: number): Promise<void> {
  const until = Date.now() + limitMs;
  while ((await stillRunning(processes)).length > 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

function within(exited: Promise<unknown>, limitMs: number, ...until: readonly AbortSignal[]): Promise<boolean> {
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
