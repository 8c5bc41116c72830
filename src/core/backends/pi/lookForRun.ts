import type { PiSessionParts } from './piSessionParts.js';
import type { RunWatch } from './runWatch.js';

/** How often, and at what interval, to ask an agent that answers prompts before it works on them whether a run begins. */
const idleLooks = 4;
const lookMs = 250;

export interface LookParts extends Pick<PiSessionParts, 'process' | 'deadlines' | 'dialect' | 'log'> {
  readonly run: RunWatch;
  /** Whether a dialog of the prompt is open, so that no run can be expected yet. */
  readonly isHeldOpen: () => boolean;
}

/** Asks the agent whether the prompt that it accepted leads to a run, because older versions do not report it. Never rejects. */
export async function lookForRun({ process, deadlines, dialect, log, run, isHeldOpen }: LookParts): Promise<void> {
  try {
    for (let look = 1; run.isAwaited; look++) {
      const { isStreaming = false } = await process.state(deadlines.queryMs);
      // The start of a run is reported before this answer, except by an agent that answers prompts early.
      const isEnough = !dialect.answersPromptsEarly || look >= idleLooks;
      if (!isStreaming && isEnough && !isHeldOpen()) return run.noRun();
      await new Promise((resolve) => setTimeout(resolve, lookMs).unref());
    }
  } catch (error) {
    log.debug('The agent did not say whether it works', error);
  }
}
