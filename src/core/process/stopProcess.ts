import { type ProcessIdentity, endTree, listTree, signalAll, stillRunning } from '../node/processTree.js';
import { endOnWindows, listWindowsTree } from '../node/windowsProcesses.js';

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
}

export const gracefulSteps: StopSteps = { graceMs: 10_000, interruptMs: 3_000, terminateMs: 2_000 };
/** For an agent that hangs. The end of its stdin and an interrupt still come first: some save what they have even then. */
export const forcedSteps: StopSteps = { graceMs: 100, interruptMs: 400, terminateMs: 300 };

const AFTER_KILL_MS = 5_000;

/**
 * Ends a process and everything that came from it. The descendants are listed first, because those of a process that is gone cannot be found
 * any more: agents start shells in sessions of their own, which no signal to the agent's process group reaches.
 * @returns whether the process ended; even SIGKILL does not end one that hangs in the kernel
 * @param hurry aborted: the step under way ends now and the others are those of `forcedSteps`
 */
export async function stopProcess(running: RunningProcess, steps: StopSteps, hurry: AbortSignal): Promise<boolean> {
  const { identity, exited } = running;
  const waitMs = (step: keyof StopSteps): number => Math.min(steps[step], hurry.aborted ? forcedSteps[step] : Infinity);
  const ends = (step: keyof StopSteps): Promise<boolean> => within(exited, waitMs(step), hurry);
  const family = new Map<number, ProcessIdentity>();
  const collect = async (): Promise<void> => {
    if (identity === undefined) return;
    const [tree, strays] = await Promise.all([listTree(identity), running.strays()]);
    for (const member of [...tree, ...strays]) family.set(member.pid, member);
  };

  if (process.platform === 'win32') return endThere(running, () => ends('graceMs'));
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

/** Windows: there is no gentle signal. What it has started is looked at before it ends, for it may be left behind then. */
async function endThere(running: RunningProcess, ends: () => Promise<boolean>): Promise<boolean> {
  const started = await listWindowsTree(running).catch(() => []);
  running.closeInput();
  if (!(await ends())) await endTree(running.pid);
  const isGone = await within(running.exited, AFTER_KILL_MS);
  await endOnWindows(started).catch(() => {});
  return isGone;
}

/** Nothing tells when a process ends that is not our child, so it is looked at again and again. */
async function goneWithin(processes: readonly ProcessIdentity[], limitMs: number): Promise<void> {
  const until = Date.now() + limitMs;
  while ((await stillRunning(processes)).length > 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

function within(exited: Promise<unknown>, limitMs: number, hurry?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (ended: boolean): void => {
      clearTimeout(timer);
      hurry?.removeEventListener('abort', onHurry);
      resolve(ended);
    };
    const onHurry = (): void => finish(false);
    const timer = setTimeout(() => finish(false), limitMs);
    hurry?.addEventListener('abort', onHurry);
    exited.then(
      () => finish(true),
      () => finish(true),
    );
  });
}
