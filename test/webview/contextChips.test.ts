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

  test('context chips can be removed', async () => {
    const opened = await openChat({ composer: composer({ chips: [{ id: 'c1', label: 'a.ts:1–4', title: 'Selection' }] }) });
    await opened.page.getByRole('button', { name: 'Remove a.ts:1–4' }).click();
    assert.deepEqual(await opened.message('removeChip'), { type: 'removeChip', id: 'c1' });
    await opened.close();
  });
});
