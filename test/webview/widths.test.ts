/** The page at every width: each control can be reached, and nothing sticks out. Screenshots are saved in out/screenshots for review. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentStateSchema } from '../../src/contract/view.js';
import { assertOnScreen, assertReachable, stickingOut, widths } from './onScreen.js';
import { hostForTests, shoot } from './pageTests.js';
import { loadFailedView, longHeldView, recoveryViews } from './recoveryViews.js';
import { emptyView, longForm, permissionPrompt, questionPrompt, richView } from './views.js';

const host = hostForTests();
const form = longForm();

for (const width of widths) {
  for (const [name, view] of Object.entries({
    chat: richView(),
    'chat with a request': richView({ prompts: [permissionPrompt(), questionPrompt()] }),
    empty: emptyView(),
    ...recoveryViews(),
  })) {
    test(`every control is visible and reachable at ${width} px: ${name}`, async () => {
      const opened = await host.open({ view, width });
      await assertReachable(opened);
      await opened.close();
    });
  }
}

for (const width of [220, 320, 1200]) {
  for (const prompts of [[], [permissionPrompt()], [questionPrompt()], [form, permissionPrompt()]]) {
    test(`nothing overflows at ${width} px with ${prompts[0]?.title ?? 'no prompt'}`, async () => {
      const opened = await shoot(host, `${width}-${prompts[0] === form ? 'fields' : (prompts[0]?.kind ?? 'chat')}`, {
        view: richView({ prompts }),
        width,
        height: 900,
      });
      assert.deepEqual(await stickingOut(opened), []);
      await opened.close();
    });
  }
}

for (const [name, view] of Object.entries({
  ...recoveryViews(),
})) {
  test(`nothing overflows at 250 px: ${name}`, async () => {
    const opened = await shoot(host, `250-${name}`, { view, width: 250, height: 900 });
    assert.deepEqual(await stickingOut(opened), []);
    await opened.close();
  });
}

for (const [width, height] of [
  [300, 250],
  [260, 420],
] as const) {
  test(`the actions of a message on hold are visible at ${width} × ${height} px, and so is Send`, async () => {
    const opened = await shoot(host, `held-${width}x${height}`, { view: longHeldView(), width, height });
    for (const name of ['Send Now', 'Send']) await assertOnScreen(opened.page.getByRole('button', { name, exact: true }));
    await opened.close();
  });
}

const rich = richView();
const names = Array.from({ length: 40 }, (_, index) => `a file with a name ${index}`);
for (const [what, view] of Object.entries({
  'queued messages': { ...rich, queue: names.map((text) => ({ id: text, text })) },
  'attached files': { ...rich, composer: { ...rich.composer, chips: names.map((label) => ({ id: label, label, title: label })) } },
}))
  for (const width of [250, 900])
    test(`40 ${what} leave the message box in sight at ${width} px, and all of them can be reached`, async () => {
      const opened = await host.open({ view, width });
      await assertOnScreen(opened.page.getByRole('textbox', { name: 'Message' }));
      await assertOnScreen(opened.page.getByRole('button', { name: 'Stop', exact: true }));
      await assertReachable(opened);
      await opened.close();
    });

for (const width of [170, 200])
  test(`the buttons of a permission have their words in the narrowest side bar: ${width} px`, async () => {
    const opened = await host.open({ view: richView({ prompts: [permissionPrompt()] }), width, height: 500 });
    for (const option of await opened.page.locator('.prompt-options button').all()) {
      await assertOnScreen(option);
      assert.equal(await option.evaluate((node) => node.scrollWidth - node.clientWidth), 0);
    }
    await opened.close();
  });

test('the title of one of several requests has space for its text, and its buttons are at the end of the line', async () => {
  const opened = await host.open({ view: richView({ prompts: [form, permissionPrompt()] }), width: 220, height: 900 });
  const boxOf = async (selector: string) => (await opened.page.locator(selector).boundingBox()) ?? assert.fail(selector);
  const [head, title, tools] = [await boxOf('.prompt-head'), await boxOf('#prompt-title'), await boxOf('.prompt-tools')];
  assert.ok(title.width > 100, `${title.width} px`);
  assert.ok(head.x + head.width - (tools.x + tools.width) < 10);
  await opened.close();
});

test('the description of a check box is below it', async () => {
  const opened = await host.open({ view: emptyView({ prompts: [form] }), height: 1200 });
  const box = await opened.page.getByRole('checkbox', { name: 'Reachable' }).boundingBox();
  const description = await opened.page.getByText('Needs a certificate.').boundingBox();
  assert.ok(box !== null && description !== null && description.y >= box.y + box.height - 1);
  await opened.close();
});

for (const width of [250, 900])
  test(`the header has the same height in every state at ${width} px, also before the first one is known`, async () => {
    const opened = await host.open({ width });
    const heights = new Set<number>();
    const measure = async (): Promise<unknown> => heights.add((await opened.page.locator('.header').boundingBox())?.height ?? 0);
    await measure();
    const { header } = emptyView();
    for (const state of agentStateSchema.options)
      for (const wait of [null, { text: 'agentao is thinking', since: 0, buttons: [] }])
        for (const caveat of [{}, { caveat: { label: 'unencrypted', title: 'Others can read it.' } }]) {
          await opened.snapshot(emptyView({ header: { ...header, state, stateText: state, since: 0, ...caveat }, wait }));
          await measure();
        }
    assert.equal(heights.size, 1, [...heights].join(', '));
    await opened.close();
  });

test('the name of the conversation is shortened last', async () => {
  const view = loadFailedView();
  const opened = await host.open({ view: { ...view, header: { ...view.header, name: 'make the parser' } }, width: 220 });
  const cut = await opened.page.locator('.header-name').evaluate((node) => node.scrollWidth > node.clientWidth);
  assert.equal(cut, false);
  await opened.close();
});

test('at 200 % zoom a request can be read and decided', async () => {
  const opened = await shoot(host, 'zoom-200', {
    view: richView({ prompts: [permissionPrompt()] }),
    width: 210,
    height: 360,
    deviceScaleFactor: 2,
  });
  const allow = opened.page.getByRole('button', { name: 'Allow once' });
  await allow.scrollIntoViewIfNeeded();
  await allow.click();
  assert.deepEqual(await opened.message('select'), { type: 'select', promptId: 'ask-1', optionId: 'yes' });
  assert.deepEqual(await stickingOut(opened), []);
  await opened.close();
});
