/** Notices each problem that the workbench has while it is used, also one that is gone soon. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach } from 'node:test';
import type { Workbench } from './workbench.js';

export interface WatchedProblems {
  /** Does what makes problems that are the user's own, until there are none again. */
  expected(work: () => Promise<void>): Promise<void>;
}

/** Call this in a suite. Every test fails in which the workbench counts a problem, in whatever document. */
export function watchProblems(workbench: () => Workbench): WatchedProblems {
  const seen = new Set<string>();
  let isWatched = false;
  beforeEach(async () => {
    if (!isWatched) {
      isWatched = true;
      const { page } = workbench();
      await page.exposeFunction('acpHostSeesProblems', (label: string) => void seen.add(label));
      // Also after the window is reloaded.
      await page.addInitScript(watch);
      await page.evaluate(watch);
    }
  });
  const check = (): void => {
    const found = [...seen];
    seen.clear();
    assert.deepEqual(found, [], 'the workbench had problems');
  };
  afterEach(check);
  return {
    async expected(work) {
      check();
      await work();
      await workbench().statusSays(/^No Problems/);
      assert.ok(seen.size > 0, 'the problems were noticed');
      seen.clear();
    },
  };
}

/** Runs in the page. The count in the status bar is of all documents, open or not, and changes with them. */
function watch(): void {
  if (window !== window.top) return;
  const look = (): void => {
    const label = document.querySelector('[id="status.problems"] [aria-label]')?.getAttribute('aria-label') ?? '';
    const tell: unknown = Reflect.get(window, 'acpHostSeesProblems');
    if (label !== '' && !label.startsWith('No Problems') && typeof tell === 'function') tell(label);
  };
  const options = { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-label'] };
  new MutationObserver(look).observe(document, options);
  look();
}
