/** What the agent lets the user choose: mode and model by name on one row at any width, everything else in a panel. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { type ComposerView, otherValue } from '../../src/contract/view.js';
import { screenshotFolder, type OpenOptions, type OpenPage } from './harness.js';
import { assertOnScreen, assertReachable, widths } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { emptyView, richView } from './views.js';

const host = hostForTests();

const choices = (...labels: readonly string[]) => labels.map((label) => ({ value: label.toLowerCase(), label }));
const selectors: ComposerView['selectors'] = [
  { id: 'mode', label: 'Mode', category: 'mode', value: 'ask', options: choices('Ask', 'Plan', 'Workspace-write') },
  { id: 'model', label: 'Model', category: 'model', value: '5.4', options: choices('5.4', 'Default (recommended)') },
  { id: 'effort', label: 'Reasoning effort', category: 'other', value: 'medium', options: choices('Low', 'Medium', 'High') },
  { id: 'persona', label: 'Agent persona', category: 'other', value: 'default', options: choices('Default') },
  { id: 'fast', label: 'Fast mode', category: 'other', value: false, options: [] },
];
const longNames = selectors.map((selector) =>
  selector.category === 'other'
    ? selector
    : { ...selector, value: selector.category === 'mode' ? 'workspace-write' : 'default (recommended)' },
);
const usage = { used: 24_000, size: 200_000 };
const open = (changes: Partial<ComposerView> = {}, options: OpenOptions = {}): Promise<OpenPage> =>
  host.open({ view: emptyView({ composer: { ...emptyView().composer, selectors, usage, busy: true, ...changes } }), ...options });
const shoot = ({ page }: OpenPage, name: string) => page.screenshot({ path: path.join(screenshotFolder, `selectors-${name}.png`) });
const chosen = async (opened: OpenPage) => (await opened.messages()).filter(({ type }) => type === 'setOption');

describe('the row below the message box', () => {
  for (const width of [220, ...widths]) {
    for (const [name, list] of Object.entries({ short: selectors, long: longNames })) {
      test(`it is one line at ${width} px with ${name} values`, async () => {
        const opened = await open({ selectors: list }, { width });
        const tops = await opened.page
          .locator('.composer-bar :is(select, button)')
          .evaluateAll((nodes) =>
            nodes.map((node) => Math.round(node.getBoundingClientRect().top + node.getBoundingClientRect().height / 2)),
          );
        assert.ok(Math.max(...tops) - Math.min(...tops) <= 2, String(tops));
        assert.ok(((await opened.page.locator('.composer-bar').boundingBox())?.height ?? 99) <= 30);
        await assertOnScreen(opened.page.locator('.composer-bar :is(select, button, .meter)'));
        await shoot(opened, `${width}-${name}`);
        await opened.close();
      });
    }
  }

  test('the mode gets as much space as a model with a long name', async () => {
    const named = selectors.map((one) =>
      one.category === 'model' ? { ...one, options: choices('5.4', 'provider/a-model-with-a-very-long-name') } : one,
    );
    const values = named.map((one) => (one.category === 'model' ? { ...one, value: 'provider/a-model-with-a-very-long-name' } : one));
    const opened = await open(
      { selectors: values.map((one) => (one.category === 'mode' ? { ...one, value: 'workspace-write' } : one)) },
      { width: 420 },
    );
    const mode = opened.page.locator('.selector-value', { hasText: 'Workspace-write' });
    assert.equal(await mode.evaluate((node) => node.scrollWidth > node.clientWidth), false);
    await assertOnScreen(opened.page.locator('.named-selector'));
    await opened.close();
  });

  test('a value is shown in full as long as there is room', async () => {
    const opened = await open({ selectors: longNames.filter(({ category }) => category !== 'other') }, { width: 602 });
    const cut = await opened.page
      .locator('.selector-value')
      .evaluateAll((values) => values.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
    assert.deepEqual(cut, []);
    await opened.close();
  });

  test('it is there before the agent offers anything, so that nothing moves later', async () => {
    const heights = new Set<number | undefined>();
    for (const offered of [{}, { selectors: selectors.slice(0, 1) }, { selectors, usage }]) {
      const opened = await host.open({ view: emptyView({ composer: { ...emptyView().composer, ...offered } }), width: 260 });
      heights.add((await opened.page.locator('.composer').boundingBox())?.height);
      await opened.close();
    }
    assert.equal(heights.size, 1, [...heights].join());
  });

  test('it has the name of the model, even if it is narrow', async () => {
    for (const width of [220, 260]) {
      const opened = await open({}, { width });
      const name = opened.page.locator('.selector-value').getByText('5.4', { exact: true });
      // The browser's own list covers it, and is transparent.
      await assertOnScreen(opened.page.locator('.named-selector').filter({ has: name }));
      const box = (await name.boundingBox()) ?? assert.fail('it is not drawn');
      assert.ok(box.width > 10 && box.x + box.width <= width, JSON.stringify(box));
      assert.equal(await name.evaluate((node) => node.scrollWidth > Math.ceil(node.getBoundingClientRect().width)), false, 'it is cut off');
      await opened.close();
    }
  });

  test('its ring is empty while the context is unused', async () => {
    const opened = await open({ usage: { used: 0, size: 200_000 } });
    assert.equal(await opened.page.locator('.meter-track').count(), 1);
    assert.equal(await opened.page.locator('.meter-bar').count(), 0);
    await opened.patch({ op: 'composer', composer: { ...emptyView().composer, selectors, usage } });
    await opened.page.locator('.meter-bar').waitFor();
    await opened.close();
  });

  test('a custom value is only applied after it was entered', async () => {
    const options = [...choices('Default'), { value: otherValue, label: 'Other…' }];
    const opened = await open({ selectors: [{ id: 'prompt', label: 'Prompt', category: 'other', value: 'default', options }] });
    await opened.page.getByRole('button', { name: 'More options' }).click();
    const list = opened.page.getByRole('combobox', { name: 'Prompt' });
    const label = opened.page.getByText('Prompt', { exact: true });
    assert.equal(await label.evaluate((node) => getComputedStyle(node, '::before').content), 'none', 'it stands in no quotation marks');
    await list.selectOption({ label: 'Other…' });
    assert.deepEqual(await opened.message('setOption'), { type: 'setOption', selectorId: 'prompt', value: otherValue });
    assert.equal(await list.inputValue(), 'default');
    // The editor asks in an input box, and the user then returns to the message.
    await list.evaluate((node) => node.blur());
    await opened.page.getByRole('textbox', { name: 'Message' }).focus();
    await opened.page.getByRole('dialog').waitFor({ state: 'hidden' });
    await opened.close();
  });

  test('a value that the agent refuses can be chosen again', async () => {
    const [mode, fast] = [selectors[0] ?? assert.fail(), selectors[4] ?? assert.fail()];
    const show = (opened: OpenPage, ...shown: typeof selectors) =>
      opened.patch({ op: 'composer', composer: { ...emptyView().composer, selectors: shown } });
    const opened = await open({ selectors: [mode, { ...fast, category: 'model' }] });
    const list = opened.page.getByRole('combobox', { name: 'Mode', exact: true });
    const toggle = opened.page.getByRole('checkbox', { name: 'Fast mode' });
    for (const _ of [1, 2]) {
      await list.selectOption('plan');
      await toggle.click();
      assert.deepEqual([await list.inputValue(), await toggle.isChecked()], ['ask', false]);
    }
    assert.deepEqual(
      (await chosen(opened)).map((message) => 'value' in message && message.value),
      ['plan', true, 'plan', true],
    );
    await show(opened, { ...mode, value: 'plan' }, { ...fast, category: 'model', value: true });
    assert.deepEqual([await list.inputValue(), await toggle.isChecked()], ['plan', true]);
    await opened.close();
  });

  test('each control says what it is and what its value is', async () => {
    const opened = await open({}, { width: 420 });
    assert.deepEqual(await opened.page.locator('.selector-value').allTextContents(), ['Ask', '5.4']);
    for (const title of [/^Mode: Ask/, /^Model: 5.4/]) assert.equal(await opened.page.getByTitle(title).count(), 1);
    await opened.page.getByRole('combobox', { name: 'Mode', exact: true }).selectOption('plan');
    await opened.page.getByRole('combobox', { name: 'Model' }).selectOption({ label: 'Default (recommended)' });
    assert.deepEqual(await chosen(opened), [
      { type: 'setOption', selectorId: 'mode', value: 'plan' },
      { type: 'setOption', selectorId: 'model', value: 'default (recommended)' },
    ]);
    await opened.close();
  });
});

describe('the state of the agent', () => {
  for (const theme of ['dark', 'light'] as const)
    test(`a warning about a server is beside its name, even at a small width (${theme})`, async () => {
      const caveat = { label: 'unauthenticated', title: 'Every program that reaches it can use it.' };
      const header = {
        agent: 'agent-cli at home',
        model: 'a-model-with-a-long-name',
        caveat,
        state: 'busy',
        stateText: 'working',
      } as const;
      const opened = await host.open({ view: emptyView({ header }), width: 260, theme });
      await assertOnScreen(opened.page.locator('.caveat'));
      assert.equal(await opened.page.locator('.caveat').evaluate((node) => node.scrollWidth <= node.clientWidth + 1), true);
      await shoot(opened, `caveat-${theme}`);
      await opened.close();
    });

  for (const header of [
    { state: 'ready', stateText: 'ready' },
    { state: 'stopped', stateText: 'not running' },
    { state: 'failed', stateText: 'could not start' },
  ] as const) {
    test(`${header.stateText} is shown in full, or as its icon beside a long name`, async () => {
      for (const name of ['Parser', 'New conversation with', 'A conversation with a name that needs the whole of the line']) {
        const opened = await host.open({ view: emptyView({ header: { ...header, agent: 'agentao', name } }), width: 260 });
        await assertOnScreen(opened.page.locator('.state .codicon'));
        const text = opened.page.locator('.state-text');
        const [state, said] = [await opened.page.locator('.state').boundingBox(), await text.boundingBox()];
        assert.ok(state !== null && said !== null);
        const isSeen = said.y < state.y + state.height - 1;
        if (name !== 'New conversation with') assert.equal(isSeen, name === 'Parser');
        if (isSeen) assert.equal(await text.evaluate((node) => node.scrollWidth > node.clientWidth), false);
        await opened.close();
      }
    });
  }

  test('it is shown once: in the header, or in the wait for the agent', async () => {
    const header = { agent: 'agentao', state: 'busy', stateText: 'working' } as const;
    const wait = { text: 'agentao is thinking', since: Date.now(), buttons: [] };
    const opened = await host.open({ view: emptyView({ header, wait }), width: 260 });
    const state = opened.page.locator('.header .state');
    assert.ok(((await state.boundingBox())?.width ?? 99) < 40);
    assert.equal(await state.evaluate((node) => node.textContent), 'working');
    await opened.patch({ op: 'wait', wait: null });
    assert.ok(((await state.boundingBox())?.width ?? 0) > 40);
    await assertOnScreen(state.locator('.state-text'));
    await opened.close();
  });

  test('a finished plan stays in the conversation, collapsed', async () => {
    const notice = { kind: 'notice', id: 'p', severity: 'info', title: 'Plan finished: 2 steps', folds: true, at: 0 } as const;
    const opened = await host.open({ view: emptyView({ items: [{ ...notice, buttons: [], description: '✓ one\n✓ two' }] }), width: 260 });
    const line = opened.page.getByText('Plan finished: 2 steps');
    await assertOnScreen(line);
    assert.equal(await opened.page.getByText('✓ one').isVisible(), false);
    await line.click();
    await assertOnScreen(opened.page.getByText('✓ one'));
    await shoot(opened, 'plan-finished');
    await opened.close();
  });
});

describe('the panel with further options', () => {
  for (const theme of ['dark', 'light', 'highContrast', 'highContrastLight'] as const) {
    for (const width of widths) {
      test(`it fits on screen at ${width} px, ${theme}`, async () => {
        const opened = await host.open({ view: richView({ composer: { ...richView().composer, selectors } }), width, height: 480, theme });
        await assertReachable(opened);
        await opened.page.getByRole('button', { name: 'More options' }).click();
        await assertOnScreen(opened.page.getByRole('dialog', { name: 'Options of the agent' }));
        await assertOnScreen(opened.page.locator('.options-panel :is(select, input)'));
        await shoot(opened, `panel-${width}-${theme}`);
        await opened.close();
      });
    }
  }

  test('it can be opened, used and closed by keyboard', async () => {
    const opened = await open();
    const button = opened.page.getByRole('button', { name: 'More options' });
    const panel = opened.page.getByRole('dialog', { name: 'Options of the agent' });
    await button.focus();
    await opened.page.keyboard.press('Enter');
    await panel.waitFor();
    assert.equal(await opened.page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Reasoning effort');
    await opened.page.keyboard.press('ArrowDown');
    await opened.page.keyboard.press('Tab');
    await opened.page.keyboard.press('Tab');
    await opened.page.keyboard.press('Space');
    assert.deepEqual(await chosen(opened), [
      { type: 'setOption', selectorId: 'effort', value: 'high' },
      { type: 'setOption', selectorId: 'fast', value: true },
    ]);
    await opened.page.keyboard.press('Escape');
    assert.equal(await panel.count(), 0);
    assert.equal(await button.evaluate((node) => node === document.activeElement), true);
    await opened.close();
  });

  test('it closes on a click elsewhere, or when it loses the focus', async () => {
    const opened = await open();
    const button = opened.page.getByRole('button', { name: 'More options' });
    const panel = opened.page.getByRole('dialog', { name: 'Options of the agent' });
    await button.click();
    await opened.page.mouse.click(200, 200);
    await panel.waitFor({ state: 'detached' });
    await button.click();
    await opened.page.getByRole('textbox', { name: 'Message' }).focus();
    await panel.waitFor({ state: 'detached' });
    await button.click();
    await button.click();
    await panel.waitFor({ state: 'detached' });
    await opened.close();
  });

  test('it also closes on a click before the next frame', async () => {
    const opened = await open();
    const { page } = opened;
    const shown = await page.getByRole('button', { name: 'More options' }).evaluate(async (button: HTMLElement) => {
      const panels = (): number => document.querySelectorAll('.options-panel').length;
      const drawn = new Promise<void>((resolve) =>
        new MutationObserver(() => {
          if (panels() > 0) resolve();
        }).observe(document.body, { childList: true, subtree: true }),
      );
      button.click();
      await drawn;
      const before = panels();
      document.body.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
      return before;
    });
    assert.equal(shown, 1);
    await page.getByRole('dialog', { name: 'Options of the agent' }).waitFor({ state: 'detached' });
    await opened.close();
  });

  test('it is absent without further options', async () => {
    const opened = await open({ selectors: selectors.slice(0, 2) });
    assert.equal(await opened.page.getByRole('button', { name: 'More options' }).count(), 0);
    await opened.close();
  });
});
