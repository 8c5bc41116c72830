import { lookUntilIdle } from './lookForRun.js';
import type { PiSessionParts } from './piSessionParts.js';
import type { PiTurn } from './piTurn.js';
import type { RunWatch } from './runWatch.js';
import { nothing } from './schema/answers.js';

export interface AbortParts extends Pick<PiSessionParts, 'process' | 'deadlines' | 'log'> {
  readonly turn: PiTurn;
  readonly run: RunWatch;
  readonly isOver: () => boolean;
}

/** Asks the agent to stop everything in the turn. */
export function abortTurn(parts: AbortParts): void {
  const { turn, run, process, log } = parts;
  for (const type of turn.stops(run.isRunning))
    process.calls
      .request({ command: { type }, answer: nothing, isUrgent: true })
      .then(() => endIfStopped(parts))
      .catch((error: unknown) => log.debug('The agent did not accept the abort', error));
}

/** An agent that has confirmed the stop may never report the end of the run. */
async function endIfStopped({ turn, run, isOver, process, deadlines, log }: AbortParts): Promise<void> {
  if (turn.isStopConfirmed) return;
  turn.isStopConfirmed = true;
  const isAwaited = (): boolean => !isOver() && run.isWorking;
  if (await lookUntilIdle({ process, deadlines, log, isAwaited, isHeldOpen: () => false })) run.endUnreported();
}
