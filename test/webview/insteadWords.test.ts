/** A permission that is rejected with words for the agent. Screenshots are saved in out/screenshots for review. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PermissionPromptView } from '../../src/contract/view.js';
import type { OpenPage } from './harness.js';
import { assertOnScreen, stickingOut } from './onScreen.js';
import { hostForTests, shoot, shootAgain } from './pageTests.js';
import { decisions, openPrompts, pass } from './promptPage.js';
import { commandPart, emptyView, permissionPrompt, richView } from './views.js';

const host = hostForTests();

const opener = ({ page }: OpenPage) => page.getByRole('button', { name: 'Reject and Tell the Agent What to Do Instead' });
const field = ({ page }: OpenPage) => page.getByRole('textbox', { name: 'Tell agentao what to do instead' });
const message = ({ page }: OpenPage) => page.getByRole('textbox', { name: 'Message' });
const isFocused = (opened: OpenPage, name: string): Promise<boolean> =>
  opened.page.evaluate((label) => document.activeElement?.getAttribute('aria-label') === label, name);

const question: PermissionPromptView['options'] = ['SQLite', 'PostgreSQL'].map((name, index) => ({
  optionId: name,
  digit: index + 1,
  kind: 'Allow once',
  name,
  icon: 'allows',
  primary: false,
}));

/** Opens a page on which the field of the first request has the focus and can decide. */
async function openField(prompts = [permissionPrompt()]): Promise<OpenPage> {
  const opened = await openPrompts(host, prompts);
  await pass(opened);
  await opener(opened).click();
  await field(opened).waitFor();
  return opened;
}

test('the button opens a field with the focus, and closes it again', async () => {
  const opened = await openField();
  assert.equal(await opener(opened).getAttribute('aria-expanded'), 'true');
  assert.equal(await field(opened).getAttribute('placeholder'), 'Tell agentao what to do instead');
  assert.equal(await isFocused(opened, 'Tell agentao what to do instead'), true);
  await opener(opened).click();
  assert.equal(await field(opened).count(), 0);
  assert.deepEqual(await decisions(opened), []);
  await opened.assertClean();
  await opened.close();
});

test('a question has no such button, and neither has a request that asks for something else', async () => {
  const opened = await openPrompts(host, [permissionPrompt({ options: question })]);
  assert.equal(await opener(opened).count(), 0);
  await opened.patch({ op: 'prompts', prompts: [{ kind: 'confirm', id: 'c', agent: 'agentao', at: 0, title: 'Go on?' }] });
  await opened.page.getByRole('dialog', { name: 'Go on?' }).waitFor();
  assert.equal(await opener(opened).count(), 0);
  await opened.close();
});

test('Enter rejects once with the words, and the focus goes to the composer', async () => {
  const opened = await openField();
  await opened.page.keyboard.type('  use git mv ');
  await opened.page.keyboard.press('Enter');
  await opened.page.keyboard.press('Enter');
  const rejected = { type: 'dismiss', promptId: 'ask-1', feedback: 'use git mv' };
  assert.deepEqual(await decisions(opened), [rejected]);
  await opened.patch({ op: 'prompts', prompts: [] });
  await opened.page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Message');
  assert.equal(await message(opened).inputValue(), '');
  assert.deepEqual(await decisions(opened), [rejected]);
  await opened.close();
});

test('Enter does nothing without words', async () => {
  const opened = await openField();
  for (const words of ['', '   ']) {
    await field(opened).fill(words);
    await opened.page.keyboard.press('Enter');
    assert.deepEqual(await decisions(opened), []);
    assert.equal(await field(opened).count(), 1);
  }
  await opened.close();
});

test('Enter sends no words before the request can be decided, and none while it is held down since then', async () => {
  const opened = await openPrompts(host, [permissionPrompt()]);
  const { keyboard } = opened.page;
  await opener(opened).click();
  await keyboard.type('use git mv');
  await keyboard.down('Enter');
  await pass(opened);
  await keyboard.down('Enter');
  assert.deepEqual(await decisions(opened), []);
  await keyboard.up('Enter');
  assert.equal(await field(opened).inputValue(), 'use git mv');
  await keyboard.press('Enter');
  assert.equal((await decisions(opened)).length, 1);
  await opened.close();
});

test('the Enter that opens the field sends nothing, although it is held down and words are there', async () => {
  const opened = await openField();
  const { keyboard } = opened.page;
  await keyboard.type('use git mv');
  await keyboard.press('Escape');
  await keyboard.down('Enter');
  await field(opened).waitFor();
  await keyboard.down('Enter');
  assert.deepEqual(await decisions(opened), []);
  assert.equal(await field(opened).inputValue(), 'use git mv');
  await opened.close();
});

test('keys in the field decide nothing, and write nothing elsewhere', async () => {
  const other = permissionPrompt({ id: 'ask-3', title: 'Fetch a page?' });
  const opened = await openField([permissionPrompt(), other]);
  for (const key of ['1', '3', '4', ' ', 'y', 'ArrowRight', 'ArrowLeft', 'Backspace', 'n']) await opened.page.keyboard.press(key);
  assert.deepEqual(await decisions(opened), []);
  assert.equal(await field(opened).inputValue(), '134ny');
  assert.equal(await message(opened).inputValue(), '');
  await opened.page.getByRole('dialog', { name: 'Run a command?' }).waitFor();
  await opened.close();
});

test('Escape goes back to the options and keeps the words, and the next one dismisses without them', async () => {
  const opened = await openField();
  const { keyboard } = opened.page;
  await keyboard.type('use git mv');
  await keyboard.press('Escape');
  assert.equal(await field(opened).count(), 0);
  assert.equal(await isFocused(opened, 'Reject and Tell the Agent What to Do Instead'), true);
  assert.deepEqual(await decisions(opened), []);
  await opener(opened).click();
  assert.equal(await field(opened).inputValue(), 'use git mv');
  await keyboard.press('Escape');
  await keyboard.press('Escape');
  assert.deepEqual(await decisions(opened), [{ type: 'dismiss', promptId: 'ask-1' }]);
  await opened.close();
});

test('words survive a look at another request, and reject the one that they were written for', async () => {
  const second = permissionPrompt({ id: 'ask-3', title: 'Fetch a page?' });
  const third = permissionPrompt({ id: 'ask-4', title: 'Edit a file?' });
  const opened = await openPrompts(host, [permissionPrompt(), second, third]);
  const go = async (way: string, title: string): Promise<void> => {
    await opened.page.getByRole('button', { name: `${way} request` }).click();
    await opened.page.getByRole('dialog', { name: title }).waitFor();
    await pass(opened);
  };
  await go('Next', 'Fetch a page?');
  await opener(opened).click();
  await opened.page.keyboard.type('read the copy in docs');
  await go('Next', 'Edit a file?');
  assert.equal(await field(opened).count(), 0);
  await go('Previous', 'Fetch a page?');
  assert.equal(await field(opened).inputValue(), 'read the copy in docs');
  await field(opened).press('Enter');
  assert.deepEqual(await decisions(opened), [{ type: 'dismiss', promptId: 'ask-3', feedback: 'read the copy in docs' }]);
  await opened.patch({ op: 'prompts', prompts: [permissionPrompt(), third] });
  await opened.page.getByRole('dialog', { name: 'Run a command?' }).waitFor();
  assert.equal(await opened.page.evaluate(() => document.activeElement?.getAttribute('role')), 'dialog', 'the next request has the focus');
  await opened.close();
});

test('the button and the field are reached with Tab', async () => {
  const opened = await openPrompts(host, [permissionPrompt()]);
  await pass(opened);
  const { keyboard } = opened.page;
  await opened.page.getByRole('button', { name: 'Allow once', exact: true }).focus();
  await keyboard.press('Tab');
  assert.equal(await isFocused(opened, 'Reject and Tell the Agent What to Do Instead'), true);
  await keyboard.press('Enter');
  await field(opened).waitFor();
  assert.equal(await isFocused(opened, 'Tell agentao what to do instead'), true);
  await keyboard.press('Shift+Tab');
  await keyboard.press('Tab');
  await keyboard.type('use git mv');
  assert.equal(await field(opened).inputValue(), 'use git mv');
  await opened.close();
});

test('it works in the panel for requests', async () => {
  const opened = await host.open({ surface: 'prompts', view: emptyView({ prompts: [permissionPrompt()] }), fakeClock: true });
  await pass(opened);
  await opener(opened).click();
  await opened.page.keyboard.type('step 2 first');
  await opened.page.keyboard.press('Enter');
  assert.deepEqual(await decisions(opened), [{ type: 'dismiss', promptId: 'ask-1', feedback: 'step 2 first' }]);
  await opened.close();
});

for (const [width, height] of [
  [420, 720],
  [300, 560],
  [300, 390],
  [220, 390],
  [297, 318],
] as const)
  test(`the field is in sight at ${width} × ${height} px, with the command, the options and Stop`, async () => {
    const view = richView({ prompts: [permissionPrompt({ parts: [commandPart('rm -rf build\n'.repeat(40))] })] });
    const opened = await shoot(host, `instead-${width}x${height}-closed`, { view, width, height });
    await opener(opened).click();
    await field(opened).waitFor();
    assert.equal(await field(opened).getAttribute('placeholder'), width < 320 ? 'Do this instead' : 'Tell agentao what to do instead');
    await shootAgain(opened, `instead-${width}x${height}`);
    await assertOnScreen(opened.page.locator('.prompt h2, .prompt-options button, .prompt-options input'));
    await assertOnScreen(opened.page.getByRole('button', { name: 'Stop', exact: true }));
    assert.equal(
      await opened.page.locator('.prompt').evaluate((prompt) => prompt.scrollHeight - prompt.clientHeight),
      0,
      'only its body scrolls',
    );
    assert.deepEqual(await stickingOut(opened), []);
    await opened.showTheme('light');
    await shootAgain(opened, `instead-${width}x${height}-light`);
    await opened.close();
  });

test('beside the button, the words of both options are complete at every width of the chat', async () => {
  const opened = await openPrompts(host, [permissionPrompt()]);
  for (let width = 220; width <= 560; width += 10) {
    await opened.page.setViewportSize({ width, height: 720 });
    const cut = await opened.page.locator('.option-buttons > .option').evaluateAll(
      (buttons) =>
        buttons.filter((button) => {
          const words = document.createRange();
          words.selectNodeContents(button);
          return words.getBoundingClientRect().right > button.getBoundingClientRect().right;
        }).length,
    );
    assert.equal(cut, 0, `at ${width} px`);
  }
  await opened.close();
});
