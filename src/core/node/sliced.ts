/** Goes through many in a way that lets others run in between: with a hundred thousand files, everything else would have to wait. */
import { setImmediate } from 'node:timers/promises';

/** How many are a matter of milliseconds, also where the system is asked about each. */
const slice = 200;

export async function* sliced<T>(all: Iterable<T>): AsyncGenerator<T> {
  let count = 0;
  for (const one of all) {
    if (++count % slice === 0) await setImmediate();
    yield one;
  }
}

/** Does the same for all, a few at a time. @returns the results in the same order */
export async function inBatches<T, R>(all: readonly T[], atOnce: number, work: (one: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let from = 0; from < all.length; from += atOnce) {
    if (from % slice < atOnce) await setImmediate();
    results.push(...(await Promise.all(all.slice(from, from + atOnce).map(work))));
  }
  return results;
}
