import type { TestContext } from 'node:test';

/**
 * Registers what must happen at the end of a test, whatever its outcome: the last registered first, as a thing is used by those that came after it.
 * (The runner's own `t.after` runs the first registered first.)
 */
export function lastFirst(t: TestContext): (end: () => Promise<void> | void) => void {
  const ends: (() => Promise<void> | void)[] = [];
  t.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  return (end) => void ends.push(end);
}
