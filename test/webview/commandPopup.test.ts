/** The list of slash commands: completely visible or scrollable at every size of the window, and no invisible command is chosen. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { ChatView } from '../../src/contract/view.js';
import { screenshotFolder, type OpenPage } from './harness.js';
import { assertOnScreen } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { emptyView, permissionPrompt, richView } from './views.js';

const host = hostForTests();

const commands = Array.from({ length: 40 }, (_, index) => ({
  name: index === 0 ? 'a-command-with-a-name-that-is-longer-than-a-narrow-side-bar' : `command-${index}`,
  description: `What command ${index} does, told in a sentence that is longer than the line`,
  ...(index % 3 === 0 ? { hint: 'topic' } : {}),
}));
const withCommands = (view: ChatView): ChatView => ({ ...view, composer: { ...view.composer, commands } });
const views: Readonly<Record<string, ChatView>> = {
  empty: withCommands(emptyView()),
  busy: withCommands(richView()),
  'with a prompt': withCommands(richView({ prompts: [permissionPrompt()] })),
};
const box = ({ page }: OpenPage) => page.getByRole('textbox', { name: 'Message' });
const option = ({ page }: OpenPage) => page.locator('[role=option][aria-selected=true]');

describe('the list of commands', () => {
  for (const width of [220, 260, 400, 1200]) {
    for (const height of [180, 320, 720]) {
      for (const [name, view] of Object.entries(views)) {
        test(`it fits on screen at ${width} × ${height}, ${name}`, async () => {
          const opened = await host.open({ view, width, height });
          await box(opened).scrollIntoViewIfNeeded();
          await box(opened).pressSequentially('/com');
          const list = opened.page.getByRole('listbox', { name: 'Commands of the agent' });
          await assertOnScreen(list);
          await assertOnScreen(option(opened));
          await opened.page.screenshot({
            path: path.join(screenshotFolder, `commands-${width}x${height}-${name.replaceAll(' ', '-')}.png`),
          });
          // Arrow Up wraps from the first to the last one.
          await box(opened).press('ArrowUp');
          await assertOnScreen(option(opened));
          const chosen = await option(opened).locator('.command-name').textContent();
          await box(opened).press('Enter');
          assert.equal(await box(opened).inputValue(), `${chosen} `);
          await opened.assertClean();
          await opened.close();
        });
      }
    }
  }

  for (const width of [300, 1200])
    test(`it has at most eight rows at ${width} px, and only the selected one has two lines`, async () => {
      const opened = await host.open({ view: views['busy'] ?? emptyView(), width, height: 720 });
      await box(opened).pressSequentially('/');
      const heights = await opened.page
        .locator('[role=option]')
        .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
      const [selected = 0, one = 0, ...rest] = heights;
      assert.ok(rest.every((height) => height === one) && selected > one * 1.5 && selected < one * 2.2, heights.join());
      const list = await opened.page.getByRole('listbox').evaluate(({ clientHeight }) => clientHeight);
      assert.ok(list <= 7 * one + selected + 8, `${list} px`);
      await opened.close();
    });

  test('a command can be chosen with the mouse', async () => {
    const opened = await host.open({ view: views['busy'] ?? emptyView(), width: 260, height: 480 });
    await box(opened).pressSequentially('/command-3');
    await opened.page.getByRole('option').nth(2).click();
    assert.equal(await box(opened).inputValue(), '/command-31 ');
    await opened.close();
  });

  test('it is repositioned when the window is resized', async () => {
    const opened = await host.open({ view: views['busy'] ?? emptyView(), width: 900, height: 700 });
    await box(opened).pressSequentially('/');
    await opened.page.setViewportSize({ width: 240, height: 260 });
    await opened.page.waitForFunction(() => (document.querySelector('.command-popup')?.getBoundingClientRect().right ?? Infinity) <= 240);
    await assertOnScreen(opened.page.getByRole('listbox'));
    await assertOnScreen(option(opened));
    await opened.close();
  });

  test('a command that is typed completely comes first, and Enter sends it', async () => {
    const named = ['helpers', 'help', 'Reviewers', 'Review'].map((name) => ({ name, description: `The command ${name}` }));
    const opened = await host.open({ view: emptyView({ composer: { ...emptyView().composer, commands: named } }) });
    await box(opened).pressSequentially('/hel');
    await box(opened).press('Enter');
    assert.equal(await box(opened).inputValue(), '/helpers ');
    await box(opened).fill('/help');
    assert.match(await opened.page.getByRole('option', { selected: true }).innerText(), /^\/help\b/);
    await box(opened).press('Tab');
    assert.equal(await box(opened).inputValue(), '/help ');
    await box(opened).press('Backspace');
    await box(opened).press('Enter');
    await box(opened).pressSequentially('/Review');
    await box(opened).press('Enter');
    const sent = (await opened.messages()).flatMap((message) => (message.type === 'send' ? [message.text] : []));
    assert.deepEqual(sent, ['/help', '/Review']);
    await opened.assertClean();
    await opened.close();
  });

  test('out of sight, it cannot be chosen from', async () => {
    const opened = await host.open({ view: views['empty'] ?? emptyView() });
    await box(opened).pressSequentially('/com');
    await opened.page
      .locator('.command-popup')
      .evaluate((node) => Object.assign((node as HTMLElement).style, { maxHeight: '0', padding: '0' }));
    await box(opened).press('Enter');
    const sent = (await opened.messages()).flatMap((message) => (message.type === 'send' ? [message.text] : []));
    assert.deepEqual(sent, ['/com']);
    await opened.close();
  });
});
