import assert from 'node:assert/strict';
import { processorMs } from './processorTime.js';

/** Does the work for `count` so many times, and returns how long it took in milliseconds. */
export type Cost = (count: number, times: number) => number | Promise<number>;

const factor = 8;
/** Each doubling may cost 30 % more than twice as much: caches and the garbage collector are not linear. */
const limit = 1.3 ** Math.log2(factor);
const fewestTries = 2;
const mostTries = 20;
/** No more tries after this time: what is quadratic stays so. */
const patienceMs = 5_000;
/** Below this, the clock says nothing, and no user notices anything. */
const negligibleMs = 10;

/**
 * Rejects if the work for `8 * small` costs clearly more than eight times the work for `small`: a search inside a loop costs eight times as
 * much as that. Compares the fastest of several tries, because every disturbance makes a try slower.
 */
export async function assertLinearCost(cost: Cost, small: number): Promise<void> {
  let [many, one] = [Infinity, Infinity];
  const began = Date.now();
  for (let tries = 1; tries <= mostTries && (tries <= fewestTries || Date.now() - began < patienceMs); tries++) {
    many = Math.min(many, await cost(small, factor));
    one = Math.min(one, await cost(small * factor, 1));
    if (tries >= fewestTries && (one < negligibleMs || one <= limit * many)) return;
  }
  assert.fail(`${factor} times ${small} took ${many.toFixed(1)} ms, but ${small * factor} at once ${one.toFixed(1)} ms`);
}

/** @param prepare makes that many things, and returns the work of which the processor time is measured */
export type Kind = (count: number) => () => unknown;

export function assertLinear(prepare: Kind): Promise<void> {
  return assertLinearCost((count, times) => {
    const works = Array.from({ length: times }, () => prepare(count));
    global.gc?.();
    const began = processorMs();
    for (const work of works) work();
    return processorMs() - began;
  }, 2_000);
}
