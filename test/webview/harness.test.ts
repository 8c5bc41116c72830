/** What the page tests rely on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertOnScreen } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { emptyView } from './views.js';

const host = hostForTests();

for (const [what, style, reason] of [
  ['in sight', '', undefined],
  ['off screen', 'left: -60px', /is at -60/],
  ['covered', 'z-index: -1', /lies behind/],
  ['invisible', 'visibility: hidden', /lies behind/],
  ['transparent', 'opacity: 0', /transparent/],
  ['not drawn', 'display: none', /not drawn/],
] as const)
  test(`an element is ${what}`, async () => {
    const opened = await host.open({ view: emptyView() });
    await opened.page.evaluate((added) => {
      const element = document.body.appendChild(document.createElement('p'));
      element.className = 'element';
      // The policy of the page allows no style in an attribute.
      element.style.cssText = `position: fixed; inset: 0 auto auto 0; z-index: 9999; width: 50px; height: 50px; margin: 0; ${added}`;
    }, style);
    const check = assertOnScreen(opened.page.locator('.element'));
    await (reason === undefined ? check : assert.rejects(check, reason));
    await opened.close();
  });

test('an element that disappears while it is not in sight is not on screen', async () => {
  const opened = await host.open({ view: emptyView() });
  await opened.page.evaluate(() => {
    const element = document.body.appendChild(document.createElement('p'));
    element.className = 'element';
    element.getBoundingClientRect = () => {
      queueMicrotask(() => element.remove());
      return new DOMRect(-60, 0, 50, 50);
    };
  });
  await assert.rejects(assertOnScreen(opened.page.locator('.element')), /is gone/);
  await opened.close();
});

test('keys and buttons that a test holds are not down in the page of the next test', async () => {
  const first = await host.open({ view: emptyView() });
  await first.page.keyboard.down('Shift');
  await first.page.keyboard.down('a');
  await first.page.mouse.move(100, 100);
  await first.page.mouse.down();
  await first.close();
  const next = await host.open({ view: emptyView() });
  const seen = next.page.evaluate(
    () =>
      new Promise((resolve) => {
        const onMove = ({ buttons }: MouseEvent): void =>
          document.addEventListener('keydown', ({ shiftKey, repeat }) => resolve({ buttons, shiftKey, repeat }), { once: true });
        document.addEventListener('mousemove', onMove, { once: true });
      }),
  );
  await next.page.mouse.move(120, 100);
  await next.page.keyboard.press('a');
  assert.deepEqual(await seen, { buttons: 0, shiftKey: false, repeat: false });
  await next.close();
});
