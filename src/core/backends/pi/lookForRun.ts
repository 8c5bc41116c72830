import type { PiProcess } from './piProcess.js';
import type { PiSessionParts } from './piSessionParts.js';
import type { RunWatch } from './runWatch.js';

/** How often, and at what interval, to ask an agent that answers prompts before it works on them whether a run begins. */
const idleLooks = 4;
const lookMs = 250;

export interface LookParts extends Pick<PiSessionParts, 'deadlines' | 'dialect' | 'log'> {
  readonly process: Pick<PiProcess, 'state'>;
  readonly run: RunWatch;
  /** The wait of `run` that the prompt belongs to. */
  readonly awaited: object;
  /** Whether a dialog of the prompt is open, so that no run can be expected yet. */
  readonly isHeldOpen: () => boolean;
}

/** Asks the agent whether the prompt that it accepted leads to a run, because older versions do not report it. Never rejects. */
export async function lookForRun({ process, deadlines, dialect, log, run, awaited, isHeldOpen }: LookParts): Promise<void> {
  for (let looks = 0; run.awaited === awaited; ) {
    try {
      const { isStreaming = false } = await process.state(deadlines.queryMs);
      looks++;
      // The start of a run is reported before this answer, except by an agent that answers prompts early.
      const isEnough = !dialect.answersPromptsEarly || looks >= idleLooks;
      if (!isStreaming && isEnough && !isHeldOpen() && run.awaited === awaited) return run.noRun();
    } catch (error) {
      // A command can keep the agent from answering in time. If the connection is lost, nothing is awaited any more.
      log.debug('The agent did not say whether it works', error);
    }
    await new Promise((resolve) => setTimeout(resolve, lookMs).unref());
  }
}
