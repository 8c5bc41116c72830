/** What is typed while a request has the focus: an answer to it, or a message. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PromptView } from '../../src/contract/view.js';
import type { OpenPage } from './harness.js';
import { hostForTests } from './pageTests.js';
import { decisions, openPrompts, pass } from './promptPage.js';
import { emptyView, permissionPrompt, questionPrompt } from './views.js';

const host = hostForTests();
const box = ({ page }: OpenPage) => page.getByRole('textbox', { name: 'Message' });
const allowOnce = ({ page }: OpenPage) => page.getByRole('button', { name: 'Allow once', exact: true });
const chosen = async (opened: OpenPage): Promise<readonly unknown[]> =>
  (await decisions(opened)).map((message) => (message.type === 'select' ? message.optionId : message.type));

function season(): PromptView {
  const choices = ['spring', 'summer'].map((value) => ({ value, label: value }));
  return questionPrompt({}, { type: 'select', name: 'season', required: true, choices, allowCustom: true });
}

/** The request appears right after the user has sent a message. */
async function afterMessage(prompt: PromptView): Promise<OpenPage> {
  const opened = await host.open({ view: emptyView(), fakeClock: true });
  await box(opened).pressSequentially('delete it');
  await box(opened).press('Enter');
  await opened.patch({ op: 'prompts', prompts: [prompt] });
  await opened.page.getByRole('dialog').waitFor();
  return opened;
}

test('Enter decides as the digit before it says, whichever option has the focus', async () => {
  const opened = await openPrompts(host, [permissionPrompt()]);
  await pass(opened);
  await allowOnce(opened).focus();
  await opened.page.keyboard.press('3');
  await opened.page.keyboard.press('Enter');
  assert.deepEqual(await chosen(opened), ['no']);
  await opened.close();
});

test('a click decides alone, even if a digit was pressed just before it', async () => {
  const opened = await openPrompts(host, [permissionPrompt()]);
  await pass(opened);
  await opened.page.keyboard.press('3');
  await allowOnce(opened).click();
  assert.deepEqual(await chosen(opened), ['yes']);
  await opened.close();
});

test('Backspace takes a digit back', async () => {
  const opened = await openPrompts(host, [permissionPrompt()]);
  await pass(opened);
  await opened.page.keyboard.press('1');
  await opened.page.keyboard.press('Backspace');
  assert.deepEqual(await chosen(opened), []);
  await opened.close();
});

test('a space between words presses no button where there is no composer', async () => {
  const opened = await host.open({ surface: 'prompts', view: emptyView({ prompts: [permissionPrompt()] }), fakeClock: true });
  await opened.page.getByRole('dialog').click({ position: { x: 5, y: 5 } });
  await pass(opened);
  await allowOnce(opened).focus();
  await opened.page.keyboard.type('2 more');
  assert.deepEqual(await chosen(opened), []);
  await opened.close();
});

test('what is selected in the composer is not replaced by what is typed elsewhere', async () => {
  const opened = await host.open({ view: emptyView(), fakeClock: true });
  await box(opened).pressSequentially('a long draft');
  await box(opened).press('Control+a');
  await opened.patch({ op: 'prompts', prompts: [permissionPrompt()] });
  await opened.page.getByRole('dialog').click({ position: { x: 5, y: 5 } });
  await pass(opened);
  await opened.page.keyboard.press('y');
  assert.equal(await box(opened).inputValue(), 'a long drafty');
  await opened.close();
});

test('what is typed after the editor gave the page the focus is neither an answer nor a message', async () => {
  const opened = await openPrompts(host, [permissionPrompt()]);
  await pass(opened);
  await opened.page.getByRole('dialog').focus();
  await opened.page.evaluate(() => void window.dispatchEvent(new Event('focus')));
  await opened.page.keyboard.type('rm 1');
  await opened.page.keyboard.press('Enter');
  assert.deepEqual(await chosen(opened), []);
  assert.equal(await box(opened).inputValue(), '');
  await opened.close();
});

test('a message that begins with a number keeps it, also before the request can be answered', async () => {
  for (const prompt of [permissionPrompt(), season()])
    for (const words of ['2 more tests', '25 files'])
      for (const wait of [0, 400]) {
        const opened = await afterMessage(prompt);
        if (wait > 0) await pass(opened, wait);
        await opened.page.keyboard.type(words);
        assert.equal(await box(opened).inputValue(), words, `${prompt.kind} after ${wait} ms`);
        assert.deepEqual(await chosen(opened), []);
        await opened.close();
      }
});

test('after an arrow key has chosen Other…, a digit is for its box', async () => {
  const opened = await openPrompts(host, [season()]);
  await pass(opened);
  await opened.page.getByRole('radio', { name: 'summer' }).click();
  await opened.page.keyboard.press('ArrowDown');
  await opened.page.keyboard.type('1 week');
  assert.equal(await opened.page.getByRole('textbox', { name: 'Answer' }).inputValue(), '1 week');
  await opened.close();
});

test('where digits choose nothing, they belong to the message', async () => {
  const editor: PromptView = { kind: 'editor', id: 'e', agent: 'agentao', at: 0, title: 'Edit', prefill: 'x' };
  const opened = await openPrompts(host, [editor]);
  await pass(opened);
  await opened.page.getByRole('dialog').click({ position: { x: 5, y: 5 } });
  await opened.page.keyboard.type('7a');
  assert.equal(await box(opened).inputValue(), '7a');
  await opened.close();
});
