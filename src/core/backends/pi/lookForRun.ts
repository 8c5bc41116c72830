import type { PiProcess } from './piProcess.js';
import type { PiSessionParts } from './piSessionParts.js';
import type { ExpectedRun } from './runWatch.js';

/** How often, and at what interval, to ask an agent that answers prompts before it works on them whether a run begins. */
const idleLooks = 4;
const lookMs = 250;
/** The interval grows for an agent that does not answer the question. */
const lookAtMostMs = 8_000;

export interface LookParts extends Pick<PiSessionParts, 'deadlines' | 'dialect' | 'log'> {
  readonly process: Pick<PiProcess, 'state'>;
  /** The run that the prompt may begin. */
  readonly expected: ExpectedRun;
  /** Whether a dialog of the prompt is open, so that no run can be expected yet. */
  readonly isHeldOpen: () => boolean;
}

/** Asks the agent whether the prompt that it accepted leads to a run, because older versions do not report it. Never rejects. */
export async function lookForRun({ expected, dialect, ...parts }: LookParts): Promise<void> {
  // The start of a run is reported before this answer, except by an agent that answers prompts early.
  const looks = dialect.answersPromptsEarly ? idleLooks : 1;
  if (await lookUntilIdle({ ...parts, looks, isAwaited: () => expected.isAwaited })) expected.endWithoutRun();
}

export interface IdleParts extends Pick<LookParts, 'process' | 'deadlines' | 'log' | 'isHeldOpen'> {
  /** How often in succession the agent must report that it does nothing. */
  readonly looks?: number;
  readonly isAwaited: () => boolean;
}

/** @returns whether the agent is idle; false if that is no longer awaited. Never rejects. */
export async function lookUntilIdle({ process, deadlines, log, isHeldOpen, isAwaited, looks = idleLooks }: IdleParts): Promise<boolean> {
  let idle = 0;
  for (let failures = 0; isAwaited(); ) {
    try {
      const { isStreaming = false, isCompacting = false } = await process.state(deadlines.queryMs);
      failures = 0;
      // The agent may have to compact its context before the run begins.
      idle = isStreaming || isCompacting ? 0 : idle + 1;
      if (idle >= looks && !isHeldOpen()) return isAwaited();
    } catch (error) {
      // A command can keep the agent from answering in time. If the connection is lost, nothing is awaited any more.
      log.debug('The agent did not report whether it is working', error);
      failures++;
    }
    const delayMs = Math.min(lookMs * 2 ** Math.max(0, failures - idleLooks), lookAtMostMs);
    await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
  }
  return false;
}
