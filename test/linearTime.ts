import assert from 'node:assert/strict';
import { processorMs } from './processorTime.js';

/** Makes `count` of what an agent counts, and does the work that is measured. */
export type Work = (count: number) => unknown;

const smallCount = 2_000;
const factor = 8;
/** Doubling the count three times may each time cost 30 % more than twice as much: caches and the garbage collector are not linear. */
const limit = 1.3 ** 3;
const fewestTries = 2;
const mostTries = 20;
/** No more tries after this time: what is quadratic stays so. */
const patienceMs = 5_000;
/** Below this, the clock says nothing, and no user notices anything. */
const negligibleMs = 10;

/**
 * Fails if the work for `8 * small` costs clearly more than eight times the work for `small`: a search inside a loop costs eight times as
 * much as that. Compares the fastest of several tries, because every disturbance makes a try slower.
 */
export function assertLinear(work: Work, small = smallCount): void {
  let [many, one] = [Infinity, Infinity];
  const began = processorMs();
  for (let tries = 1; tries <= mostTries && (tries <= fewestTries || processorMs() - began < patienceMs); tries++) {
    many = Math.min(
      many,
      cost(() => {
        for (let time = 0; time < factor; time++) work(small);
      }),
    );
    one = Math.min(
      one,
      cost(() => work(small * factor)),
    );
    if (tries >= fewestTries && (one < negligibleMs || one <= limit * many)) return;
  }
  assert.fail(`${factor} times ${small} cost ${many.toFixed(1)} ms, but ${small * factor} at once ${one.toFixed(1)} ms`);
}

/** Returns processor time in milliseconds. */
function cost(work: () => void): number {
  const began = processorMs();
  work();
  return processorMs() - began;
}
