import type { TestContext } from 'node:test';

/**
 * Registers what must happen at the end of a test, whatever its outcome. The last one registered runs first, because later things use
 * earlier ones. (The runner's own `t.after` runs the first one first.)
 */
export function lastFirst(t: TestContext): (end: () => Promise<void> | void) => void {
  const ends: (() => Promise<void> | void)[] = [];
  t.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  return (end) => void ends.push(end);
}
