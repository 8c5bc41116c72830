/** Saves what was visible when a test of the workbench failed. */
import { afterEach } from 'node:test';
import type { Page } from 'playwright-core';
import type { Workbench } from './workbench.js';

/** Call it in the suite. The picture is for those who sit at the machine, the words for those who have only the output. */
export function tellFailures(workbench: () => Workbench): void {
  afterEach(async (context) => {
    if (!('passed' in context) || context.passed) return;
    const name = `failed-${context.name.replaceAll(/\W+/g, '-').slice(0, 80)}`;
    try {
      await workbench().screenshot(name);
      console.log(`on screen when “${context.name}” failed (out/screenshots/${name}.png):\n${await wordsOn(workbench().page)}`);
    } catch (error) {
      console.log(`nothing was on screen when “${context.name}” failed: ${String(error)}`);
    }
  });
}

/** What a person would read in the workbench around the pages, and where the keyboard is. */
function wordsOn(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    const parts = [
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
    return [`keyboard: ${focused?.tagName ?? 'nowhere'} ${focused?.className ?? ''}`, ...shown].join('\n');
  });
}
