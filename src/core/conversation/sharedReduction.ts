import type { SessionEvent } from '../session/event.js';
import type { SessionState } from '../session/model.js';
import { reduceAll } from '../session/reducer.js';

interface Reduction {
  readonly before: SessionState;
  readonly after: SessionState;
}

const known = new WeakMap<readonly SessionEvent[], Reduction>();

/** Says what the events made of a state, so that replicas in the same process need not find it out again, nor hold the transcript twice. */
export function rememberReduction(before: SessionState, events: readonly SessionEvent[], after: SessionState): void {
  known.set(events, { before, after });
}

/** As `reduceAll`, which gives the same state for the same events. */
export function reduceShared(before: SessionState, events: readonly SessionEvent[]): SessionState {
  const reduction = known.get(events);
  return reduction?.before === before ? reduction.after : reduceAll(before, events);
}
