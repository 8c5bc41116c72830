/** Messages that wait behind a turn: what can be done with each, by mouse and by keyboard. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatView } from '../../src/contract/view.js';
import type { OpenPage } from './harness.js';
import { assertOnScreen } from './onScreen.js';
import { hostForTests, shoot, shootAgain } from './pageTests.js';
import { richView } from './views.js';

const host = hostForTests();

const sendNow = 'Send Immediately (Stops the Running Turn)';
const queued = (...ids: readonly string[]): ChatView['queue'] => ids.map((id) => ({ id, text: `and ${id}`, sendNow }));
const view = richView({ prompts: [], queue: queued('the tests', 'the changelog', 'the whole documentation of it') });
const grip = ({ page }: OpenPage, text: string) =>
  page.getByRole('button', { name: new RegExp(`^Move queued message \\d of \\d: ${text}$`) });
const shownIn = ({ page }: OpenPage): Promise<readonly string[]> => page.locator('.queued-text').allTextContents();
const movesOf = async (opened: OpenPage) => (await opened.messages()).filter(({ type }) => type === 'moveQueued');

test('one is sent at once, and its button says what that does', async () => {
  const opened = await host.open({ view });
  const button = opened.page.getByRole('button', { name: 'Send queued message immediately: and the changelog' });
  assert.equal(await button.getAttribute('title'), sendNow);
  await button.click();
  assert.deepEqual(await opened.message('sendQueued'), { type: 'sendQueued', id: 'the changelog' });
  await opened.assertClean();
  await opened.close();
});

test('arrow keys move one, and it keeps the focus', async () => {
  const opened = await host.open({ view });
  const last = grip(opened, 'and the whole documentation of it');
  await last.focus();
  await last.press('ArrowDown');
  await last.press('ArrowUp');
  await opened.patch({ op: 'queue', queue: queued('the tests', 'the whole documentation of it', 'the changelog') });
  const focused = (): Promise<string | null | undefined> => opened.page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  assert.equal(await focused(), 'Move queued message 2 of 3: and the whole documentation of it');
  await last.press('ArrowDown');
  assert.deepEqual(await movesOf(opened), [
    { type: 'moveQueued', id: 'the whole documentation of it', before: 'the changelog' },
    { type: 'moveQueued', id: 'the whole documentation of it', before: undefined },
  ]);
  await opened.close();
});

test('one is dragged to another place, and stays there until the host has moved it', async () => {
  const opened = await host.open({ view });
  const { mouse } = opened.page;
  const middleOf = async (text: string): Promise<readonly [number, number]> => {
    const { x, y, width, height } = (await grip(opened, text).boundingBox()) ?? assert.fail('out of sight');
    return [x + width / 2, y + height / 2];
  };
  const [first, second] = [await middleOf('and the tests'), await middleOf('and the changelog')];
  await mouse.move(...first);
  await mouse.down();
  await mouse.move(second[0], second[1] + 5, { steps: 3 });
  const order = ['and the changelog', 'and the tests', 'and the whole documentation of it'];
  assert.deepEqual(await shownIn(opened), order);
  await mouse.up();
  assert.deepEqual(await opened.message('moveQueued'), { type: 'moveQueued', id: 'the tests', before: 'the whole documentation of it' });
  assert.deepEqual(await shownIn(opened), order);
  await opened.patch({ op: 'queue', queue: queued('the changelog', 'the tests', 'the whole documentation of it') });
  assert.deepEqual(await shownIn(opened), order);
  // One that is dropped where it was has not moved.
  await mouse.move(...first);
  await mouse.down();
  await mouse.up();
  assert.equal((await movesOf(opened)).length, 1);
  await opened.assertClean();
  await opened.close();
});

test('a single message has no order, and one that the agent has can only be what the agent allows', async () => {
  const queue = [{ id: 'a', text: 'in the agent', isFixed: true, goes: 'this turn' }, ...queued('the tests')];
  const opened = await host.open({ view: richView({ prompts: [], queue }) });
  const names = await opened.page.locator('.queued button').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  assert.deepEqual(names, [
    'Send queued message immediately: and the tests',
    'Edit queued message: and the tests',
    'Remove queued message: and the tests',
  ]);
  await opened.close();
});

for (const width of [220, 420])
  test(`all buttons are on screen at ${width} px`, async () => {
    const steered = [{ id: 'a', text: 'in the agent', goes: 'this turn' }, ...view.queue.map((one) => ({ ...one, goes: 'next turn' }))];
    const opened = await shoot(host, `queue-${width}-dark`, { view: { ...view, queue: steered }, width });
    for (const name of [
      /^Move queued message 1/,
      /^Send queued message immediately: and the tests/,
      /^Remove queued message: and the tests/,
    ])
      await assertOnScreen(opened.page.getByRole('button', { name }));
    await opened.page.getByRole('button', { name: /^Move queued message 2/ }).focus();
    await opened.showTheme('light');
    await shootAgain(opened, `queue-${width}-light`);
    await opened.close();
  });
