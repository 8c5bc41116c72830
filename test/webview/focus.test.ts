/** Where the keyboard focus is after the button that had it has disappeared, and while the user is in another part of the editor. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Op } from '../../src/contract/messages.js';
import type { ChatView } from '../../src/contract/view.js';
import type { OpenPage } from './harness.js';
import { hostForTests } from './pageTests.js';
import { emptyView, permissionPrompt } from './views.js';

const host = hostForTests();

const { composer } = emptyView();
const retry = { action: 'retry', label: 'Retry' } as const;
const prompts = [{ id: 'q', text: 'and the tests' }];
const holds: ChatView['held'] = [{ title: 'On hold', text: '', prompts, buttons: [retry] }];

interface Case {
  readonly view: Partial<ChatView>;
  /** The button that the user presses. */
  readonly button: string;
  /** What the host does then. */
  readonly then: Op;
}

const cases: Readonly<Record<string, Case>> = {
  'a queued message': { view: { queue: prompts }, button: 'Remove queued message: and the tests', then: { op: 'queue', queue: [] } },
  'an attachment': {
    view: { composer: { ...composer, chips: [{ id: 'c', label: 'a.ts', title: 'a.ts' }] } },
    button: 'Remove a.ts',
    then: { op: 'composer', composer },
  },
  'the Stop button': { view: { composer: { ...composer, busy: true } }, button: 'Stop', then: { op: 'composer', composer } },
  'a wait': {
    view: { wait: { text: 'agentao has been silent', since: 0, buttons: [{ action: 'forceStop', label: 'Force Stop' }] } },
    button: 'Force Stop',
    then: { op: 'wait', wait: null },
  },
  'a card': {
    view: { banner: { severity: 'error', title: 'Failed', text: '', buttons: [retry] } },
    button: 'Retry',
    then: { op: 'banner', banner: null },
  },
  'a message on hold': { view: { held: holds }, button: 'Retry', then: { op: 'held', held: [] } },
};

const isFocused = (opened: OpenPage, name: string) =>
  opened.page.waitForFunction((label) => document.activeElement?.getAttribute('aria-label') === label, name);
const leave = ({ page }: OpenPage) => page.evaluate(() => void (document.hasFocus = () => false));
/** Everything that the page does later with the focus is done by then. */
const focusLater = ({ page }: OpenPage) =>
  page.evaluate(() => new Promise((resolve) => setTimeout(() => resolve(document.activeElement?.getAttribute('aria-label')))));

describe('the keyboard focus', () => {
  for (const [what, { view, button, then }] of Object.entries(cases)) {
    test(`it goes to the message box when ${what} disappears`, async () => {
      const opened = await host.open({ view: emptyView(view) });
      await opened.page.getByRole('button', { name: button, exact: true }).press('Enter');
      await opened.patch(then);
      await isFocused(opened, 'Message');
      await opened.close();
    });

    test(`it stays in another part of the editor when ${what} disappears`, async () => {
      const opened = await host.open({ view: emptyView(view) });
      await opened.page.getByRole('button', { name: button, exact: true }).press('Enter');
      await leave(opened);
      await opened.patch(then);
      assert.notEqual(await focusLater(opened), 'Message');
      await opened.close();
    });
  }

  for (const button of ['Send', 'Steer']) {
    test(`it goes to the message box after ${button}`, async () => {
      const opened = await host.open({ view: emptyView({ composer: { ...composer, busy: true, steers: true } }) });
      await opened.page.getByRole('textbox', { name: 'Message' }).fill('first');
      await opened.page.getByRole('button', { name: button, exact: true }).click();
      await opened.page.keyboard.type('second');
      assert.equal(await opened.page.getByRole('textbox', { name: 'Message' }).inputValue(), 'second');
      await opened.close();
    });
  }

  test('it goes to the message box when another conversation is shown without the card that had it', async () => {
    const opened = await host.open({ view: emptyView({ banner: { severity: 'error', title: 'Failed', text: '', buttons: [retry] } }) });
    await opened.page.getByRole('button', { name: 'Retry' }).focus();
    await opened.snapshot(emptyView(), '', 'another');
    await isFocused(opened, 'Message');
    await opened.close();
  });

  test('it stays in another part of the editor when a request ends and when a message returns', async () => {
    const opened = await host.open({ view: emptyView({ prompts: [permissionPrompt()] }) });
    await opened.post({ type: 'focus', target: 'prompt' });
    await opened.page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'dialog');
    await leave(opened);
    await opened.patch({ op: 'prompts', prompts: [] });
    assert.notEqual(await focusLater(opened), 'Message');
    await opened.post({ type: 'returnText', text: 'not sent' });
    assert.notEqual(await focusLater(opened), 'Message');
    assert.equal(await opened.page.getByRole('textbox', { name: 'Message' }).inputValue(), 'not sent');
    await opened.close();
  });
});
