/** A request in a low page: what decides it stays visible, and so does the composer. Screenshots are saved in out/screenshots for review. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import type { ChatView, PermissionPromptView, PromptView } from '../../src/contract/view.js';
import type { OpenPage } from './harness.js';
import { assertOnScreen, assertReachable, stickingOut } from './onScreen.js';
import { hostForTests, shoot, shootAgain } from './pageTests.js';
import { anyOf, emptyView, longForm, permissionPrompt, questionPrompt, richView } from './views.js';

const host = hostForTests();

const lines = (count: number): string => Array.from({ length: count }, (_, line) => `export const value${line} = ${line};\n`).join('');

function editPrompt(count: number): PermissionPromptView {
  const diff = {
    path: '/project/src/values.ts',
    oldText: lines(count),
    newText: lines(count).replaceAll('export ', ''),
    added: count,
    removed: count,
  };
  return permissionPrompt({ title: 'Edit src/values.ts?', parts: [{ type: 'diff', diff }] });
}

/** Pixels of it that are in the window. */
const heightInView = (locator: Locator): Promise<number> =>
  locator.evaluate((node) => {
    const { top, bottom } = node.getBoundingClientRect();
    return Math.min(bottom, innerHeight) - Math.max(top, 0);
  });

/** A page for all tests of a suite, because another one costs half a second of processor time. Each draws it anew at its own size. */
function sharedPage(): (
  name: string,
  options: { readonly view: ChatView; readonly width: number; readonly height: number },
) => Promise<OpenPage> {
  let shared: OpenPage | undefined;
  after(() => shared?.close());
  return async (name, { view, width, height }) => {
    if (shared === undefined) return (shared = await shoot(host, name, { view, width, height }));
    await shared.showTheme('dark');
    await shared.snapshot(emptyView());
    await shared.page.setViewportSize({ width, height });
    await shared.snapshot(view);
    await shared.page.clock.runFor(1000);
    await shootAgain(shared, name);
    return shared;
  };
}

for (const count of [6, 40])
  describe(`a change of ${count} lines`, () => {
    const open = sharedPage();
    for (const [width, height] of [
      [900, 518],
      [300, 518],
      [250, 518],
      [300, 420],
      [250, 420],
    ] as const)
      test(`a change of ${count} lines at ${width} × ${height} px: its options and the composer are visible, and the change scrolls`, async () => {
        const view = richView({ prompts: [editPrompt(count)], queue: ['first', 'second'].map((text) => ({ id: text, text })) });
        const opened = await open(`low-${count}-${width}x${height}`, { view, width, height });
        const { page } = opened;
        await assertOnScreen(page.locator('.option'));
        await assertOnScreen(page.getByRole('textbox', { name: 'Message' }));
        await assertOnScreen(page.getByRole('button', { name: 'Stop', exact: true }));
        assert.ok((await heightInView(page.locator('.prompt-body'))) >= 40);
        if (height > 500) {
          await assertOnScreen(page.getByRole('region', { name: 'Queued messages' }).getByText('2 messages queued'));
          assert.ok((await heightInView(page.getByRole('log'))) >= 28);
        }
        const last = page.locator('.diff-line').last();
        await last.evaluate((node) => node.scrollIntoView({ block: 'center', behavior: 'instant' }));
        await assertOnScreen(last);
        await assertOnScreen(page.locator('.option'));
        await assertReachable(opened);
        assert.equal(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight), 0);
        assert.deepEqual(await stickingOut(opened), []);
        await opened.showTheme('light');
        await shootAgain(opened, `low-${count}-${width}x${height}-light`);
      });
  });

const shared = { id: 'ask', agent: 'agentao', at: 0 };
const kinds: Readonly<Record<string, readonly PromptView[]>> = {
  command: [permissionPrompt()],
  'long command': [permissionPrompt({ parts: [{ type: 'text', code: true, copy: 'command', text: lines(60) }] })],
  change: [editPrompt(40)],
  several: [permissionPrompt(), questionPrompt(), editPrompt(6)],
  question: [questionPrompt()],
  form: [longForm()],
  address: [{ kind: 'url', ...shared, title: 'Open a page?', message: 'Sign in first.', url: `https://example.com/${'a/'.repeat(200)}` }],
  confirmation: [{ kind: 'confirm', ...shared, title: 'Delete all branches?', message: lines(30) }],
  text: [{ kind: 'editor', ...shared, title: 'Edit the message', prefill: lines(30) }],
};

// The heights of the chat view in windows of 600 and 800 px, above the Conversations view, and of a tab.
for (const [name, prompts] of Object.entries(kinds))
  describe(`in the chat view: ${name}`, () => {
    const open = sharedPage();
    for (const [width, height] of [
      [220, 390],
      [300, 390],
      [300, 560],
      [720, 520],
    ] as const)
      test(`a request takes at most 40 % of ${width} × ${height} px, and the row with Stop stays: ${name}`, async () => {
        const view = richView({
          prompts: [...prompts],
          plans: richView().plans,
          queue: ['one', 'two', 'three'].map((text) => ({ id: text, text })),
        });
        const opened = await open(`request-${name.replace(' ', '-')}-${width}x${height}`, { view, width, height });
        const { page } = opened;
        const { height: tall = 0 } = (await page.locator('.prompt').boundingBox()) ?? {};
        assert.ok(tall <= height * 0.4, `${tall} px`);
        await assertOnScreen(page.getByRole('button', { name: 'Stop', exact: true }));
        await assertOnScreen(page.locator('.prompt h2'));
        await assertOnScreen(page.locator('.prompt-options button'));
        const tops = await page
          .locator('.prompt-options button')
          .evaluateAll((buttons) => buttons.map((one) => one.getBoundingClientRect().top));
        assert.ok(Math.max(...tops) - Math.min(...tops) < 10, 'one row');
        assert.ok((await heightInView(page.locator('.prompt-body'))) >= 36);
        assert.equal(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight), 0);
        assert.deepEqual(await stickingOut(opened), []);
      });
  });

// The height of the chat view above the Conversations view in a window of 600 px, in which less than 40 % would show nothing.
for (const [name, prompts] of Object.entries(kinds))
  describe(`in a low window: ${name}`, () => {
    const open = sharedPage();
    for (const width of [217, 297])
      test(`at ${width} × 318 px, a request is seen from its title to its border: ${name}`, async () => {
        const { composer } = richView();
        const chips = [{ id: 'open', label: 'parser.ts', title: 'src/parser.ts', follows: 'sent' }] as const;
        for (const queue of [[], [{ id: 'one', text: 'one' }]]) {
          const view = richView({ prompts: [...prompts], queue, composer: { ...composer, chips: [...chips] } });
          const opened = await open(`request-${name.replace(' ', '-')}-${width}x318-${queue.length}`, { view, width, height: 318 });
          const { page } = opened;
          assert.equal(await page.locator('.dock').evaluate((dock) => dock.scrollHeight - dock.clientHeight), 0, 'all of it is in sight');
          await assertOnScreen(page.locator('.prompt h2'));
          await assertOnScreen(page.locator('.prompt-options button'));
          assert.equal(
            await page.locator('.prompt').evaluate((prompt) => prompt.scrollHeight - prompt.clientHeight),
            0,
            'only its body scrolls',
          );
          assert.ok((await heightInView(page.locator('.prompt-body'))) >= 36);
        }
      });
  });

// An editor tab above an open panel in a window of 600 px.
for (const [name, prompts] of Object.entries(kinds))
  describe(`in a tab: ${name}`, () => {
    const open = sharedPage();
    for (const width of [300, 600])
      test(`at ${width} × 237 px, a request keeps its title, its buttons and the row with Stop: ${name}`, async () => {
        const { composer } = richView();
        const chips = [{ id: 'open', label: 'parser.ts', title: 'src/parser.ts', follows: 'sent' }] as const;
        const view = richView({ prompts: [...prompts], queue: [{ id: 'one', text: 'one' }], composer: { ...composer, chips: [...chips] } });
        const opened = await open(`request-${name.replace(' ', '-')}-${width}x237`, { view, width, height: 237 });
        const { page } = opened;
        assert.equal(await page.locator('.dock').evaluate((dock) => dock.scrollHeight - dock.clientHeight), 0, 'all of it is in sight');
        await assertOnScreen(page.locator('.prompt h2'));
        await assertOnScreen(page.locator('.prompt-options button'));
        await assertOnScreen(page.getByRole('textbox', { name: 'Message' }));
        await assertOnScreen(page.getByRole('button', { name: 'Stop', exact: true }));
        assert.ok((await heightInView(page.locator('.prompt-body'))) >= 24);
        assert.equal(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight), 0);
      });
  });

test('in the panel, a request may be as high as the page, and its options are in view', async () => {
  const opened = await shoot(host, 'request-panel', {
    view: richView({ prompts: [editPrompt(40)] }),
    surface: 'prompts',
    width: 700,
    height: 520,
  });
  await assertOnScreen(opened.page.locator('.prompt-options button'));
  assert.ok(((await opened.page.locator('.prompt').boundingBox())?.height ?? 0) > 400);
  await opened.close();
});

for (const width of [209, 297])
  test(`in the lowest view, ${width} px wide, a request shows the beginning of its command, a sign of its risks, which are one scroll away, its buttons and Stop`, async () => {
    const view = richView({ prompts: [permissionPrompt(), questionPrompt()], queue: [] });
    const { page, ...opened } = await shoot(host, `lowest-request-${width}`, { view, width, height: 120 });
    const command = page.locator('.prompt-command pre');
    const seen = await command.evaluate((node) => {
      const body = node.closest('.prompt-body');
      return Math.min(body?.getBoundingClientRect().bottom ?? 0, innerHeight) - node.getBoundingClientRect().top;
    });
    assert.ok(seen >= 18, `${seen} px of the command`);
    await assertOnScreen(page.locator('.prompt h2'));
    const sign = await page.locator('.prompt-head').evaluate((node) => getComputedStyle(node, '::before').content);
    assert.notEqual(sign, 'none');
    await assertOnScreen(page.locator('.prompt-options button'));
    await assertOnScreen(page.getByTitle('Stop this turn'));
    await page.locator('.prompt').evaluate((node) => node.scrollTo(0, node.scrollHeight));
    await assertOnScreen(page.locator('.prompt-risks'));
    await opened.close();
  });

for (const [width, height] of [
  [302, 478],
  [302, 318],
] as const)
  test(`at ${width} × ${height} px, all three answers of a question are in view, before and after one is chosen`, async () => {
    const prompts = [questionPrompt({ message: 'Which of these do you drink?' }, anyOf('Water', 'Tea', 'Coffee'))];
    const { page, ...opened } = await host.open({ view: richView({ prompts, queue: [] }), width, height });
    const hidden = (): Promise<number> => page.locator('.prompt-body').evaluate((body) => body.scrollHeight - body.clientHeight);
    assert.equal(await hidden(), 0);
    await page.getByText('Tea', { exact: true }).click();
    assert.equal(await hidden(), 0);
    await opened.close();
  });

for (const [what, field] of [
  ['answers to choose from', anyOf('Water', 'Tea')],
  ['a text', { type: 'text', name: 'answer', required: true }],
] as const)
  test(`in the lowest view, a question with ${what} keeps its buttons and Stop`, async () => {
    const { page, ...opened } = await host.open({
      view: richView({ prompts: [questionPrompt({}, field)], queue: [] }),
      width: 297,
      height: 135,
    });
    await assertOnScreen(page.locator('.prompt-options button'));
    await assertOnScreen(page.getByTitle('Stop this turn'));
    await opened.close();
  });

for (const height of [230, 300, 440])
  test(`${height} px high, a request shows the first line of its command before the name of the tool, and does not fade it`, async () => {
    const { page, ...opened } = await host.open({ view: richView({ prompts: [permissionPrompt()] }), width: 300, height });
    const seen = await page.locator('.prompt-command pre').evaluate((node) => {
      const { top, bottom } = (node.closest('.prompt-body') ?? node).getBoundingClientRect();
      const fade = Math.min(20, (bottom - top) * 0.25);
      return bottom - fade - node.getBoundingClientRect().top;
    });
    assert.ok(seen >= 12, `${seen} px of the command`);
    await opened.close();
  });

test('in the lowest view, as at 200 % on a laptop, a message can be written, sent and stopped', async () => {
  const view = richView({ prompts: [], queue: [] });
  const composer = { ...view.composer, busy: true, chips: [{ id: 'file:a', label: 'a.ts', title: 'a.ts' }] };
  const { page, ...opened } = await shoot(host, 'lowest', { view: { ...view, composer }, width: 290, height: 120 });
  await page.getByRole('textbox', { name: 'Message' }).fill('and then this');
  await assertOnScreen(page.getByRole('button', { name: 'Send', exact: true }));
  await assertOnScreen(page.getByTitle('Stop this turn'));
  await assertOnScreen(page.getByRole('textbox', { name: 'Message' }));
  await opened.close();
});
