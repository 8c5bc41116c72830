/** Does the same for all, a few at a time. @returns the results in the same order */
export async function inBatches<T, R>(all: readonly T[], atOnce: number, work: (one: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (let from = 0; from < all.length; from += atOnce) results.push(...(await Promise.all(all.slice(from, from + atOnce).map(work))));
  return results;
}
