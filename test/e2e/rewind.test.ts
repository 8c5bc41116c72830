/** Going back to a message in a workbench: to edit it, and to restore the files from before it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

const limit = 'export const limit = 1;\n';

describe('going back to a message in a workbench, with the demo agent', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: { 'src/parser.ts': limit, 'notes.txt': 'one\n' },
      machineSettings: { 'acpHost.defaultMode': 'auto' },
    });
  });
  after(() => workbench.close());

  const textOf = (name: string): Promise<string | undefined> => readFile(path.join(workbench.folder, name), 'utf8').catch(() => undefined);
  const messages = (chat: Chat): Locator => chat.conversation.getByRole('article', { name: 'You' });
  const edited = (chat: Chat): Locator => chat.conversation.getByRole('textbox', { name: 'Edit message' });
  const composer = (chat: Chat): Locator => chat.frame.getByRole('textbox', { name: 'Message', exact: true });
  const toast = (text: string): Locator => workbench.page.locator('.notification-toast').filter({ hasText: text });
  const turnEnds = (chat: Chat, counts: string): Promise<void> =>
    chat.conversation.locator('.turn-end').last().getByRole('button', { name: counts }).waitFor();

  it('edits it in place, and sends it from there with the files as they were', async () => {
    const chat = await workbench.newSession();
    await chat.send('say first');
    await messages(chat).getByText('say first').waitFor();
    await chat.send('write src/new.txt hello');
    await turnEnds(chat, '1 file +1 −0');
    await chat.send('edit src/parser.ts 1 => 2');
    await turnEnds(chat, '1 file +1 −1');
    await messages(chat).nth(1).press('F2');
    assert.equal(await edited(chat).inputValue(), 'write src/new.txt hello');
    const restores = chat.conversation.getByRole('checkbox', { name: 'Restore 2 files' });
    assert.equal(await restores.isChecked(), true);
    await edited(chat).press('End');
    const hiddenPixels = await edited(chat).evaluate(
      (box) => (box.closest('.scroller')?.getBoundingClientRect().top ?? 0) - box.getBoundingClientRect().top,
    );
    assert.ok(hiddenPixels <= 0, `${hiddenPixels} px of the message are above the visible part`);
    await workbench.screenshot('message-edit');
    await edited(chat).fill('write src/other.txt hello');
    await edited(chat).press('Enter');
    await chat.conversation.getByText('Demo agent continued here').waitFor();
    await turnEnds(chat, '1 file +1 −0');
    assert.deepEqual(await messages(chat).count(), 2);
    const files = await Promise.all(['src/new.txt', 'src/parser.ts', 'src/other.txt'].map(textOf));
    assert.deepEqual(files, [undefined, limit, 'hello\n']);
    await toast('Undid the changes in 2 files').waitFor();
    await workbench.command('Notifications: Clear All Notifications');
    // The other conversation has everything as before.
    await workbench.command('ACP Host: Show History');
    await workbench.quickInput
      .getByRole('option', { name: /say first/ })
      .nth(1)
      .waitFor();
    await workbench.press('Escape');
  });

  it('restores the files before it, after a look at their list, and makes the changes again', async () => {
    const chat = await workbench.newSession();
    await chat.send('edit notes.txt one => two');
    await turnEnds(chat, '1 file +1 −1');
    await chat.send('write src/third.txt hello');
    await turnEnds(chat, '1 file +1 −0');
    await messages(chat).first().hover();
    await messages(chat).first().getByRole('button', { name: 'Restore files to here' }).click();
    await workbench.quickInput.getByRole('checkbox', { name: 'third.txt, src/' }).click();
    await workbench.screenshot('restore-files');
    await workbench.press('Enter');
    const undone = toast('Undid the changes in notes.txt');
    await undone.waitFor();
    assert.deepEqual(await Promise.all(['notes.txt', 'src/third.txt'].map(textOf)), ['one\n', 'hello\n']);
    assert.equal(await messages(chat).count(), 2);
    await undone.getByRole('button', { name: 'Redo' }).click();
    await chat.conversation.locator('.turn-end').first().getByRole('button', { name: 'Undo', exact: true }).waitFor();
    assert.equal(await textOf('notes.txt'), 'two\n');
  });

  it('lists the messages after Escape is pressed twice, and edits the chosen one', async () => {
    const chat = await workbench.newSession();
    for (const words of ['say one', 'say two']) {
      await chat.send(words);
      await chat.conversation
        .locator('.turn-end')
        .nth(words === 'say one' ? 0 : 1)
        .waitFor();
    }
    await composer(chat).press('Escape');
    await composer(chat).press('Escape');
    const rows = workbench.quickInput.getByRole('option');
    await rows.first().waitFor();
    await rows.nth(0).getByText('say two').waitFor();
    await rows.nth(1).getByText('say one').waitFor();
    await workbench.pick('say one');
    await edited(chat).waitFor();
    assert.equal(await edited(chat).inputValue(), 'say one');
    await edited(chat).press('Escape');
    await edited(chat).waitFor({ state: 'detached' });
  });
});
