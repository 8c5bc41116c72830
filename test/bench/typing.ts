/** How long a typed letter takes to appear while an answer floods in: from the key press to the frame after it was drawn. */
import type { PageHost } from '../webview/harness.js';
import { agentItem, emptyView, userItem } from '../webview/views.js';

const paragraphs = 5_000;
const paragraphsPerSecond = 2_500;
const keyEveryMs = 40;

/** @returns milliseconds, 95th percentile from the first paragraph to the last letter */
export async function typingP95Ms(pages: PageHost): Promise<number> {
  const opened = await pages.open({
    view: emptyView({ items: [userItem('u', 'go'), agentItem('a', '', true)] }),
    width: 480,
    height: 700,
    ownPage: true,
  });
  try {
    const { page } = opened;
    await page.getByRole('textbox', { name: 'Message' }).focus();
    const flooding = page.evaluate(flood, { paragraphs, paragraphsPerSecond });
    await page.waitForFunction(() => window.letters !== undefined);
    // Typing continues for a moment after the last paragraph arrived, when everything is visible.
    for (let key = 0; key < ((paragraphs / paragraphsPerSecond + 1) * 1000) / keyEveryMs; key++) {
      await page.keyboard.press('KeyA');
      await new Promise((resolve) => setTimeout(resolve, keyEveryMs));
    }
    await flooding;
    const letters = (await page.evaluate(() => window.letters ?? [])).toSorted((a, b) => a - b);
    return letters[Math.floor(letters.length * 0.95)] ?? Number.NaN;
  } finally {
    await opened.close();
  }
}

declare global {
  interface Window {
    /** Milliseconds of each letter so far. */
    letters?: number[];
  }
}

/** Runs in the browser: watches the keys, and feeds by the clock, as a host does that joins what came within a frame. */
async function flood({
  paragraphs,
  paragraphsPerSecond,
}: {
  readonly paragraphs: number;
  readonly paragraphsPerSecond: number;
}): Promise<void> {
  const letters: number[] = [];
  window.letters = letters;
  document.addEventListener('keydown', ({ timeStamp }) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => letters.push(performance.now() - timeStamp);
    // A message posted in a frame is handled after that frame is drawn.
    requestAnimationFrame(() => port2.postMessage(undefined));
  });
  let revision = 1;
  const startedAt = performance.now();
  for (let sent = 0; sent < paragraphs; ) {
    await new Promise((resolve) => setTimeout(resolve, 16));
    const due = Math.min(paragraphs, Math.floor(((performance.now() - startedAt) * paragraphsPerSecond) / 1000));
    let text = '';
    for (; sent < due; sent++)
      text += `Paragraph ${sent} tells what the **parser** does with \`part${sent}\`, and why it reads it twice.\n\n`;
    if (text !== '') window.postMessage({ type: 'patch', revision: ++revision, ops: [{ op: 'append', id: 'a', text }] }, '*');
  }
}
