/** A chat without messages. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { BannerView } from '../../src/contract/view.js';
import { draw } from '../extension/drawnChat.js';
import { screenshotFolder } from './harness.js';
import { assertOnScreen, stickingOut } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { emptyView, userItem } from './views.js';

const host = hostForTests();

describe('an empty chat', () => {
  test('it has examples, which fill the composer without sending', async () => {
    const opened = await host.open({ view: emptyView() });
    await opened.page.getByRole('button', { name: 'Find and fix the failing test' }).click();
    assert.equal(await opened.page.getByRole('textbox', { name: 'Message' }).inputValue(), 'Find and fix the failing test');
    assert.equal(
      (await opened.messages()).some(({ type }) => type === 'send'),
      false,
    );
    await opened.patch({ op: 'item', item: userItem('u', 'hello') });
    await opened.page.getByText('Ask agentao', { exact: true }).waitFor({ state: 'hidden' });
    await opened.close();
  });

  test('a long name of a recent conversation is cut at the edge of the page', async () => {
    const label = 'work on the word counter, so that it accepts everything that anybody could ever count';
    const empty = { ...emptyView().empty, recent: [{ action: 'openConversation' as const, label, itemId: 'one' }] };
    const opened = await host.open({ view: emptyView({ empty }), width: 297 });
    await opened.page.getByText(label).waitFor();
    assert.deepEqual(await stickingOut(opened), []);
    await opened.close();
  });

  test('in a low page, Select Agent is on screen with everything above it', async () => {
    const text = 'It does real work in this folder, without a model. Type "help" for everything it can do.';
    const buttons = [{ action: 'selectAgent' as const, label: 'Select Agent' }];
    const empty = { title: 'Try the demo agent', text, examples: ['list', 'plan', 'ask'], buttons };
    const opened = await host.open({ view: emptyView({ empty }), width: 298, height: 310 });
    await opened.page.screenshot({ path: path.join(screenshotFolder, 'empty-low.png') });
    await assertOnScreen(opened.page.getByRole('heading', { name: 'Try the demo agent' }));
    await assertOnScreen(opened.page.getByRole('button', { name: 'Select Agent' }));
    await opened.close();
  });

  test('in a low page with recent conversations, all that can be pressed is on screen', async () => {
    const text = 'It does real work in this folder, without a model. Type "help" for everything it can do.';
    const buttons = [{ action: 'selectAgent' as const, label: 'Select Agent' }];
    const recent = ['one', 'two', 'three'].map((label) => ({ action: 'openConversation' as const, label, itemId: label }));
    const empty = { title: 'Try the demo agent', text, examples: ['list', 'plan', 'ask'], recent, buttons };
    const opened = await host.open({ view: emptyView({ empty }), width: 298, height: 318 });
    await assertOnScreen(opened.page.getByText('three'));
    await assertOnScreen(opened.page.getByRole('button', { name: 'Select Agent' }));
    await opened.close();
  });

  test('in a low page with a file open, its prompts leave room for Select Agent', async () => {
    const chip = { id: 'open', label: 'parser.ts', title: 'src/parser.ts', follows: 'sent' } as const;
    const { empty } = draw({ session: undefined }, { chips: [chip] }).view;
    const { composer } = emptyView();
    const opened = await host.open({ view: emptyView({ empty, composer: { ...composer, chips: [chip] } }), width: 297, height: 318 });
    await assertOnScreen(opened.page.getByRole('button', { name: 'Explain this project' }));
    await opened.page.screenshot({ path: path.join(screenshotFolder, 'empty-low-file.png') });
    const cut = await opened.page.locator('.empty').evaluate((page) => page.scrollHeight - page.clientHeight);
    assert.equal(cut, 0);
    await opened.close();
  });

  test('its banner and its examples scroll as one', async () => {
    const text = 'agentao was not found. The demo agent has no model: it shows what the chat can do. '.repeat(4);
    const banner: BannerView = {
      severity: 'info',
      title: 'The demo agent',
      text,
      buttons: [{ action: 'checkAgain', label: 'Check Again' }],
    };
    const opened = await host.open({ view: emptyView({ banner }), width: 280, height: 480 });
    await assertOnScreen(opened.page.getByText('The demo agent', { exact: true }));
    const scrolling = await opened.page
      .locator('main, main *, .banner')
      .evaluateAll(
        (nodes) => nodes.filter((node) => node.scrollHeight > node.clientHeight && getComputedStyle(node).overflowY === 'auto').length,
      );
    assert.equal(scrolling, 1);
    for (const name of ['Check Again', 'Write a README for the parser']) {
      const button = opened.page.getByRole('button', { name });
      await button.scrollIntoViewIfNeeded();
      await assertOnScreen(button);
    }
    await opened.close();
  });
});
