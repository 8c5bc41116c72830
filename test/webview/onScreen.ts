/** Checks what is visible, as opposed to what is in the document: inside the window, and not covered. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { OpenPage } from './harness.js';

/** The widths of a very narrow side bar, and of an editor. */
export const widths = [260, 900] as const;

/**
 * Waits for the first of them: a page draws in the frame after a message. Each lies inside the window and is the topmost at its center, at
 * the latest when the items, which get their real height as they become visible, no longer move.
 */
export async function assertOnScreen(locator: Locator): Promise<void> {
  await locator.first().waitFor({ state: 'attached' });
  let hidden = '';
  for (let frames = 0; frames < 20; frames += 1) {
    const reasons = await locator.evaluateAll(hiddenBecause);
    hidden = reasons.length === 0 ? 'is gone' : (reasons.find((reason) => reason !== '') ?? '');
    if (hidden === '') break;
  }
  assert.equal(hidden, '');
}

/**
 * Each control of the page can be brought into view by scrolling, and is then the topmost element at its center. Runs in the browser as a
 * whole, because a page has a hundred controls, and each request to the browser takes as long as all of these checks.
 */
export async function assertReachable({ page }: OpenPage): Promise<void> {
  await page.evaluate(`window.hiddenBecause = ${String(hiddenBecause)}`);
  const controls = page.locator(
    'button, select, textarea, input, summary, a.link, [role=option], [role=dialog], [role=listbox], .floating',
  );
  const lost = await controls.evaluateAll(async (nodes) => {
    // An animation frame would never come while the clock stands still.
    const nextFrame = (): Promise<void> =>
      new Promise((resolve) => {
        const observer = new IntersectionObserver(() => {
          observer.disconnect();
          resolve();
        });
        observer.observe(document.body);
      });
    const isVisible = (node: Element): boolean => {
      const { width, height } = node.getBoundingClientRect();
      return width > 0 && height > 0 && node.checkVisibility({ visibilityProperty: true });
    };
    const placeOf = (node: Element): string => JSON.stringify(node.getBoundingClientRect());
    const found: string[] = [];
    for (const node of nodes) {
      // Large ones are checked at their beginning. Those that are not rendered are not part of the page.
      if (!isVisible(node) || node.closest('.sr-only') !== null) continue;
      let [hidden = '', last] = ['', placeOf(node)];
      // Items get their real height when they become visible, which moves what is below them: maybe out of the window again.
      for (let frames = 0; frames < 20; frames += 1) {
        if (hidden !== '' || frames === 0) node.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
        [hidden = ''] = window.hiddenBecause([node]);
        // The button that scrolls to the end disappears at the end.
        if (!isVisible(node) || (hidden === '' && placeOf(node) === last)) break;
        last = placeOf(node);
        await nextFrame();
      }
      if (hidden !== '' && isVisible(node)) found.push(`${hidden}: ${node.outerHTML.slice(0, 160)}`);
    }
    return found;
  });
  assert.deepEqual(lost, []);
}

declare global {
  interface Window {
    hiddenBecause(nodes: readonly Element[]): readonly string[];
  }
}

/** Returns what extends beyond the right edge of the window, except for scrollable parts and text with an ellipsis. */
export async function stickingOut({ page }: OpenPage): Promise<string[]> {
  return page
    .locator('body, body *')
    .evaluateAll((nodes) =>
      nodes
        .filter(
          (node) =>
            node.getClientRects().length > 0 &&
            node.getBoundingClientRect().right > innerWidth + 0.5 &&
            node.closest('.table, .sr-only, .tool-target > *, .traffic-row > *') === null,
        )
        .map((node) => `${node.className}: ${Math.round(node.getBoundingClientRect().right)}`),
    );
}

/** Runs in the browser: all in one request, which takes longer than the checks. @returns why each element is not visible; empty if it is */
function hiddenBecause(nodes: readonly Element[]): readonly string[] {
  return nodes.map((node) => {
    const { left, top, right, bottom, width, height } = node.getBoundingClientRect();
    // A list of choices is transparent above the text that shows what is chosen.
    if (!node.checkVisibility({ opacityProperty: !node.matches('select') })) return 'is not drawn, or transparent';
    if (width < 4 || height < 4) return `is ${Math.round(width)} × ${Math.round(height)} px`;
    const tolerance = 1;
    if (left < -tolerance || right > innerWidth + tolerance || top < -tolerance || bottom > innerHeight + tolerance)
      return `is at ${[left, top, right, bottom].map(Math.round).join(', ')} in a window of ${innerWidth} × ${innerHeight}`;
    const topmost = document.elementFromPoint(left + width / 2, top + height / 2);
    if (topmost === null) return 'nothing is at its center';
    return node.contains(topmost) ? '' : `lies behind ${topmost.outerHTML.slice(0, 120)}`;
  });
}

/** Resolves when the browser has drawn two more frames. */
export function nextFrames(page: Page): Promise<void> {
  return page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))));
}

/** The distance from the visible part to the end of the conversation, in pixels. */
export function distanceToEnd(page: Page): Promise<number> {
  return page.getByRole('log').evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);
}

/** Resolves when the end is visible. This can take more than one frame, because items get their real height when they become visible. */
export async function endInSight(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const log = document.querySelector('[role=log]');
    return log !== null && log.scrollHeight > log.clientHeight && log.scrollHeight - log.scrollTop - log.clientHeight < 2;
  });
}
