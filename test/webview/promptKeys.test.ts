/** Which keys and clicks decide a request, and where the focus is before and after. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PromptView } from '../../src/contract/view.js';
import { type OpenPage } from './harness.js';
import { hostForTests } from './pageTests.js';
import { decisions, openPrompts, pass } from './promptPage.js';
import { emptyView, freeText, permissionPrompt, questionPrompt } from './views.js';

const host = hostForTests();

const openWith = (prompts: readonly PromptView[]): Promise<OpenPage> => openPrompts(host, prompts);
const dialog = ({ page }: OpenPage, name = 'Run a command?') => page.getByRole('dialog', { name });
const option = (opened: OpenPage, name: string) => opened.page.getByRole('button', { name, exact: true });

describe('keys in a request', () => {
  const active = ({ page }: OpenPage) =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-labelledby') ?? document.activeElement?.getAttribute('aria-label'));

  for (const key of ['1', 'Escape'] as const) {
    test(`holding ${key} decides only one request`, async () => {
      const second = permissionPrompt({ id: 'ask-3', title: 'Fetch a page?' });
      const opened = await openWith([permissionPrompt(), second]);
      const { keyboard } = opened.page;
      await keyboard.down(key);
      await pass(opened);
      await keyboard.down(key);
      assert.deepEqual(await decisions(opened), [], 'held since before the prompt could be decided');
      await keyboard.up(key);
      await keyboard.down(key);
      assert.equal((await decisions(opened)).length, 1);
      await opened.patch({ op: 'prompts', prompts: [second] });
      await dialog(opened, 'Fetch a page?').waitFor();
      await pass(opened);
      await keyboard.down(key);
      assert.equal((await decisions(opened)).length, 1);
      await keyboard.up(key);
      await keyboard.press(key);
      assert.equal((await decisions(opened)).length, 2);
      await opened.close();
    });
  }

  for (const key of ['Enter', 'Space'] as const) {
    test(`holding ${key} presses a button once`, async () => {
      const opened = await openWith([permissionPrompt()]);
      const { keyboard } = opened.page;
      await keyboard.down(key);
      await pass(opened);
      await option(opened, 'Allow once').focus();
      await keyboard.down(key);
      await keyboard.up(key);
      assert.deepEqual(await decisions(opened), [], 'held since before the prompt could be decided');
      await keyboard.press(key);
      assert.equal((await decisions(opened)).length, 1);
      await opened.close();
    });
  }

  test('a button held before the request could be decided decides nothing', async () => {
    const opened = await openWith([permissionPrompt()]);
    await option(opened, 'Allow once').hover();
    await opened.page.mouse.down();
    await pass(opened);
    await opened.page.mouse.up();
    assert.deepEqual(await decisions(opened), []);
    await opened.page.mouse.down();
    await opened.page.mouse.up();
    assert.equal((await decisions(opened)).length, 1);
    await opened.close();
  });

  test('a button held before the request could be decided opens no page', async () => {
    const url = 'https://example.com/';
    const opened = await openWith([{ kind: 'url', id: 'u', agent: 'agentao', at: 0, title: 'Open a page?', message: 'Sign in.', url }]);
    const opening = async (): Promise<number> => (await opened.messages()).filter(({ type }) => type === 'openUrl').length;
    await opened.page.getByRole('button', { name: 'Open', exact: true }).hover();
    await opened.page.mouse.down();
    await pass(opened);
    await opened.page.mouse.up();
    assert.equal(await opening(), 0);
    await opened.page.mouse.down();
    await opened.page.mouse.up();
    assert.equal(await opening(), 1);
    await opened.close();
  });

  for (const act of ['Enter', 'digit', 'click'] as const) {
    test(`after a decision by ${act}, the focus goes to the next request, or else to the composer`, async () => {
      const second = permissionPrompt({ id: 'ask-3', title: 'Fetch a page?' });
      const opened = await openWith([permissionPrompt(), second]);
      const decide = async (): Promise<void> => {
        await pass(opened);
        if (act === 'digit') {
          await opened.page.keyboard.down('1');
          return pass(opened, 300);
        }
        if (act === 'click') return option(opened, 'Allow once').click();
        await option(opened, 'Allow once').focus();
        await opened.page.keyboard.down('Enter');
      };
      await decide();
      await opened.patch({ op: 'prompts', prompts: [second] });
      await dialog(opened, 'Fetch a page?').waitFor();
      assert.equal(await active(opened), 'prompt-title');
      if (act !== 'click') await opened.page.keyboard.up(act === 'digit' ? '1' : 'Enter');
      await decide();
      await opened.patch({ op: 'prompts', prompts: [] });
      assert.equal(await active(opened), 'Message');
      // The key is still held: what it repeats is not text, and sends nothing.
      if (act !== 'click') await opened.page.keyboard.down(act === 'digit' ? '1' : 'Enter');
      assert.equal(await opened.page.getByRole('textbox', { name: 'Message' }).inputValue(), '');
      assert.equal((await decisions(opened)).length, 2);
      await opened.close();
    });
  }

  test('the focus goes to a request that appears right after a message was sent', async () => {
    const opened = await host.open({ view: emptyView(), fakeClock: true });
    const box = opened.page.getByRole('textbox', { name: 'Message' });
    await box.pressSequentially('delete it');
    await box.press('Enter');
    await opened.message('send');
    await opened.patch({ op: 'prompts', prompts: [permissionPrompt()] });
    await dialog(opened).waitFor();
    await pass(opened);
    await opened.page.keyboard.press('1');
    assert.equal(await box.inputValue(), '');
    assert.equal((await decisions(opened)).length, 1);
    await opened.close();
  });

  test('a user who goes on writing after a message decides nothing and loses nothing', async () => {
    for (const words of ['then run step 2 please', 'and 1 more thing', '2 more tests', '25 files', '10 + 1']) {
      const opened = await host.open({ view: emptyView(), fakeClock: true });
      const box = opened.page.getByRole('textbox', { name: 'Message' });
      await box.pressSequentially('delete it');
      await box.press('Enter');
      await opened.patch({ op: 'prompts', prompts: [permissionPrompt()] });
      await dialog(opened).waitFor();
      await pass(opened);
      await opened.page.keyboard.type(words);
      assert.equal(await box.inputValue(), words);
      assert.deepEqual(await decisions(opened), []);
      await opened.close();
    }
  });

  test('words that are typed where there is no composer decide nothing, and a digit decides after a click', async () => {
    const opened = await host.open({ surface: 'prompts', view: emptyView({ prompts: [permissionPrompt()] }), fakeClock: true });
    await dialog(opened).click({ position: { x: 5, y: 5 } });
    await pass(opened);
    await opened.page.keyboard.type('then run step 2 please');
    assert.deepEqual(await decisions(opened), []);
    await opened.page.keyboard.press('1');
    assert.deepEqual(await decisions(opened), []);
    // A click ends the writing, as a second without a key does.
    await dialog(opened).click({ position: { x: 5, y: 5 } });
    await opened.page.keyboard.press('1');
    assert.equal((await decisions(opened)).length, 1);
    await opened.close();
  });

  test('a digit decides nothing if the user leaves the page before it does', async () => {
    const opened = await openWith([permissionPrompt()]);
    await pass(opened);
    await opened.page.keyboard.press('1');
    await opened.page.evaluate(() => window.dispatchEvent(new Event('blur')));
    assert.deepEqual(await decisions(opened), []);
    await opened.close();
  });

  test('the focus stays while the user types, and keys in the composer decide nothing', async () => {
    const opened = await host.open({ view: emptyView(), fakeClock: true });
    const box = opened.page.getByRole('textbox', { name: 'Message' });
    await box.pressSequentially('version ');
    await opened.patch({ op: 'prompts', prompts: [permissionPrompt()] });
    await dialog(opened).waitFor();
    await pass(opened);
    await opened.page.keyboard.type('12');
    await opened.page.keyboard.press('Escape');
    assert.equal(await box.inputValue(), 'version 12');
    assert.deepEqual(await decisions(opened), []);
    await opened.close();
  });

  test('the focus stays in a list while the user chooses from it, and goes to the next request later', async () => {
    const { composer } = emptyView();
    const options = ['Ask', 'Plan', 'Free'].map((label) => ({ value: label, label }));
    const mode = { id: 'mode', label: 'Mode', category: 'mode', value: 'Ask', options } as const;
    const opened = await host.open({ view: emptyView({ composer: { ...composer, selectors: [mode] } }), fakeClock: true });
    const { page, patch } = opened;
    const list = page.getByRole('combobox', { name: 'Mode' });
    const arrive = async (): Promise<boolean> => {
      await patch({ op: 'prompts', prompts: [permissionPrompt()] });
      await dialog(opened).waitFor();
      const isTaken = await list.evaluate((node) => node !== document.activeElement);
      await patch({ op: 'prompts', prompts: [] });
      return isTaken;
    };
    await list.focus();
    await page.keyboard.press('Shift');
    assert.equal(await arrive(), false, 'after a key');
    await pass(opened, 2000);
    await list.click();
    await pass(opened, 10_000);
    assert.equal(await arrive(), false, 'while it is open');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.equal((await opened.messages()).filter(({ type }) => type === 'setOption').length, 1);
    assert.equal(await arrive(), false, 'after a choice');
    await pass(opened, 2000);
    assert.equal(await arrive(), true, 'long after it');
    await opened.close();
  });

  test('the focus goes to the request if the user is not typing, and back to the composer afterwards', async () => {
    const opened = await host.open({ view: emptyView(), fakeClock: true });
    const box = opened.page.getByRole('textbox', { name: 'Message' });
    await box.focus();
    await opened.page.clock.runFor(2000);
    await opened.patch({ op: 'prompts', prompts: [permissionPrompt()] });
    await opened.page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'dialog');
    await pass(opened);
    await opened.page.keyboard.press('1');
    await opened.patch({ op: 'prompts', prompts: [] });
    await opened.page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Message');
    await opened.close();
  });

  test('the host can focus the request, and everything in it can be reached with Tab', async () => {
    const opened = await host.open({ view: emptyView(), fakeClock: true });
    await opened.page.getByRole('textbox', { name: 'Message' }).fill('writing');
    await opened.patch({ op: 'prompts', prompts: [permissionPrompt(), questionPrompt()] });
    await opened.post({ type: 'focus', target: 'prompt' });
    await pass(opened);
    assert.equal(await opened.page.evaluate(() => document.activeElement?.getAttribute('role')), 'dialog');
    const reached: string[] = [];
    for (let step = 0; step < 9; step++) {
      await opened.page.keyboard.press('Tab');
      reached.push(
        await opened.page.evaluate(
          () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.lastChild?.textContent ?? '',
        ),
      );
    }
    const instead = 'Reject and Tell the Agent What to Do Instead';
    const inRequest = ['Next request', 'Minimize', 'Details', 'Copy command', 'Details', 'Allow once', instead];
    assert.deepEqual(reached, [...inRequest, 'Message', 'Add Files']);
    await opened.close();
  });
});

describe('a page that the editor gives the focus', () => {
  /** The editor gives the focus to another part when the one that had it closes. */
  const giveFocus = ({ page }: OpenPage): Promise<void> => page.evaluate(() => void window.dispatchEvent(new Event('focus')));
  const openFocused = async (): Promise<OpenPage> => {
    const opened = await openWith([permissionPrompt()]);
    await pass(opened);
    await dialog(opened).focus();
    await giveFocus(opened);
    return opened;
  };

  for (const key of ['1', 'Escape', 'Enter', ' '] as const) {
    test(`the key “${key}” decides nothing until the user has turned to the request`, async () => {
      const opened = await openFocused();
      const { keyboard } = opened.page;
      if (key === 'Enter' || key === ' ') await option(opened, 'Allow once').focus();
      // Who believes to be in a file moves the cursor there.
      await keyboard.press('ArrowDown');
      await keyboard.press(key);
      assert.deepEqual(await decisions(opened), []);
      await keyboard.press('Tab');
      if (key === 'Enter' || key === ' ') await keyboard.press('Shift+Tab');
      await keyboard.press(key);
      assert.equal((await decisions(opened)).length, 1);
      await opened.close();
    });
  }

  test('a click decides, also the one that gives the focus', async () => {
    const opened = await openFocused();
    await option(opened, 'Allow once').hover();
    await opened.page.mouse.down();
    await giveFocus(opened);
    await opened.page.mouse.up();
    assert.equal((await decisions(opened)).length, 1);
    await opened.close();
  });

  test('a button that was released outside of the page gives it no focus later', async () => {
    const opened = await openFocused();
    await dialog(opened).hover({ position: { x: 2, y: 2 } });
    await opened.page.mouse.down();
    await opened.page.evaluate(() => void window.dispatchEvent(new Event('blur')));
    await giveFocus(opened);
    await dialog(opened).focus();
    await opened.page.keyboard.press('1');
    assert.deepEqual(await decisions(opened), []);
    await opened.close();
  });

  test('a key decides when the user has asked for the requests, or has written a message', async () => {
    for (const turn of ['ask', 'write'] as const) {
      const opened = await openFocused();
      if (turn === 'ask') await opened.post({ type: 'focus', target: 'prompt' });
      else await opened.page.getByRole('textbox', { name: 'Message' }).press('x');
      await dialog(opened).focus();
      await opened.page.keyboard.press('1');
      assert.equal((await decisions(opened)).length, 1, turn);
      await opened.close();
    }
  });

  test('the focus that follows when the user asks for the requests takes nothing back, and a later one does', async () => {
    for (const isLater of [false, true]) {
      const opened = await openFocused();
      await opened.post({ type: 'focus', target: 'prompt' });
      if (isLater) await opened.page.evaluate(() => void window.dispatchEvent(new Event('blur')));
      await giveFocus(opened);
      await dialog(opened).focus();
      await opened.page.keyboard.press('1');
      assert.equal((await decisions(opened)).length, isLater ? 0 : 1);
      await opened.close();
    }
  });

  test('an answer that was typed by accident is not submitted with Enter', async () => {
    const opened = await openWith([questionPrompt({}, freeText)]);
    await pass(opened);
    const answer = opened.page.getByRole('textbox', { name: 'Answer' });
    await answer.focus();
    await giveFocus(opened);
    await answer.press('x');
    await answer.press('Control+Enter');
    assert.deepEqual(await decisions(opened), []);
    await opened.page.getByRole('button', { name: 'Submit' }).click();
    assert.equal((await decisions(opened)).length, 1);
    await opened.close();
  });
});
