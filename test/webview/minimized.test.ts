/** Minimized requests, and those that arrive meanwhile. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PromptView, WaitView } from '../../src/contract/view.js';
import type { OpenPage } from './harness.js';
import { assertOnScreen } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { decisions, openPrompts, pass } from './promptPage.js';
import { emptyView, permissionPrompt } from './views.js';

const host = hostForTests();

const first = permissionPrompt();
const second = permissionPrompt({ id: 'ask-3', title: 'Fetch a page?' });
const third = permissionPrompt({ id: 'ask-4', title: 'Write a file?' });

const dialog = ({ page }: OpenPage, { title }: PromptView) => page.getByRole('dialog', { name: title });
/** The line that minimized requests take. */
const line = ({ page }: OpenPage, { title }: PromptView) => page.locator('.prompt-bar').filter({ hasText: title });
const show = (opened: OpenPage, ...prompts: PromptView[]): Promise<void> => opened.patch({ op: 'prompts', prompts });
const minimize = ({ page }: OpenPage): Promise<void> => page.getByRole('button', { name: 'Minimize' }).click();
const allow = ({ page }: OpenPage) => page.getByRole('button', { name: 'Allow once', exact: true });

async function openMinimized(...prompts: PromptView[]): Promise<OpenPage> {
  const opened = await openPrompts(host, prompts);
  await pass(opened);
  await minimize(opened);
  return opened;
}

describe('minimized requests', () => {
  test('they take one line, and reappear with the pause', async () => {
    const opened = await openMinimized(first);
    assert.equal(await dialog(opened, first).count(), 0);
    assert.deepEqual(await decisions(opened), []);
    await line(opened, first).click();
    assert.equal(await allow(opened).isDisabled(), true);
    await opened.close();
  });

  test('they are the wait themselves, and say their age beside their title', async () => {
    const long = permissionPrompt({ title: 'Fetch a page of which the address is much too long for the line?' });
    for (const prompt of [first, long]) {
      const opened = await openMinimized(prompt);
      await pass(opened, 90_000);
      await opened.patch({ op: 'wait', wait: { text: 'agentao needs your input', since: prompt.at, buttons: [] } });
      await opened.page.locator('.wait').waitFor({ state: 'attached' });
      assert.equal(await opened.page.locator('.wait').isVisible(), false, 'two lines say the same');
      const boxes = [line(opened, prompt), opened.page.locator('.prompt-bar-title'), opened.page.locator('.prompt-bar .age')];
      const [bar, title, age] = await Promise.all(boxes.map((one) => one.boundingBox()));
      assert.ok(bar && title && age);
      assert.ok(age.x - (title.x + title.width) < 10, `${age.x - (title.x + title.width)} px between them`);
      assert.ok(age.x + age.width < bar.x + bar.width && age.height < 30, 'the age is cut or wrapped');
      await opened.close();
    }
  });

  test('they leave the button that stops an agent that asks before its session is open', async () => {
    const opened = await openMinimized(first);
    const buttons: WaitView['buttons'] = [{ action: 'stop', label: 'Stop' }];
    await opened.patch({ op: 'wait', wait: { text: 'agentao needs your input', since: first.at, buttons } });
    await opened.page.locator('.wait').getByRole('button', { name: 'Stop' }).click();
    assert.deepEqual(await opened.message('action'), { type: 'action', action: 'stop' });
    await opened.close();
  });

  test('a request that comes after a minimized one has ended is not minimized', async () => {
    const opened = await openMinimized(first);
    await show(opened);
    await show(opened, second);
    await dialog(opened, second).waitFor();
    await opened.close();
  });

  test('every request that arrives meanwhile is shown, with the minimized one before it', async () => {
    const opened = await openMinimized(first);
    await show(opened, first, second);
    await assertOnScreen(dialog(opened, second));
    await dialog(opened, second).getByText('2 of 2').waitFor();
    await show(opened, first, second, third);
    await dialog(opened, second).getByText('2 of 3').waitFor();
    await show(opened, first, third);
    await assertOnScreen(dialog(opened, third));
    await show(opened, first);
    await assertOnScreen(line(opened, first));
    assert.equal(await opened.page.getByRole('dialog').count(), 0);
    await opened.assertClean();
    await opened.close();
  });

  test('they can be opened from a later one', async () => {
    const opened = await openMinimized(first);
    await show(opened, first, second);
    await opened.page.getByRole('button', { name: 'Previous request' }).click();
    await assertOnScreen(dialog(opened, first));
    await dialog(opened, first).getByText('1 of 2').waitFor();
    await show(opened, first);
    await assertOnScreen(dialog(opened, first));
    await opened.close();
  });

  test('all that are pending are minimized together, and the line shows the one that was open', async () => {
    const opened = await openMinimized(first);
    await show(opened, first, second);
    await minimize(opened);
    await assertOnScreen(line(opened, second).getByText('2 requests'));
    await line(opened, second).click();
    await assertOnScreen(dialog(opened, second));
    await opened.close();
  });

  test('the host can focus a later one', async () => {
    const opened = await openMinimized(first);
    await opened.page.getByRole('textbox', { name: 'Message' }).fill('writing');
    await show(opened, first, second);
    await opened.post({ type: 'focus', target: 'prompt' });
    await pass(opened);
    assert.equal(await dialog(opened, second).evaluate((element) => element === document.activeElement), true);
    await opened.close();
  });
});

describe('a request that arrives while another one is minimized', () => {
  test('keys and clicks that began before it can be decided decide nothing', async () => {
    const opened = await openMinimized(first);
    const { keyboard, mouse } = opened.page;
    await line(opened, first).focus();
    await keyboard.down('1');
    await show(opened, first, second);
    await dialog(opened, second).waitFor();
    await keyboard.press('Escape');
    await pass(opened, 390);
    await keyboard.press('2');
    await allow(opened).hover();
    await mouse.down();
    await pass(opened, 20);
    await mouse.up();
    await keyboard.down('1');
    assert.deepEqual(await decisions(opened), []);
    await keyboard.up('1');
    await keyboard.press('1');
    assert.deepEqual(await decisions(opened), [{ type: 'select', promptId: 'ask-3', optionId: 'yes' }]);
    await opened.close();
  });

  for (const key of ['Enter', 'Space'] as const) {
    test(`${key}, held on the line of the minimized one, decides nothing`, async () => {
      const opened = await openMinimized(first);
      await show(opened, first, second);
      await minimize(opened);
      await line(opened, second).focus();
      await opened.page.keyboard.down(key);
      await show(opened, first, second, third);
      await pass(opened);
      await opened.page.keyboard.down(key);
      await opened.page.keyboard.up(key);
      assert.deepEqual(await decisions(opened), []);
      await opened.close();
    });
  }

  test('a key that decides it decides nothing afterwards, and the focus goes to the message box', async () => {
    const opened = await openMinimized(first);
    const { keyboard } = opened.page;
    await show(opened, first, second);
    await dialog(opened, second).focus();
    await pass(opened);
    await keyboard.down('1');
    await pass(opened, 300);
    await show(opened, first);
    await line(opened, first).waitFor();
    await pass(opened);
    await keyboard.down('1');
    const box = opened.page.getByRole('textbox', { name: 'Message' });
    assert.equal(await box.evaluate((element) => element === document.activeElement), true);
    assert.equal(await box.inputValue(), '');
    assert.equal((await decisions(opened)).length, 1);
    await opened.close();
  });

  test('it leaves the focus to a user who is typing', async () => {
    const opened = await host.open({ view: emptyView({ prompts: [first] }), fakeClock: true });
    await minimize(opened);
    const box = opened.page.getByRole('textbox', { name: 'Message' });
    await box.pressSequentially('version ');
    await show(opened, first, second);
    await dialog(opened, second).waitFor();
    await pass(opened);
    await opened.page.keyboard.type('12');
    await opened.page.keyboard.press('Escape');
    assert.equal(await box.inputValue(), 'version 12');
    assert.deepEqual(await decisions(opened), []);
    await opened.close();
  });
});
