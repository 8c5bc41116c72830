/** An answer that arrives faster than it can be drawn: the page draws it in slices, and all of it in the end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OpenPage } from './harness.js';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView } from './views.js';

const host = hostForTests();

const count = 5_000;
const text = Array.from({ length: count }, (_, index) => `Paragraph **${index}** of many.`).join('\n\n');
const allDrawn = ({ page }: OpenPage) =>
  page.waitForFunction((wanted) => document.querySelectorAll('.transcript p').length === wanted, count);

test('many updates at once are rendered over several frames', async () => {
  const opened = await host.open({ view: emptyView({ items: [agentItem('a', '', true)] }) });
  const atFirst = await opened.page.evaluate(async (added) => {
    await window.deliver({ type: 'patch', revision: 2, ops: [{ op: 'append', id: 'a', text: added }] });
    const drawn = (): number => document.querySelectorAll('.transcript p').length;
    while (drawn() === 0) await new Promise((resolve) => requestAnimationFrame(resolve));
    return drawn();
  }, text);
  assert.ok(atFirst < count / 2, `${atFirst} paragraphs were drawn in one frame`);
  await allDrawn(opened);
  await opened.assertClean();
  await opened.close();
});

test('a typed letter is shown before pending parts of the answer', async () => {
  const opened = await host.open({ view: emptyView({ items: [agentItem('a', '', true)] }), fakeClock: true });
  const { page } = opened;
  const drawn = () => page.locator('.transcript p').count();
  await page.getByRole('textbox', { name: 'Message' }).press('a');
  await opened.patch({ op: 'append', id: 'a', text: 'one\n\ntwo\n\n' });
  await page.clock.runFor(16);
  assert.equal(await drawn(), 0);
  await page.clock.runFor(16);
  assert.equal(await drawn(), 2);
  await opened.close();
});

test('an answer that arrives in short pieces is drawn in every second frame', async () => {
  const opened = await host.open({ view: emptyView({ items: [agentItem('a', '', true)] }), fakeClock: true });
  const answer = opened.page.locator('.markdown');
  const drawn: string[] = [];
  for (const piece of ['1', '2', '3', '4', '5', '6']) {
    await opened.patch({ op: 'append', id: 'a', text: piece });
    await opened.page.clock.runFor(16);
    drawn.push((await answer.textContent()) ?? '');
  }
  assert.deepEqual(drawn, ['1', '1', '123', '123', '12345', '12345']);
  await opened.close();
});

test('an answer that ends before it is rendered is rendered completely', async () => {
  const opened = await host.open({ view: emptyView({ items: [agentItem('a', '', true)] }) });
  await opened.patch({ op: 'append', id: 'a', text }, { op: 'item', item: agentItem('a', text) });
  await allDrawn(opened);
  assert.equal(await opened.page.locator('.transcript p').last().textContent(), `Paragraph ${count - 1} of many.`);
  await opened.assertClean();
  await opened.close();
});
