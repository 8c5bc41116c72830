/** Saves what was visible when a test of the workbench failed. */
import { afterEach } from 'node:test';
import type { Page } from 'playwright-core';
import type { Workbench } from './workbench.js';

/** Call this in a suite. Saves a screenshot, and prints the visible text for readers who only have the output. */
export function reportFailures(workbench: () => Workbench): void {
  afterEach(async (context) => {
    if (!('passed' in context) || context.passed) return;
    const name = `failed-${context.name.replaceAll(/\W+/g, '-').slice(0, 80)}`;
    try {
      await workbench().screenshot(name);
      console.log(`visible when “${context.name}” failed (out/screenshots/${name}.png):\n${await visibleText(workbench().page)}`);
    } catch (error) {
      console.log(`could not save what was visible when “${context.name}” failed: ${String(error)}`);
    }
  });
}

/** Returns the visible text of the workbench around the pages, and the element with the keyboard focus. */
function visibleText(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    const parts = [
      '.part.sidebar',
      '.part.editor',
      '.part.statusbar',
      '.quick-input-widget',
      '.action-widget',
      '.notifications-toasts',
      '.monaco-dialog-box',
    ];
    const shown = parts.flatMap((part) => {
      const found = document.querySelector<HTMLElement>(part);
      return found?.checkVisibility() === true ? [`${part}: ${found.innerText.replaceAll(/\s+/g, ' ').trim()}`] : [];
    });
    return [`focus: ${focused?.tagName ?? 'nowhere'} ${focused?.className ?? ''}`, ...shown].join('\n');
  });
}
