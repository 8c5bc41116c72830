/** Pages in which a user looks for text. */
import type { Locator } from 'playwright-core';
import type { ChatView } from '../../src/contract/view.js';
import type { OpenPage, PageHost } from './harness.js';

export const box = ({ page }: OpenPage): Locator => page.getByRole('textbox', { name: 'Message' });
export const words = ({ page }: OpenPage): Locator => page.getByRole('textbox', { name: 'Find in the conversation' });

/** The rest of the find widget is loaded when it is opened for the first time. */
export const counted = ({ page }: OpenPage, text: string): Promise<void> =>
  page.locator('.find-count', { hasText: new RegExp(`^${text}$`) }).waitFor();

export async function openAndFind(host: PageHost, view: ChatView, text: string): Promise<OpenPage> {
  const opened = await host.open({ view, height: 420 });
  await box(opened).focus();
  await opened.page.keyboard.press('Control+f');
  await words(opened).fill(text);
  return opened;
}

/** Waits until the current match is visible, and has this text. */
export async function see({ page }: OpenPage, text: string): Promise<void> {
  await page.waitForFunction((expected) => {
    const range = [...(CSS.highlights.get('found-current') ?? [])][0];
    const box = range instanceof Range ? range.getClientRects()[0] : undefined;
    if (!(range instanceof Range) || box === undefined) return false;
    const topmost = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return topmost?.contains(range.startContainer) === true && range.toString() === expected;
  }, text);
}
