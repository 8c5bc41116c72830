/** What users do about an interrupted turn, messages on hold, and an agent that forgot the conversation. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ChatView, HeldView } from '../../src/contract/view.js';
import { type OpenPage } from './harness.js';
import { assertOnScreen, assertReachable } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { contextView, failedStartView, interruptedView, loadFailedView, longHeldView } from './recoveryViews.js';
import { emptyView, noon, permissionPrompt, userItem } from './views.js';

const host = hostForTests();

const actions = async ({ messages }: OpenPage) => (await messages()).flatMap((message) => (message.type === 'action' ? [message] : []));

describe('an interrupted turn', () => {
  test('it can be resent or edited first, and its files can be opened', async () => {
    const opened = await host.open({ view: interruptedView({ held: [] }) });
    const log = opened.page.getByRole('log');
    await log.getByRole('button', { name: 'Resend', exact: true }).click();
    await log.getByRole('button', { name: 'Edit and Resend' }).click();
    assert.deepEqual(await actions(opened), [
      { type: 'action', action: 'retry', itemId: 'e1' },
      { type: 'action', action: 'editTurn', itemId: 'e1' },
    ]);
    await log.getByRole('link', { name: 'test/parser.test.ts' }).press('Enter');
    assert.deepEqual(await opened.message('openLocation'), { type: 'openLocation', path: '/project/test/parser.test.ts' });
    await opened.assertClean();
    await opened.close();
  });

  test('a double-click on a button counts once', async () => {
    const opened = await host.open({ view: interruptedView() });
    await opened.page
      .getByRole('region', { name: /on hold/ })
      .getByRole('button', { name: 'Resend' })
      .dblclick();
    await opened.page.getByRole('log').getByRole('button', { name: 'Edit and Resend' }).dblclick();
    assert.deepEqual(
      (await actions(opened)).map(({ action }) => action),
      ['resendInterrupted', 'editTurn'],
    );
    await opened.close();
  });

  test('messages on hold behind it can be sent after it or without it, edited, or removed', async () => {
    const opened = await host.open({ view: interruptedView() });
    const card = opened.page.getByRole('region', { name: '1 message on hold after the interrupted turn' });
    await card.waitFor();
    assert.equal(await opened.page.getByRole('button', { name: 'Resend', exact: true }).count(), 1);
    await card.getByRole('button', { name: 'Resend' }).click();
    await card.getByRole('button', { name: 'Skip' }).click();
    assert.deepEqual(
      (await actions(opened)).map(({ action }) => action),
      ['resendInterrupted', 'sendHeld'],
    );
    await card.getByRole('button', { name: 'Edit message: and update the changelog' }).click();
    assert.deepEqual(await opened.message('unqueue'), { type: 'unqueue', id: 'h1', edits: true });
    assert.equal(await opened.page.getByRole('textbox', { name: 'Message' }).inputValue(), 'and update the changelog');
    await opened.patch({ op: 'held', held: [] });
    assert.equal(await card.count(), 0);
    await opened.close();
  });
});

test('stderr of the agent is collapsed under the error, and can be read completely', async () => {
  const detail = Array.from({ length: 60 }, (_, index) => `line ${index} of the log`).join('\n');
  const [end] = interruptedView().items.filter((item) => item.kind === 'turn_end');
  assert.ok(end?.kind === 'turn_end');
  const opened = await host.open({ view: emptyView({ items: [userItem('u1', 'one'), { ...end, detail }] }) });
  const written = opened.page.getByLabel('Details', { exact: true });
  await opened.page.getByText(/^Interrupted/).waitFor();
  assert.equal(await written.isVisible(), false);
  await opened.page.getByText('Details', { exact: true }).click();
  await assertOnScreen(written);
  assert.equal(await written.textContent(), detail);
  assert.ok(await written.evaluate((node) => node.scrollHeight <= node.clientHeight || getComputedStyle(node).overflowY === 'auto'));
  await opened.close();
});

describe('an agent that does not start', () => {
  // The heights of the chat view in windows of 600 and 800 px, above the Conversations view.
  for (const [width, height] of [
    [217, 318],
    [297, 318],
    [600, 318],
    [297, 390],
    [297, 500],
  ] as const)
    test(`at ${width} × ${height} px, what can be done is in sight, with the message on hold and the message box`, async () => {
      const opened = await host.open({ view: failedStartView(), width, height });
      const card = opened.page.getByRole('region', { name: /didn't answer/ });
      const buttons = card.locator('.button-row').getByRole('button');
      // In the narrowest view, each is on a line of its own.
      await assertOnScreen(width < 250 ? buttons.first() : buttons);
      await assertOnScreen(opened.page.getByText('1 message on hold'));
      await assertOnScreen(opened.page.getByRole('textbox', { name: 'Message' }));
      await assertReachable(opened);
      await opened.close();
    });

  const missing = '/nowhere/agent-that-does-not-exist';
  const longTitle = (): ChatView => {
    const view = failedStartView();
    return { ...view, ...(view.banner && { banner: { ...view.banner, title: `Missing could not start: "${missing}" was not found` } }) };
  };
  test('with a long title too, nothing that can be done is cut', async () => {
    const opened = await host.open({ view: longTitle(), width: 297, height: 318 });
    await assertOnScreen(opened.page.locator('.banner .button-row').getByRole('button'));
    assert.equal(
      await opened.page.locator('.banner').evaluate((card) => card.scrollHeight - card.clientHeight),
      0,
      'only its text scrolls',
    );
    await assertOnScreen(opened.page.getByText('1 message on hold'));
    await assertReachable(opened);
    await opened.close();
  });

  // The chat view above the Conversations view in a window of 800 px.
  test('beside its message on hold, the way to the details is not cut', async () => {
    const view = failedStartView();
    const labels = ['Open Settings', 'Check Again', 'Select Agent', 'Run Diagnostics', 'Report a Problem'];
    const buttons = labels.map((label) => ({ action: 'checkAgain' as const, label }));
    const text = 'Install it or correct its command in the settings.';
    const banner = view.banner && { ...view.banner, title: 'Missing could not start: "no-such-agent" was not found', text, buttons };
    const opened = await host.open({ view: { ...view, banner }, width: 297, height: 500 });
    assert.equal(await opened.page.locator('.banner .card-body').evaluate((body) => body.scrollHeight - body.clientHeight), 0);
    await assertOnScreen(opened.page.locator('.banner').getByText('Details', { exact: true }));
    await opened.close();
  });

  test('the details are in sight when they are opened', async () => {
    const opened = await host.open({ view: failedStartView(), width: 297, height: 500 });
    const card = opened.page.locator('.banner');
    await card.getByText('Details', { exact: true }).click();
    const isSeen = await card.locator('pre').evaluate((node) => {
      const { left, top } = node.getBoundingClientRect();
      return node.contains(document.elementFromPoint(left + 10, top + 20));
    });
    assert.ok(isSeen, 'their first line is below what is shown');
    await opened.close();
  });

  test('in the lowest view, what can be done comes before the explanation', async () => {
    const opened = await host.open({ view: longTitle(), width: 297, height: 125 });
    await assertOnScreen(opened.page.locator('.banner .button-row').getByRole('button').first());
    await opened.close();
  });

  test('without a message, what can be done is in sight in a low view', async () => {
    const opened = await host.open({ view: failedStartView({ held: [], empty: emptyView().empty }), width: 297, height: 318 });
    await assertOnScreen(opened.page.locator('.banner .button-row').getByRole('button'));
    await opened.close();
  });
});

describe('an agent that forgot the conversation', () => {
  test('a choice on a line of its own is aligned with the others', async () => {
    const opened = await host.open({ view: loadFailedView(), width: 420 });
    const lefts = await opened.page.locator('.banner .button-row').evaluate((row) => {
      const starts = new Map<number, number>();
      for (const button of row.children) {
        const range = new Range();
        range.selectNodeContents(button);
        // A button with a border begins at its border.
        const { left } = (getComputedStyle(button).backgroundColor === 'rgba(0, 0, 0, 0)' ? range : button).getBoundingClientRect();
        const line = Math.round(button.getBoundingClientRect().top);
        starts.set(line, Math.min(left, starts.get(line) ?? Infinity));
      }
      return [...starts.values()].map((left) => Math.round(left));
    });
    assert.ok(lefts.length > 1, 'all on one line');
    assert.equal(new Set(lefts).size, 1, lefts.join());
    await opened.close();
  });

  test('after a choice by key, the focus is in the composer', async () => {
    const opened = await host.open({ view: loadFailedView() });
    await opened.page.getByRole('button', { name: 'Continue with Context' }).press('Enter');
    await opened.patch({ op: 'banner', banner: null });
    await opened.page.locator('textarea:focus').waitFor();
    await opened.close();
  });

  test('the user chooses, and the context is the primary choice', async () => {
    const opened = await host.open({ view: loadFailedView() });
    const banner = opened.page.getByRole('region', { name: "agentao can't resume this conversation" });
    assert.deepEqual(await banner.locator('.button-row').getByRole('button').allTextContents(), [
      'Continue with Context',
      'Start Fresh',
      'Try Again',
      'Show Log',
    ]);
    await banner.getByRole('button', { name: 'Continue with Context' }).click();
    await banner.getByRole('button', { name: 'Start Fresh' }).click();
    assert.deepEqual(
      (await actions(opened)).map(({ action }) => action),
      ['continueWithContext', 'startFresh'],
    );
    await opened.close();
  });

  test('the context can be read and left out by keyboard before it is sent', async () => {
    const opened = await host.open({ view: contextView() });
    await opened.page.getByRole('button', { name: 'Open Earlier conversation · 12 turns · 6 KB' }).press('Enter');
    assert.deepEqual(await opened.message('openChip'), { type: 'openChip', id: 'earlier-conversation' });
    await opened.page.getByRole('button', { name: 'Remove Earlier conversation · 12 turns · 6 KB' }).press('Enter');
    assert.deepEqual(await opened.message('removeChip'), { type: 'removeChip', id: 'earlier-conversation' });
    await opened.close();
  });

  test('under its message, the context is collapsed', async () => {
    const opened = await host.open({ view: contextView() });
    const message = opened.page.getByRole('article', { name: 'You' }).last();
    assert.equal(await message.getByText('> make the parser tolerant').isVisible(), false);
    await message.getByText('Earlier conversation', { exact: true }).click();
    assert.equal(await message.getByText('> make the parser tolerant').isVisible(), true);
    await opened.close();
  });
});

describe('a long message on hold', () => {
  test('the names of its buttons are short', async () => {
    const opened = await host.open({ view: longHeldView() });
    const card = opened.page.getByRole('region', { name: '1 message on hold' });
    await card.getByRole('button', { name: 'Send Now' }).waitFor();
    const names = await card.getByRole('button').evaluateAll((buttons) => buttons.map((button) => button.ariaLabel ?? button.textContent));
    assert.ok(
      names.every((name) => name.length < 120),
      names.join('\n').slice(0, 500),
    );
    await opened.close();
  });

  test('after a reload it is not in the composer as well', async () => {
    const opened = await host.open({ view: emptyView() });
    const view = longHeldView();
    const box = opened.page.getByRole('textbox', { name: 'Message' });
    await box.fill(view.held[0]?.prompts[0]?.text ?? '');
    await box.press('Enter');
    const { id } = await opened.message('send');
    await opened.page.reload();
    await opened.message('ready');
    await opened.snapshot({ ...view, held: view.held.map((held) => ({ ...held, prompts: held.prompts.map((one) => ({ ...one, id })) })) });
    assert.equal(await box.inputValue(), '');
    await opened.close();
  });

  test('editing it moves all of it into the composer', async () => {
    const opened = await host.open({ view: longHeldView() });
    await opened.page.getByRole('button', { name: /^Edit message/ }).click();
    assert.equal(await opened.page.getByRole('textbox', { name: 'Message' }).inputValue(), longHeldView().held[0]?.prompts[0]?.text);
    await opened.close();
  });
});

test('a message that was not sent returns to the composer once, also after a reload', async () => {
  const opened = await host.open({ view: emptyView() });
  const box = opened.page.getByRole('textbox', { name: 'Message' });
  await box.fill('too long');
  await box.press('Enter');
  const { id: promptId } = await opened.message('send');
  await opened.post({ type: 'returnText', text: 'too long', promptId });
  await opened.page.waitForFunction(() => document.querySelector('textarea')?.value === 'too long');
  await opened.page.reload();
  await opened.message('ready');
  await opened.post({ type: 'snapshot', revision: 1, view: emptyView(), draft: 'too long' });
  await opened.page.waitForFunction(() => document.querySelector('textarea')?.value !== '');
  assert.equal(await box.inputValue(), 'too long');
  await opened.close();
});

describe('a request with a deadline', () => {
  test('it shows the remaining time, and what is unusual about it', async () => {
    const opened = await host.open({ view: emptyView(), fakeClock: true });
    const now = await opened.page.evaluate(() => Date.now());
    await opened.patch({ op: 'prompts', prompts: [permissionPrompt({ note: 'It belongs to no turn.', until: now + 40_000 })] });
    await opened.page.getByText('Rejects once in 40 s').waitFor();
    await opened.page.getByText('It belongs to no turn.').waitFor();
    await opened.page.clock.runFor(10_500);
    await opened.page.getByText('Rejects once in 30 s').waitFor();
    await opened.close();
  });
});

test('every message on hold appears once, and every button works', async () => {
  const words = fc.string({ minLength: 1, maxLength: 30 });
  const held: fc.Arbitrary<HeldView> = fc
    .record({
      title: words,
      text: words,
      prompts: fc.array(words, { minLength: 1, maxLength: 3 }),
    })
    .map(({ prompts, ...rest }) => ({
      ...rest,
      prompts: prompts.map((text, index) => ({ id: `${rest.title}${index}`, text })),
      buttons: [{ action: 'sendHeld', label: 'Send Now' }],
    }));
  const opened = await host.open({ view: emptyView({ items: [userItem('u', 'x')] }) });
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(held, { maxLength: 3, selector: ({ title }) => title }), async (cards) => {
      await opened.patch({ op: 'held', held: cards });
      const shown = await opened.page
        .locator('.held')
        .evaluateAll((nodes) => nodes.map((node) => [...node.querySelectorAll('.queued-text')].map((text) => text.textContent)));
      assert.deepEqual(
        shown,
        cards.map(({ prompts }) => prompts.map(({ text }) => text)),
      );
      assert.equal(await opened.page.locator('.held .button').count(), cards.length);
    }),
    { numRuns: 25 },
  );
  await opened.assertClean();
  await opened.close();
});

test('the wait for a provider shows a countdown and the reason', async () => {
  const opened = await host.open({ view: emptyView(), fakeClock: true });
  await opened.patch({
    op: 'wait',
    wait: {
      text: 'agentao is retrying its provider (the provider answered 429)',
      since: noon,
      until: noon + 72_000,
      buttons: [{ action: 'stop', label: 'Stop' }],
    },
  });
  await opened.page.getByText('agentao is retrying its provider (the provider answered 429) in 12 s').waitFor();
  await opened.close();
});
