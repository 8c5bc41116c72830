import type { PiSessionParts } from './piSessionParts.js';
import type { RunWatch } from './runWatch.js';

/** An agent that answers prompts before it works on them is asked so often, so far apart, whether a run begins. */
const idleLooks = 4;
const lookMs = 250;

export interface LookParts extends Pick<PiSessionParts, 'process' | 'deadlines' | 'dialect' | 'log'> {
  readonly run: RunWatch;
  /** A dialog of the prompt is open: no run is to be expected yet. */
  readonly isHeldOpen: () => boolean;
}

/** Asks the agent whether a run comes of a prompt that it took; older versions do not say. Never rejects. */
export async function lookForRun({ process, deadlines, dialect, log, run, isHeldOpen }: LookParts): Promise<void> {
  try {
    for (let look = 1; run.isAwaited; look++) {
      const { isStreaming = false } = await process.state(deadlines.queryMs);
      // Its own words for a run come before this answer, but for an agent that answers prompts early.
      const isEnough = !dialect.answersPromptsEarly || look >= idleLooks;
      if (!isStreaming && isEnough && !isHeldOpen()) return run.noRun();
      await new Promise((resolve) => setTimeout(resolve, lookMs).unref());
    }
  } catch (error) {
    log.debug('The agent did not say whether it works', error);
  }
}
