/** The context of a message: what is attached to it, and the open file that follows the user. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ChatView, ComposerView } from '../../src/contract/view.js';
import type { OpenPage } from './harness.js';
import { hostForTests } from './pageTests.js';
import { emptyView } from './views.js';

const host = hostForTests();

const composer = (changes: Partial<ComposerView> = {}): ComposerView => ({ ...emptyView().composer, ...changes });
const openChat = (changes: Partial<ChatView> = {}): Promise<OpenPage> => host.open({ view: emptyView(changes) });

const onePixel = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index}`).join('\n');
/** @returns once the page has handled it; a page gets no text from a clipboard of the system here */
const paste = ({ page }: OpenPage, text: string): Promise<void> =>
  page.getByRole('textbox', { name: 'Message' }).evaluate((element, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);

describe('the context of a message', () => {
  test('the chip of the open file is left out and included, and keeps its place and the focus when another file is opened', async () => {
    const chip = (label: string, follows: 'sent' | 'leftOut') => ({ id: label, label, title: label, follows });
    const opened = await openChat({ composer: composer({ chips: [chip('a.ts:1–4', 'sent')] }) });
    await opened.page.getByRole('button', { name: 'Leave out a.ts:1–4' }).click();
    assert.deepEqual(await opened.message('action'), { type: 'action', action: 'toggleOpenFile' });
    await opened.patch({ op: 'composer', composer: composer({ chips: [chip('b.ts', 'leftOut')] }) });
    const include = opened.page.getByRole('button', { name: 'Include b.ts' });
    await include.waitFor();
    assert.equal(await include.evaluate((button) => button === document.activeElement), true);
    await opened.close();
  });

  test('a picture is shown in its chip', async () => {
    const chip = { id: 'file:///pasted.png', label: 'Image', title: 'Pasted image', holds: 'picture' } as const;
    const opened = await openChat({ composer: composer({ chips: [chip] }) });
    assert.deepEqual(await opened.message('loadImage'), { type: 'loadImage', path: chip.id });
    await opened.post({ type: 'image', path: chip.id, data: onePixel });
    const picture = opened.page.getByRole('button', { name: 'Open Image' }).locator('img');
    await picture.waitFor();
    await opened.patch({ op: 'composer', composer: composer({ chips: [{ id: 'c', label: 'a.ts', title: 'a.ts' }, chip] }) });
    assert.equal(await picture.evaluate((node) => node instanceof HTMLImageElement && node.complete && node.naturalWidth), 1);
    assert.equal((await opened.messages()).filter(({ type }) => type === 'loadImage').length, 1);
    await opened.assertClean();
    await opened.close();
  });

  test('more than 20 pasted lines or 5,000 characters become a chip, which can be sent alone and unfolded', async () => {
    const opened = await openChat();
    await paste(opened, lines(20));
    await paste(opened, 'x'.repeat(5_000));
    assert.equal(
      (await opened.messages()).some(({ type }) => type === 'addText'),
      false,
    );
    const long = 'x'.repeat(5_001);
    await paste(opened, long);
    await paste(opened, lines(400));
    assert.deepEqual(
      (await opened.messages()).filter(({ type }) => type === 'addText'),
      [long, lines(400)].map((text) => ({ type: 'addText', text })),
    );
    await opened.page.getByRole('textbox', { name: 'Message' }).press('Enter');
    const chip = { id: 'p', label: 'Pasted text · 400 lines', title: 'line 0', holds: 'pastedText' } as const;
    await opened.patch({ op: 'composer', composer: composer({ chips: [chip] }) });
    await opened.page.getByRole('button', { name: 'Unfold Pasted text · 400 lines' }).click();
    assert.deepEqual(await opened.message('openChip'), { type: 'openChip', id: 'p' });
    assert.equal(
      (await opened.messages()).some(({ type }) => type === 'send'),
      false,
    );
    await opened.page.getByRole('button', { name: 'Send' }).click();
    assert.deepEqual({ ...(await opened.message('send')), id: '' }, { type: 'send', id: '', text: '' });
    await opened.assertClean();
    await opened.close();
  });

  test('notes of a review are one chip, which can be opened, sent alone and removed', async () => {
    const chip = { id: 'notes', label: '2 notes', title: 'Sent with your next message:\nUndone: a.ts 2', holds: 'notes' } as const;
    const opened = await openChat({ composer: composer({ chips: [chip] }) });
    await opened.page.getByRole('button', { name: 'Open 2 notes' }).click();
    assert.deepEqual(await opened.message('openChip'), { type: 'openChip', id: 'notes' });
    await opened.page.getByRole('button', { name: 'Send' }).click();
    assert.deepEqual({ ...(await opened.message('send')), id: '' }, { type: 'send', id: '', text: '' });
    await opened.page.getByRole('button', { name: 'Remove 2 notes' }).click();
    assert.deepEqual(await opened.message('removeChip'), { type: 'removeChip', id: 'notes' });
    await opened.assertClean();
    await opened.close();
  });

  test('a long name loses its middle, and never its ending', async () => {
    const label = `${'Very'.repeat(30)}.test.ts:10–20`;
    const opened = await openChat({ composer: composer({ chips: [{ id: 'c', label, title: label, follows: 'leftOut' }] }) });
    const chip = opened.page.getByRole('button', { name: `Open ${label}` });
    const [shown, ending] = await chip.evaluate((button) => {
      const range = document.createRange();
      range.selectNode(button.lastChild ?? button);
      return [button.getBoundingClientRect().right, { text: range.toString(), right: range.getBoundingClientRect().right }] as const;
    });
    assert.equal(ending.text, '.test.ts:10–20');
    assert.ok(ending.right <= shown, `${ending.right} is beyond ${shown}`);
    assert.equal(await chip.textContent(), label);
    await opened.assertClean();
    await opened.close();
  });

  test('context chips can be removed', async () => {
    const opened = await openChat({ composer: composer({ chips: [{ id: 'c1', label: 'a.ts:1–4', title: 'Selection' }] }) });
    await opened.page.getByRole('button', { name: 'Remove a.ts:1–4' }).click();
    assert.deepEqual(await opened.message('removeChip'), { type: 'removeChip', id: 'c1' });
    await opened.close();
  });
});
