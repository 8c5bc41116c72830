import { Emitter } from '../base/event.js';
import type { Port } from './replica.js';

/** A connection within the process: messages arrive at once and are not cloned. */
export function createPortPair<A, B>(): readonly [Port<A, B>, Port<B, A>] {
  const toFirst = new Emitter<A>();
  const toSecond = new Emitter<B>();
  return [
    { postMessage: (message) => toSecond.fire(message), onMessage: toFirst.event },
    { postMessage: (message) => toFirst.fire(message), onMessage: toSecond.event },
  ];
}
