/** Forms that the agent asks its user to fill in. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PromptView } from '../../src/contract/view.js';
import { type OpenPage } from './harness.js';
import { assertOnScreen, nextFrames } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { decisions, openPrompts, pass } from './promptPage.js';
import { anyOf, emptyView, longForm, oneOf, questionPrompt } from './views.js';

const host = hostForTests();

const openWith = (prompts: readonly PromptView[]): Promise<OpenPage> => openPrompts(host, prompts);

describe('choices', () => {
  for (const [role, field] of [
    ['radio', oneOf('A', 'B', 'C')],
    ['checkbox', anyOf('A', 'B', 'C')],
  ] as const)
    test(`choosing a ${role} moves nothing, and it is in the middle of its first line`, async () => {
      const opened = await openWith([questionPrompt({}, field)]);
      await pass(opened);
      const boxes = () =>
        opened.page.locator('.choice, .choice > *').evaluateAll((nodes) =>
          nodes.map((node) => {
            const { top, height } = node.getBoundingClientRect();
            return { top, height };
          }),
        );
      const before = await boxes();
      const [, control, words] = before;
      assert.ok(control !== undefined && words !== undefined);
      assert.ok(Math.abs(control.top + control.height / 2 - (words.top + words.height / 2)) <= 1, JSON.stringify([control, words]));
      await opened.page.getByRole(role, { name: 'B' }).check();
      assert.deepEqual(await boxes(), before);
      await opened.close();
    });
});

test('the lines of a description stay apart, and how many answers are needed is said at once', async () => {
  const choices = ['A', 'B', 'C'].map((value) => ({ value, label: value }));
  const field = { type: 'multiselect', name: 'any', required: true, choices, allowCustom: false, minItems: 2 } as const;
  const opened = await openWith([questionPrompt({}, { ...field, label: 'Any', description: 'one\ntwo\nthree' })]);
  const lines = await opened.page.locator('.field-description').evaluate((node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size;
  });
  assert.equal(lines, 3);
  await opened.page.locator('#answer-missing').getByText('Choose at least 2', { exact: true }).waitFor();
  await opened.close();
});

describe('an answer of one’s own', () => {
  const question = (): PromptView => {
    const choices = ['spring', 'summer'].map((value) => ({ value, label: value }));
    return questionPrompt({}, { type: 'select', name: 'season', required: true, choices, allowCustom: true });
  };
  const choose: Record<string, (opened: OpenPage) => Promise<void>> = {
    'a click': ({ page }) => page.getByRole('radio', { name: 'Other…' }).click(),
    'its digit': ({ page }) => page.keyboard.press('3'),
    async 'an arrow key'({ page }) {
      await page.getByRole('radio', { name: 'summer' }).click();
      await page.keyboard.press('ArrowDown');
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('type')), 'radio', 'the next arrow key may pass it');
    },
  };
  for (const [how, act] of Object.entries(choose))
    test(`it can be typed at once after ${how}`, async () => {
      const opened = await openWith([question()]);
      const { page } = opened;
      await pass(opened);
      await act(opened);
      await page.keyboard.type('late summer 2');
      assert.equal(await page.getByRole('textbox', { name: 'Answer' }).inputValue(), 'late summer 2');
      await page.keyboard.press('Control+Enter');
      const [answer] = await decisions(opened);
      assert.deepEqual(answer?.type === 'answer' && Object.values(answer.values), ['late summer 2']);
      await opened.close();
    });

  test('its box stands apart from the choices', async () => {
    const opened = await openWith([question()]);
    await opened.page.getByRole('radio', { name: 'Other…' }).check();
    const [choices, box] = await Promise.all([
      opened.page.locator('.choices').boundingBox(),
      opened.page.getByRole('textbox', { name: 'Answer' }).boundingBox(),
    ]);
    assert.ok(choices !== null && box !== null && box.y - (choices.y + choices.height) >= 6);
    await opened.close();
  });

  for (const [width, height] of [
    [300, 500],
    [300, 300],
  ] as const)
    test(`what is missing is said at ${width} × ${height} px, and the buttons stay where they are when nothing is`, async () => {
      const opened = await host.open({ view: emptyView({ prompts: [questionPrompt()] }), width, height });
      await pass(opened);
      const { page } = opened;
      const submit = page.getByRole('button', { name: 'Submit' });
      const placeOf = () => submit.evaluate((button) => button.getBoundingClientRect().toJSON() as unknown);
      await assertOnScreen(page.getByText('Choose an answer first'));
      const before = await placeOf();
      await page.getByRole('radio', { name: 'SQLite' }).check();
      await page.getByText('Choose an answer first').waitFor({ state: 'detached' });
      assert.deepEqual(await placeOf(), before);
      await opened.close();
    });

  test('a digit marks a choice, and Enter submits it', async () => {
    const opened = await openWith([question()]);
    await pass(opened);
    await opened.page.keyboard.press('2');
    await opened.page.keyboard.press('Enter');
    const [answer] = await decisions(opened);
    assert.deepEqual(answer?.type === 'answer' && Object.values(answer.values), ['summer']);
    await opened.close();
  });
});

describe('a form with several fields', () => {
  const form = (): PromptView =>
    questionPrompt({
      title: 'New service',
      message: 'How should it run?',
      fields: [
        { type: 'text', name: 'name', label: 'Name', required: true, placeholder: 'e.g. api' },
        { type: 'integer', name: 'port', label: 'Port', required: true, min: 1024, max: 65_535, defaultValue: 80 },
        { type: 'boolean', name: 'public', label: 'Public', required: false },
        { ...anyOf('eu', 'us'), name: 'regions', label: 'Regions', required: false },
        { type: 'select', name: 'size', label: 'Size', required: true, choices: [{ value: 's', label: 'Small' }], allowCustom: true },
      ],
    });

  test('each field shows what is missing under it, and Submit names the first one', async () => {
    const opened = await openWith([form()]);
    await pass(opened);
    const { page } = opened;
    const submit = page.getByRole('button', { name: 'Submit' });
    await page.getByText('Name: Write an answer first', { exact: true }).waitFor();
    await page.getByText('At least 1024', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('api');
    await page.getByText('Port: At least 1024', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Port' }).fill('80.5');
    await page.getByText('Not a whole number', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Port' }).fill('8080');
    assert.equal(await submit.isDisabled(), true);
    await page.getByRole('checkbox', { name: 'Public' }).check();
    await page.getByRole('radio', { name: 'Other…' }).check();
    await page.getByRole('textbox', { name: 'Size' }).fill('huge');
    await submit.click();
    assert.deepEqual(await decisions(opened), [
      { type: 'answer', promptId: 'ask-2', values: { name: 'api', port: 8080, public: true, size: 'huge' } },
    ]);
    await opened.assertClean();
    await opened.close();
  });

  test('a box that nobody touched is left out, as in a terminal, unless the form requires it or the agent gave a value', async () => {
    const box = { type: 'boolean', required: false } as const;
    const fields = [
      { ...box, name: 'left', label: 'Left' },
      { ...box, name: 'needed', label: 'Needed', required: true },
      { ...box, name: 'given', label: 'Given', defaultValue: true },
      { ...box, name: 'off', label: 'Off' },
    ];
    const opened = await openWith([questionPrompt({ title: 'Boxes', message: 'Which?', fields })]);
    await pass(opened);
    const off = opened.page.getByRole('checkbox', { name: 'Off' });
    await off.check();
    await off.uncheck();
    await opened.page.getByRole('button', { name: 'Submit' }).click();
    const [answer] = await decisions(opened);
    assert.deepEqual(answer?.type === 'answer' && answer.values, { needed: false, given: true, off: false });
    await opened.close();
  });

  test('its last line fades while more follows, also where people want no motion', async () => {
    const opened = await host.open({ view: emptyView({ prompts: [longForm()] }), height: 500, ownPage: true });
    const body = opened.page.locator('.prompt-body');
    const fade = (): Promise<string> => body.evaluate((node) => getComputedStyle(node).getPropertyValue('--fade'));
    for (const reducedMotion of ['no-preference', 'reduce'] as const) {
      await opened.page.emulateMedia({ reducedMotion });
      await body.evaluate((node) => node.scrollTo(0, 0));
      await nextFrames(opened.page);
      assert.equal(await fade(), '20px');
      await body.evaluate((node) => node.scrollTo(0, node.scrollHeight));
      await nextFrames(opened.page);
      assert.equal(await fade(), '0px');
    }
    await opened.patch({ op: 'prompts', prompts: [questionPrompt()] });
    await nextFrames(opened.page);
    assert.equal(await fade(), '0px');
    await opened.close();
  });

  test('it has a button to decline if the agent distinguishes that from dismissing', async () => {
    for (const width of [260, 800]) {
      const opened = await openWith([{ ...form(), canDecline: true } as PromptView]);
      await opened.page.setViewportSize({ width, height: 700 });
      await pass(opened);
      const button = opened.page.getByRole('button', { name: 'Decline' });
      const box = await button.boundingBox();
      assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width && box.y + box.height <= 700, JSON.stringify(box));
      const isOnTop = await button.evaluate((element) => {
        const { x, y, width: w, height: h } = element.getBoundingClientRect();
        return element.contains(document.elementFromPoint(x + w / 2, y + h / 2));
      });
      assert.ok(isOnTop);
      await button.click();
      assert.deepEqual(await decisions(opened), [{ type: 'decline', promptId: 'ask-2' }]);
      await opened.assertClean();
      await opened.close();
    }
    const without = await openWith([form()]);
    assert.equal(await without.page.getByRole('button', { name: 'Decline' }).count(), 0);
    await without.close();
  });

  test('a text field shows the required format', async () => {
    const opened = await openWith([
      questionPrompt({}, { type: 'text', name: 'mail', label: 'Mail', required: true, format: 'email', maxLength: 9, pattern: '.+@.+' }),
    ]);
    await pass(opened);
    const box = opened.page.getByRole('textbox', { name: 'Mail' });
    assert.equal(await box.getAttribute('placeholder'), '.+@.+');
    for (const [typed, fault] of [
      ['nobody', 'Not an email address'],
      ['nobody@home', 'At most 9 characters'],
    ] as const) {
      await box.fill(typed);
      await opened.page.getByText(fault, { exact: true }).waitFor();
    }
    await box.fill('me@home');
    await opened.page.getByRole('button', { name: 'Submit' }).click();
    assert.deepEqual(await decisions(opened), [{ type: 'answer', promptId: 'ask-2', values: { mail: 'me@home' } }]);
    await opened.close();
  });

  test('Escape discards no text in any field, but leaves the field first', async () => {
    for (const [role, name] of [
      ['textbox', 'Port'],
      ['checkbox', 'Public'],
      ['button', 'Cancel'],
    ] as const) {
      const opened = await openWith([form()]);
      await pass(opened);
      await opened.page.getByRole('textbox', { name: 'Name' }).fill('a long answer');
      await opened.page.getByRole('textbox', { name: 'Port' }).fill('');
      await opened.page.getByRole(role, { name }).focus();
      await opened.page.keyboard.press('Escape');
      assert.deepEqual(await decisions(opened), [], name);
      assert.equal(await opened.page.evaluate(() => document.activeElement?.getAttribute('role')), 'dialog');
      await opened.page.keyboard.press('Escape');
      assert.deepEqual(await decisions(opened), [{ type: 'dismiss', promptId: 'ask-2' }]);
      await opened.close();
    }
  });

  test('values survive a reload, field by field', async () => {
    const opened = await openWith([form()]);
    await opened.page.getByRole('textbox', { name: 'Name' }).fill('half');
    await opened.page.getByRole('checkbox', { name: 'us' }).check();
    await opened.page.reload();
    await opened.message('ready');
    await opened.post({ type: 'snapshot', revision: 1, view: emptyView({ prompts: [form()] }), draft: '' });
    assert.equal(await opened.page.getByRole('textbox', { name: 'Name' }).inputValue(), 'half');
    assert.equal(await opened.page.getByRole('checkbox', { name: 'us' }).isChecked(), true);
    await opened.close();
  });
});
