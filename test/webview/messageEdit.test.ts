/** A message of the user that is edited in its place. Screenshots are saved in out/screenshots for review. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HostMessage } from '../../src/contract/messages.js';
import type { OpenPage } from './harness.js';
import { assertOnScreen, assertReachable, nextFrames, stickingOut } from './onScreen.js';
import { hostForTests, shoot, shootAgain } from './pageTests.js';
import { agentItem, changesView, emptyView, turnEndItem, userItem } from './views.js';

const host = hostForTests();
const attachments = [{ kind: 'resource' as const, label: 'parser.ts' }];
const view = emptyView({
  items: [
    { kind: 'user', id: 'u1', text: 'make the parser tolerant\nand keep its errors', attachments, at: 0 },
    agentItem('a1', 'Done.'),
    turnEndItem('e1', { changes: changesView() }),
    userItem('u2', 'and the changelog'),
    agentItem('a2', 'Done, too.'),
    turnEndItem('e2'),
  ],
});
const restore = { label: 'Restore 3 files', files: 'src/parser.ts, src/lenientReader.ts, docs/old notes.md' };
const editing: HostMessage = { type: 'editMessage', itemId: 'u1', restore };
const box = ({ page }: OpenPage) => page.getByRole('textbox', { name: 'Edit message' });
const composer = ({ page }: OpenPage) => page.getByRole('textbox', { name: 'Message', exact: true });
const posted = async (opened: OpenPage, ...types: readonly string[]) =>
  (await opened.messages()).filter(({ type }) => types.includes(type));

for (const width of [220, 300, 900])
  test(`at ${width} px, all of it can be read and reached`, async () => {
    const opened = await shoot(host, `message-edit-closed-${width}`, { view, width });
    await opened.post(editing);
    for (const name of ['Rewind', 'Cancel']) await assertOnScreen(opened.page.getByRole('button', { name, exact: true }));
    await assertOnScreen(box(opened));
    await assertOnScreen(opened.page.getByRole('checkbox', { name: 'Restore 3 files' }));
    await assertOnScreen(opened.page.getByText('parser.ts', { exact: true }).first());
    await assertReachable(opened);
    assert.deepEqual(await stickingOut(opened), []);
    await shootAgain(opened, `message-edit-${width}`);
    await opened.showTheme('light2026');
    await shootAgain(opened, `message-edit-${width}-light`);
    await opened.close();
  });

describe('a message that is edited', () => {
  test('F2, Enter and the pencil ask for it; the text gets the focus', async () => {
    const opened = await host.open({ view });
    const message = opened.page.getByRole('article', { name: 'You' }).first();
    await message.press('F2');
    await message.press('Enter');
    await opened.page.getByRole('button', { name: 'Edit this message' }).first().click();
    const asks = { type: 'action', action: 'editMessage', itemId: 'u1' };
    assert.deepEqual(await posted(opened, 'action'), [asks, asks, asks]);
    await opened.post(editing);
    assert.equal(await box(opened).inputValue(), 'make the parser tolerant\nand keep its errors');
    assert.equal(await box(opened).evaluate((element) => element === document.activeElement), true);
    await opened.assertClean();
    await opened.close();
  });

  test('Enter sends it again with its files restored, Shift+Enter begins a line', async () => {
    const opened = await host.open({ view });
    await opened.post(editing);
    await box(opened).fill('one');
    await box(opened).press('Shift+Enter');
    await box(opened).pressSequentially('two');
    await box(opened).press('Enter');
    assert.deepEqual(await posted(opened, 'sendFrom', 'send'), [{ type: 'sendFrom', itemId: 'u1', text: 'one\ntwo', restores: true }]);
    assert.equal(await box(opened).count(), 0);
    await opened.close();
  });

  test('the user may leave the files as they are; without changes, there is no choice', async () => {
    const opened = await host.open({ view });
    await opened.post(editing);
    await opened.page.getByRole('checkbox', { name: 'Restore 3 files' }).uncheck();
    await opened.page.getByRole('button', { name: 'Rewind', exact: true }).click();
    await opened.post({ type: 'editMessage', itemId: 'u2' });
    assert.equal(await opened.page.getByRole('checkbox').count(), 0);
    await box(opened).press('Enter');
    const restores = (await posted(opened, 'sendFrom')).map((message) => message.type === 'sendFrom' && message.restores);
    assert.deepEqual(restores, [false, false]);
    await opened.close();
  });

  test('Escape leaves it as it was, and returns the focus to the message', async () => {
    const opened = await host.open({ view });
    for (const leave of ['Escape', 'Cancel']) {
      await opened.post(editing);
      await box(opened).fill('something else');
      if (leave === 'Escape') await box(opened).press('Escape');
      else await opened.page.getByRole('button', { name: 'Cancel' }).click();
      assert.equal(await box(opened).count(), 0);
      const message = opened.page.getByRole('article', { name: 'You' }).first();
      assert.match((await message.textContent()) ?? '', /make the parser tolerant/);
      assert.equal(await message.evaluate((element) => element === document.activeElement), true);
    }
    assert.deepEqual(await posted(opened, 'sendFrom'), []);
    await opened.close();
  });

  test('an empty text is sent only with attachments', async () => {
    const opened = await host.open({ view });
    for (const itemId of ['u2', 'u1']) {
      await opened.post({ type: 'editMessage', itemId });
      await box(opened).fill(' ');
      await box(opened).press('Enter');
      if (itemId === 'u2') await box(opened).press('Escape');
    }
    assert.deepEqual(await posted(opened, 'sendFrom'), [{ type: 'sendFrom', itemId: 'u1', text: '', restores: false }]);
    await opened.close();
  });

  test('it stays in sight at the end of a conversation, and below that nothing is missed', async () => {
    const opened = await host.open({ view, width: 300, height: 420 });
    await opened.post({ ...editing, itemId: 'u2' });
    await nextFrames(opened.page);
    for (const part of [box(opened), opened.page.getByRole('button', { name: 'Cancel' })]) await assertOnScreen(part);
    await opened.post(editing);
    await nextFrames(opened.page);
    await assertOnScreen(box(opened).first());
    await opened.close();
    const short = await host.open({ view });
    await short.post(editing);
    await nextFrames(short.page);
    assert.equal(await short.page.getByRole('button', { name: 'Jump to latest' }).count(), 0);
    await short.close();
  });

  test('its buttons are in sight in a low view', async () => {
    const opened = await host.open({ view, width: 260, height: 260 });
    await opened.post(editing);
    await nextFrames(opened.page);
    for (const name of ['Rewind', 'Cancel']) await assertOnScreen(opened.page.getByRole('button', { name, exact: true }));
    await opened.close();
  });

  test('what was written survives that the page is hidden, until the message is left', async () => {
    const opened = await host.open({ view });
    await opened.post(editing);
    await box(opened).fill('half a thought');
    await opened.page.reload();
    await opened.message('ready');
    await opened.post({ type: 'snapshot', revision: 1, view });
    assert.deepEqual(await opened.message('action'), { type: 'action', action: 'editMessage', itemId: 'u1' });
    await opened.post(editing);
    assert.equal(await box(opened).inputValue(), 'half a thought');
    await opened.page.getByRole('checkbox', { name: 'Restore 3 files' }).waitFor();
    await box(opened).press('Escape');
    await opened.page.reload();
    await opened.message('ready');
    await opened.post({ type: 'snapshot', revision: 1, view });
    await opened.page.getByRole('article', { name: 'You' }).first().waitFor();
    assert.deepEqual(await posted(opened, 'action'), []);
    await opened.close();
  });

  test('while its editor is loading, the conversation goes on, and another one has no part of it', async () => {
    const opened = await host.open({ ownPage: true });
    await opened.snapshot(view, '', 'one');
    const held = new Map<string, () => void>();
    await opened.page.route('**/messageEdit-*.js', (route) => held.set('editor', () => void route.continue()));
    const asked = opened.page.waitForRequest('**/messageEdit-*.js');
    await opened.page.evaluate((message) => window.deliver(message), editing);
    await asked;
    await opened.patch({ op: 'item', item: userItem('u3', 'sent meanwhile') });
    await opened.page.getByText('sent meanwhile').waitFor();
    await opened.snapshot(view, '', 'two');
    const loaded = opened.page.waitForResponse('**/messageEdit-*.js');
    held.get('editor')?.();
    await (await loaded).finished();
    await opened.post({ type: 'editMessage', itemId: 'u2' });
    assert.deepEqual(
      await opened.page
        .getByRole('textbox', { name: 'Edit message' })
        .evaluateAll((boxes) => boxes.map((one) => one instanceof HTMLTextAreaElement && one.value)),
      ['and the changelog'],
    );
    await opened.assertClean();
    await opened.close();
  });

  test('one above the visible part is scrolled to, even if it was not drawn yet', async () => {
    const items = Array.from({ length: 200 }, (_, index) => userItem(`m${index}`, `message ${index}`));
    const opened = await host.open({ view: emptyView({ items }), height: 500 });
    await opened.post({ type: 'editMessage', itemId: 'm3' });
    await assertOnScreen(box(opened));
    assert.equal(await box(opened).inputValue(), 'message 3');
    await opened.close();
  });
});

describe('Escape twice in the composer', () => {
  test('lists the messages if the composer is empty and nothing runs', async () => {
    const opened = await host.open({ view });
    await composer(opened).fill('draft');
    for (let presses = 0; presses < 2; presses++) await composer(opened).press('Escape');
    await composer(opened).fill('');
    await composer(opened).press('Escape');
    await composer(opened).press('ArrowLeft');
    await composer(opened).press('Escape');
    assert.deepEqual(await posted(opened, 'action'), []);
    await composer(opened).press('Escape');
    assert.deepEqual(await posted(opened, 'action'), [{ type: 'action', action: 'rewind' }]);
    await opened.close();
  });

  test('is two presses, not one that is held', async () => {
    const opened = await host.open({ view });
    await composer(opened).focus();
    await opened.page.keyboard.down('Escape');
    await opened.page.keyboard.down('Escape');
    await opened.page.keyboard.up('Escape');
    await composer(opened).press('Shift+Escape');
    assert.deepEqual(await posted(opened, 'action'), []);
    await opened.close();
  });

  test('does nothing during a turn', async () => {
    const busy = emptyView({ composer: { ...emptyView().composer, busy: true } });
    const opened = await host.open({ view: busy });
    for (let presses = 0; presses < 2; presses++) await composer(opened).press('Escape');
    assert.deepEqual(await posted(opened, 'action'), []);
    await opened.close();
  });
});
