import type { SessionEvent } from '../session/event.js';
import type { SessionState } from '../session/model.js';
import { reduceAll } from '../session/reducer.js';

interface Reduction {
  readonly before: SessionState;
  readonly after: SessionState;
}

const known = new WeakMap<readonly SessionEvent[], Reduction>();

/**
 * Remembers the state that results from the events, so that replicas in the same process neither compute it again nor hold the transcript
 * twice.
 */
export function rememberReduction(before: SessionState, events: readonly SessionEvent[], after: SessionState): void {
  known.set(events, { before, after });
}

/** Like `reduceAll`, which returns the same state for the same events. */
export function reduceShared(before: SessionState, events: readonly SessionEvent[]): SessionState {
  const reduction = known.get(events);
  return reduction?.before === before ? reduction.after : reduceAll(before, events);
}
