/** Measures whether a work costs linear time in the number of things that it is about. */
import assert from 'node:assert/strict';
import { processorMs } from './processorTime.js';

const small = 2_000;
const times = 8;
/** The limit of the measured growth each time that the number doubles, beside the doubling itself. */
const perDoubling = 1.3;
const mostTries = 20;
/** What takes less is too short to be measured, and no user notices it. */
const tooShortMs = 10;

/** @param prepare makes that many things, and returns the work to measure */
export type Kind = (count: number) => () => void;

/** Asserts that one work with eight times as many things takes as long as eight works. */
export function assertLinear(prepare: Kind): void {
  const limit = perDoubling ** Math.log2(times);
  let [many, one] = [Infinity, Infinity];
  // The least time is the one that was disturbed least. Both take turns, so that what disturbs them disturbs both.
  for (let tries = 0; tries < mostTries; tries++) {
    one = Math.min(one, timeOf([prepare(small * times)]));
    many = Math.min(many, timeOf(Array.from({ length: times }, () => prepare(small))));
    if (tries > 0 && (one <= limit * many || one < tooShortMs)) return;
  }
  assert.fail(`${times} works with ${small} take ${many.toFixed(1)} ms, but one with ${small * times} takes ${one.toFixed(1)} ms`);
}

function timeOf(works: readonly (() => void)[]): number {
  global.gc?.();
  const start = processorMs();
  for (const work of works) work();
  return processorMs() - start;
}
