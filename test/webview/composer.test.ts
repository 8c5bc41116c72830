/** Where the user writes: nothing is sent by accident, and no text is lost. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { ChatView, ComposerView } from '../../src/contract/view.js';
import { screenshotFolder, type OpenPage } from './harness.js';
import { assertOnScreen, endInSight, nextFrames } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { emptyView, userItem } from './views.js';

const host = hostForTests();

const composer = (changes: Partial<ComposerView> = {}): ComposerView => ({ ...emptyView().composer, ...changes });
const openChat = (changes: Partial<ChatView> = {}, draft = ''): Promise<OpenPage> => host.open({ view: emptyView(changes), draft });
const box = ({ page }: OpenPage) => page.getByRole('textbox', { name: 'Message' });
const type = (opened: OpenPage, text: string): Promise<void> =>
  box(opened)
    .fill(text)
    .then(() => box(opened).press('Enter'));
const sent = async (opened: OpenPage): Promise<string[]> =>
  (await opened.messages()).filter((message) => message.type === 'send').map(({ text }) => text);

describe('sending', () => {
  test('Enter sends, Shift+Enter inserts a line break, and an empty message is not sent', async () => {
    const opened = await openChat();
    await box(opened).press('Enter');
    assert.equal(await opened.page.getByRole('button', { name: 'Send' }).isDisabled(), true);
    await box(opened).pressSequentially('one');
    await box(opened).press('Shift+Enter');
    await box(opened).pressSequentially('two');
    await box(opened).press('Enter');
    assert.deepEqual(await sent(opened), ['one\ntwo']);
    assert.equal(await box(opened).inputValue(), '');
    await opened.assertClean();
    await opened.close();
  });

  test('the button also sends; during a turn there is Stop, and Enter queues', async () => {
    const opened = await openChat();
    assert.equal(await opened.page.getByRole('button', { name: 'Stop' }).count(), 0);
    await box(opened).fill('first');
    await opened.page.getByRole('button', { name: 'Send' }).click();
    await opened.patch({ op: 'composer', composer: composer({ busy: true }) });
    await box(opened).fill('second');
    await box(opened).press('Enter');
    assert.deepEqual(await sent(opened), ['first', 'second']);
    assert.equal(
      (await opened.messages()).some(({ type }) => type === 'action'),
      false,
    );
    await opened.page.getByRole('button', { name: 'Stop' }).click();
    assert.equal((await opened.message('action')).action, 'stop');
    await opened.close();
  });

  test('Send and Stop are one round button in one place, and a text beside Stop can be sent', async () => {
    const opened = await openChat();
    const placeOf = (name: string) => opened.page.locator(`.round[aria-label="${name}"]`).boundingBox();
    const before = [await placeOf('Send'), await opened.page.locator('.composer').boundingBox()];
    await opened.patch({ op: 'composer', composer: composer({ busy: true, placeholder: 'Queue a message' }) });
    assert.deepEqual([await placeOf('Stop'), await opened.page.locator('.composer').boundingBox()], before);
    await box(opened).fill('next');
    assert.deepEqual([await placeOf('Send'), await opened.page.locator('.composer').boundingBox()], before);
    await opened.page.getByRole('button', { name: 'Stop' }).click();
    assert.equal((await opened.message('action')).action, 'stop');
    await opened.close();
  });

  test('a double-click on Send does not stop the turn that it starts', async () => {
    const opened = await openChat();
    await box(opened).fill('go');
    const send = await opened.page.getByRole('button', { name: 'Send' }).boundingBox();
    assert.ok(send !== null);
    const at = [send.x + send.width / 2, send.y + send.height / 2] as const;
    await opened.page.mouse.click(...at, { clickCount: 1 });
    await opened.patch({ op: 'composer', composer: composer({ busy: true }) });
    await opened.page.mouse.move(...at);
    await opened.page.mouse.down({ clickCount: 2 });
    await opened.page.mouse.up({ clickCount: 2 });
    assert.equal((await opened.messages()).filter(({ type }) => type === 'action').length, 0);
    await opened.close();
  });

  test('Alt+Enter and Steer reach the running turn if the agent supports it', async () => {
    const opened = await host.open({ view: emptyView(), width: 260 });
    const steer = opened.page.getByRole('button', { name: 'Steer' });
    await opened.patch({ op: 'composer', composer: composer({ busy: true }) });
    assert.equal(await steer.count(), 0);
    await box(opened).fill('one');
    await box(opened).press('Alt+Enter');
    assert.match(await box(opened).inputValue(), /^one/);
    await box(opened).fill('');
    await opened.patch({ op: 'composer', composer: composer({ busy: true, steers: true }) });
    assert.equal(await steer.count(), 0);
    await box(opened).fill('two');
    await assertOnScreen(steer);
    await opened.page.screenshot({ path: path.join(screenshotFolder, 'composer-steers.png') });
    await box(opened).press('Alt+Enter');
    await box(opened).fill('three');
    await steer.click();
    await box(opened).fill('four');
    await box(opened).press('Enter');
    const said = (await opened.messages()).filter((message) => message.type === 'send');
    assert.deepEqual(
      said.map(({ text, steers = false }) => [text, steers]),
      [
        ['two', true],
        ['three', true],
        ['four', false],
      ],
    );
    await opened.assertClean();
    await opened.close();
  });

  test('Enter in an input method does not send', async () => {
    const opened = await openChat();
    await box(opened).focus();
    const session = await opened.page.context().newCDPSession(opened.page);
    await session.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 });
    await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229 });
    assert.deepEqual(await sent(opened), []);
    await session.send('Input.insertText', { text: '日本' });
    assert.equal(await box(opened).inputValue(), '日本');
    await box(opened).press('Enter');
    assert.deepEqual(await sent(opened), ['日本']);
    await opened.close();
  });

  test('a reason why nothing can be sent is shown, and the text stays', async () => {
    const opened = await openChat({ composer: composer({ disabledReason: 'agentao is starting.' }) });
    await box(opened).fill('keep me');
    await box(opened).press('Enter');
    assert.deepEqual(await sent(opened), []);
    assert.equal(await box(opened).inputValue(), 'keep me');
    await opened.page.getByText('agentao is starting.').waitFor();
    await opened.patch({ op: 'composer', composer: composer() });
    await box(opened).press('Enter');
    assert.deepEqual(await sent(opened), ['keep me']);
    await opened.close();
  });
});

describe('scrolling to the end of the conversation', () => {
  const long = Array.from({ length: 60 }, (_, index) => userItem(`u${index}`, `message ${index}`));
  const scrollUp = async ({ page }: OpenPage): Promise<void> => {
    await page.getByRole('log').evaluate((log) => (log.scrollTop = 0));
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
  };
  const interrupted: ChatView['items'][number] = {
    kind: 'turn_end',
    id: 'e',
    severity: 'error',
    text: 'Interrupted',
    durationMs: 1000,
    files: [],
    buttons: [{ action: 'retry', label: 'Resend' }],
    at: 0,
  };

  test('sending scrolls there, from any position', async () => {
    const opened = await openChat({ items: long });
    await scrollUp(opened);
    await box(opened).fill('go on');
    await box(opened).press('Enter');
    await opened.patch({ op: 'item', item: userItem('sent', 'go on') });
    await opened.page.getByRole('button', { name: 'Jump to latest' }).waitFor({ state: 'detached' });
    await endInSight(opened.page);
    await opened.close();
  });

  test('resending scrolls there, too', async () => {
    const opened = await openChat({ items: [userItem('first', 'x'), interrupted, ...long] });
    await scrollUp(opened);
    await opened.page.getByRole('button', { name: 'Resend' }).click();
    await opened.page.getByRole('button', { name: 'Jump to latest' }).waitFor({ state: 'detached' });
    await endInSight(opened.page);
    await opened.close();
  });

  test('a new conversation begins there, even if it is as long as the previous one', async () => {
    const some = long.slice(0, 30);
    const opened = await openChat({ items: some });
    // Several times, because the page may show both patches in one frame.
    for (let run = 0; run < 20; run++) {
      await scrollUp(opened);
      const gone = some.map(({ id }) => ({ op: 'remove', id: run === 0 ? id : `${run - 1}-${id}` }) as const);
      const next = some.map((item) => ({ op: 'item', item: { ...item, id: `${run}-${item.id}` } }) as const);
      await Promise.all([opened.patch(...gone), opened.patch(...next)]);
      await nextFrames(opened.page);
      await endInSight(opened.page);
    }
    await opened.close();
  });

  test('a button scrolls there, and takes up one line', async () => {
    const opened = await host.open({ view: emptyView({ items: long }), width: 220 });
    await scrollUp(opened);
    const jump = opened.page.getByRole('button', { name: 'Jump to latest' });
    await assertOnScreen(jump);
    assert.ok(((await jump.boundingBox())?.height ?? 99) < 32);
    await opened.close();
  });

  test('the button does not cover the lines beside it, and is hidden if there are few', async () => {
    const opened = await host.open({ view: emptyView({ items: long }), width: 420, height: 500 });
    await scrollUp(opened);
    const jump = opened.page.getByRole('button', { name: 'Jump to latest' });
    await assertOnScreen(jump);
    const under = await jump.evaluate((button) => {
      const { left, top } = button.getBoundingClientRect();
      return document.elementFromPoint(left - 20, top + 4)?.closest('.scroller') !== null;
    });
    assert.ok(under, 'what lies beside the button cannot be reached');
    await opened.page.setViewportSize({ width: 420, height: 200 });
    await jump.waitFor({ state: 'hidden' });
    await opened.close();
  });
});

describe('the keyboard focus', () => {
  test('focus in the message box can start the agent', async () => {
    const opened = await openChat();
    await box(opened).focus();
    await opened.message('composing');
    await opened.close();
  });

  test('the host is told when the page gets and loses the focus, for its key bindings', async () => {
    const opened = await openChat();
    const told = async () => (await opened.messages()).flatMap((message) => (message.type === 'focused' ? [message.focused] : []));
    await opened.page.evaluate(() => {
      document.hasFocus = () => false;
      window.dispatchEvent(new Event('blur'));
      document.hasFocus = () => true;
      window.dispatchEvent(new Event('focus'));
    });
    assert.deepEqual((await told()).slice(-2), [false, true]);
    await opened.close();
  });
});

describe('drafts', () => {
  test('they are sent to the host after a pause, and restored by it', async () => {
    const opened = await host.open({ view: emptyView(), fakeClock: true });
    await box(opened).pressSequentially('half a thought');
    assert.deepEqual(
      (await opened.messages()).filter(({ type }) => type === 'draft'),
      [],
    );
    await opened.page.clock.runFor(400);
    assert.deepEqual(
      (await opened.messages()).filter(({ type }) => type === 'draft'),
      [{ type: 'draft', text: 'half a thought' }],
    );
    await opened.close();
    const again = await openChat({}, 'half a thought');
    assert.equal(await box(again).inputValue(), 'half a thought');
    await again.close();
  });

  test('they survive a reload, and a later snapshot does not overwrite typed text', async () => {
    // Before the page has sent the draft to the host.
    const opened = await host.open({ view: emptyView(), fakeClock: true });
    await box(opened).fill('do not lose me');
    await opened.page.reload();
    await opened.message('ready');
    await opened.post({ type: 'snapshot', revision: 1, view: emptyView(), draft: '' });
    assert.equal(await box(opened).inputValue(), 'do not lose me');
    await box(opened).fill('newer');
    await opened.post({ type: 'snapshot', revision: 2, view: emptyView(), draft: 'older' });
    assert.equal(await box(opened).inputValue(), 'newer');
    await opened.close();
  });

  test('messages that were sent but did not arrive are restored above what was typed since', async () => {
    const again = userItem('u', 'continue', 'earlier');
    const opened = await host.open({ view: emptyView({ items: [again] }), fakeClock: true });
    const reload = async (...items: ChatView['items']): Promise<string> => {
      await opened.page.reload();
      await opened.message('ready');
      await opened.post({ type: 'snapshot', revision: 1, view: emptyView({ items }), draft: '' });
      return box(opened).inputValue();
    };
    for (const text of ['continue', 'lost on the way']) await type(opened, text);
    await box(opened).fill('half a thought');
    assert.equal(await reload(again), 'continue\nlost on the way\nhalf a thought');
    await type(opened, 'continue');
    const arrived = userItem('v', 'continue', (await opened.message('send')).id);
    await opened.post({ type: 'patch', revision: 2, ops: [{ op: 'item', item: arrived }] });
    assert.equal(await reload(again, arrived), '');
    await opened.close();
  });

  test('prompts that were not sent return below the draft, as paragraphs', async () => {
    const opened = await openChat();
    await opened.post({ type: 'returnText', text: 'read notes.txt' });
    await opened.post({ type: 'returnText', text: 'list' });
    await opened.page.waitForFunction(() => document.querySelector('textarea')?.selectionStart === 20);
    assert.equal(await box(opened).inputValue(), 'read notes.txt\n\nlist');
    await opened.close();
  });

  test('a prompt sent with a selection counts as arrived, and is not restored', async () => {
    const opened = await openChat();
    await box(opened).fill('fix this');
    await box(opened).press('Enter');
    const { id } = await opened.message('send');
    const items = [userItem('u', 'fix this\n\nFrom a.ts, lines 1 to 2:\n```\nx\n```', id)];
    await opened.page.reload();
    await opened.message('ready');
    await opened.post({ type: 'snapshot', revision: 1, view: emptyView({ items }), draft: '' });
    assert.equal(await box(opened).inputValue(), '');
    await opened.close();
  });

  test('they are kept below an example', async () => {
    const opened = await openChat();
    const examples = ['Explain this project'];
    await opened.snapshot(emptyView({ empty: { title: 'What?', text: 'Do', examples, buttons: [] } }));
    await box(opened).fill('half a thought');
    await opened.page.getByRole('button', { name: 'Explain this project' }).click();
    assert.equal(await box(opened).inputValue(), 'Explain this project\nhalf a thought');
    await opened.close();
  });

  test('arrow keys recall earlier prompts only in an empty box', async () => {
    const opened = await openChat({ items: [userItem('u1', 'first'), userItem('u2', 'second')] });
    const steps: readonly (readonly [string, string])[] = [
      ['ArrowUp', 'second'],
      ['ArrowUp', 'first'],
      ['ArrowUp', 'first'],
      ['ArrowDown', 'second'],
      ['ArrowDown', ''],
    ];
    for (const [key, expected] of steps) {
      await box(opened).press(key);
      assert.equal(await box(opened).inputValue(), expected);
    }
    await box(opened).fill('own words');
    await box(opened).press('ArrowUp');
    assert.equal(await box(opened).inputValue(), 'own words');
    await opened.close();
  });
});

describe('commands and options of the agent', () => {
  const commands = [
    { name: 'compact', description: 'Shorten the context' },
    { name: 'clear', description: 'Start over' },
    { name: 'recap', description: 'Sum up', hint: 'topic' },
  ];

  test('slash commands can be chosen by keyboard while the box has the focus', async () => {
    const opened = await openChat({ composer: composer({ commands }) });
    const list = opened.page.getByRole('listbox', { name: 'Commands of the agent' });
    await box(opened).pressSequentially('/c');
    assert.deepEqual(await list.getByRole('option').allTextContents(), [
      '/compactShorten the context',
      '/clearStart over',
      '/recaptopicSum up',
    ]);
    await box(opened).press('ArrowDown');
    const active = await box(opened).getAttribute('aria-activedescendant');
    assert.equal(await opened.page.locator(`#${active}`).getAttribute('aria-selected'), 'true');
    await box(opened).press('Enter');
    assert.equal(await box(opened).inputValue(), '/clear ');
    assert.equal(await list.count(), 0);
    assert.deepEqual(await sent(opened), []);
    await box(opened).fill('/c');
    await box(opened).press('Escape');
    assert.equal(await list.count(), 0);
    assert.equal(await box(opened).inputValue(), '/c');
    await opened.close();
  });

  test('what a mode does is said after a change until the next message, and in a warning color if it asks before nothing', async () => {
    const modes = (value: string, more: Partial<ComposerView['selectors'][number]>): ComposerView =>
      composer({
        selectors: [{ id: 'mode', label: 'Mode', category: 'mode', value, options: [{ value, label: value }], ...more }],
      });
    const ask = modes('ask', { hint: 'Asks before it writes.' });
    const all = modes('yolo', { hint: 'Approves every tool.', warns: true });
    const opened = await openChat({ composer: ask });
    const line = opened.page.locator('.composer-hint');
    assert.equal(await line.count(), 0);
    await opened.patch({ op: 'composer', composer: all });
    assert.match((await line.textContent()) ?? '', /Approves every tool/);
    const colors = await opened.page.evaluate(() =>
      ['.composer-hint', '.named-selector', '.message'].map(
        (name) => getComputedStyle(document.querySelector(name) ?? document.body).color,
      ),
    );
    assert.equal(colors[0], colors[1]);
    assert.notEqual(colors[0], colors[2]);
    await box(opened).fill('go');
    await box(opened).press('Enter');
    await line.waitFor({ state: 'detached' });
    // Another conversation has another mode, which nobody changed.
    await opened.snapshot(emptyView({ composer: ask }), '', 'other');
    await opened.snapshot(emptyView({ composer: all }), '', 'third');
    assert.equal(await line.count(), 0);
    await opened.close();
  });

  test('mode, model and switches each send a message to the host', async () => {
    const selectors: ComposerView['selectors'] = [
      {
        id: 'mode',
        label: 'Mode',
        category: 'mode',
        value: 'ask',
        hint: 'Asks before it writes.',
        options: [
          { value: 'ask', label: 'Ask' },
          { value: 'plan', label: 'Plan' },
        ],
      },
      { id: 'web', label: 'Web search', category: 'other', value: false, options: [] },
    ];
    const opened = await openChat({ composer: composer({ selectors, usage: { used: 30_000, size: 100_000 } }) });
    await opened.page.getByRole('combobox', { name: 'Mode' }).selectOption('plan');
    await opened.page.getByRole('button', { name: 'More options' }).click();
    await opened.page.getByRole('checkbox', { name: 'Web search' }).click();
    assert.deepEqual(
      (await opened.messages()).filter(({ type }) => type === 'setOption'),
      [
        { type: 'setOption', selectorId: 'mode', value: 'plan' },
        { type: 'setOption', selectorId: 'web', value: true },
      ],
    );
    assert.equal(await opened.page.getByTitle('Mode: Ask · Asks before it writes.').count(), 1);
    assert.equal(await opened.page.getByText('Asks before it writes.').count(), 0);
    assert.equal(await opened.page.getByRole('meter', { name: 'Context' }).getAttribute('aria-valuenow'), '30');
    await opened.close();
  });
});
