/** A request in a low page: what decides it stays visible, and so does the composer. Screenshots are saved in out/screenshots for review. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import type { PermissionPromptView } from '../../src/contract/view.js';
import { assertOnScreen, assertReachable, stickingOut } from './onScreen.js';
import { hostForTests, shoot, shootAgain } from './pageTests.js';
import { permissionPrompt, richView } from './views.js';

const host = hostForTests();

const lines = (count: number): string => Array.from({ length: count }, (_, line) => `export const value${line} = ${line};\n`).join('');

function editPrompt(count: number): PermissionPromptView {
  const diff = {
    path: '/project/src/values.ts',
    oldText: lines(count),
    newText: lines(count).replaceAll('export ', ''),
    added: count,
    removed: count,
  };
  return permissionPrompt({ title: 'Edit src/values.ts?', parts: [{ type: 'diff', diff }] });
}

/** Pixels of it that are in the window. */
const heightInView = (locator: Locator): Promise<number> =>
  locator.evaluate((node) => {
    const { top, bottom } = node.getBoundingClientRect();
    return Math.min(bottom, innerHeight) - Math.max(top, 0);
  });

for (const count of [6, 40])
  for (const [width, height] of [
    [900, 518],
    [300, 518],
    [250, 518],
    [300, 420],
    [250, 420],
  ] as const)
    test(`a change of ${count} lines at ${width} × ${height} px: its options and the composer are visible, and the change scrolls`, async () => {
      const view = richView({ prompts: [editPrompt(count)], queue: ['first', 'second'].map((text) => ({ id: text, text })) });
      const opened = await shoot(host, `low-${count}-${width}x${height}`, { view, width, height });
      const { page } = opened;
      await assertOnScreen(page.locator('.option'));
      await assertOnScreen(page.getByRole('textbox', { name: 'Message' }));
      await assertOnScreen(page.getByRole('button', { name: 'Stop', exact: true }));
      assert.ok((await heightInView(page.locator('.prompt-body'))) >= 40);
      if (height > 500) {
        await assertOnScreen(page.getByRole('region', { name: 'Queued messages' }).getByText('2 messages queued'));
        assert.ok((await heightInView(page.getByRole('log'))) >= 28);
      }
      const last = page.locator('.diff-line').last();
      await last.evaluate((node) => node.scrollIntoView({ block: 'center', behavior: 'instant' }));
      await assertOnScreen(last);
      await assertOnScreen(page.locator('.option'));
      await assertReachable(opened);
      assert.equal(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight), 0);
      assert.deepEqual(await stickingOut(opened), []);
      await opened.showTheme('light');
      await shootAgain(opened, `low-${count}-${width}x${height}-light`);
      await opened.close();
    });
