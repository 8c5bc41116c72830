/** Text that the user has not saved, in a workbench: before a message is sent, and while an agent changes its file. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { reportFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

const notes = 'one\ntwo\nthree\nfour\nfive\n';

describe('unsaved text in a workbench, with the demo agent', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: { 'notes.txt': notes, 'other.txt': notes },
      machineSettings: { 'acpHost.defaultMode': 'auto' },
      userSettings: { 'files.autoSave': 'off', 'acpHost.saveFilesBeforePrompt': 'ask' },
    });
  });
  after(() => workbench.close());

  const textOf = (name: string): Promise<string> => readFile(path.join(workbench.folder, name), 'utf8');
  const lines = (): Locator => workbench.page.locator('.editor-instance .view-lines').last();
  /** Types at the end of the file that is open. */
  const type = async (text: string): Promise<void> => {
    await lines().getByText('five').click();
    await workbench.press('Control+End', ...text);
    await lines().getByText(text).waitFor();
  };
  const answer = async (label: string, name = 'notes.txt'): Promise<void> => {
    const dialog = workbench.page.getByRole('dialog').filter({ hasText: `${name} has unsaved changes` });
    await dialog.waitFor();
    if (label === 'Save and Send') await workbench.screenshot('unsaved-question');
    await dialog.getByRole('button', { name: label, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  };

  it('is saved before the message that names its file is sent, if the user says so', async () => {
    const chat = await workbench.newSession();
    await workbench.openFile('notes.txt');
    await lines().getByText('five').waitFor();
    await type('mine');
    await chat.send('edit other.txt one => ONE');
    await answer('Cancel');
    await chat.messageIs('edit other.txt one => ONE');
    assert.deepEqual([await textOf('notes.txt'), await textOf('other.txt')], [notes, notes]);
    await chat.message.press('Enter');
    await answer('Save and Send');
    await chat.conversation.locator('.turn-end').getByRole('button', { name: '1 file +1 −1' }).waitFor();
    assert.deepEqual([await textOf('notes.txt'), await textOf('other.txt')], [`${notes}mine`, notes.replace('one', 'ONE')]);
  });

  it('is named while its file on disk is another one, and compared with it', async () => {
    const chat = await workbench.newSession();
    await type('more');
    await chat.send('edit notes.txt two => TWO');
    await answer('Send Anyway');
    const text = 'notes.txt was changed under your unsaved text';
    await chat.frame.getByRole('region', { name: text }).waitFor();
    await workbench.screenshot('unsaved-changed');
    const line = chat.frame.getByRole('region', { name: text });
    await line.getByRole('button', { name: 'Compare' }).click();
    await workbench.page.getByRole('tab', { name: /notes\.txt \(in file\)/ }).waitFor();
    await workbench.page.locator('.editor.original .view-lines').getByText('TWO').waitFor();
    await workbench.screenshot('unsaved-compared');
    await workbench.closeTab(/notes\.txt \(in file\)/);
    await workbench.page.locator('.editor.original').waitFor({ state: 'detached' });
    assert.equal(await line.count(), 1);
    await workbench.openFile('notes.txt');
    await workbench.command('File: Revert File');
    await lines().getByText('TWO').waitFor();
    await line.waitFor({ state: 'detached' });
    // What is typed now is on top of what the agent wrote.
    await type('again');
    await chat.send('edit other.txt two => TWO');
    await answer('Send Anyway');
    await chat.conversation.locator('.turn-end').last().getByRole('button', { name: '1 file +1 −1' }).waitFor();
    assert.equal(await line.count(), 0);
    await workbench.command('File: Save');
  });

  it('is saved without a question after an undo of what was changed under it', async () => {
    const chat = await workbench.newSession();
    await type('later');
    await chat.send('edit notes.txt three => THREE');
    await answer('Send Anyway');
    const line = chat.frame.getByRole('region', { name: 'notes.txt was changed under your unsaved text' });
    await line.waitFor();
    await chat.conversation.locator('.turn-end').getByRole('button', { name: 'Undo', exact: true }).click();
    await workbench.page.locator('.notification-toast').getByText('Undid the changes in notes.txt').waitFor();
    await line.waitFor({ state: 'detached' });
    await lines().getByText('later').click();
    await workbench.press('Control+s');
    await workbench.page.locator('.tabs-container .tab.dirty').waitFor({ state: 'detached' });
    const text = await textOf('notes.txt');
    assert.match(text, /TWO\nthree\nfour\nfive\n.*later/);
    await workbench.command('Notifications: Clear All Notifications');
  });

  it('stays after an undo of what a command wrote under it, and its file is as before', async () => {
    const chat = await workbench.newSession();
    await workbench.openFile('other.txt');
    await type('own');
    const before = await textOf('other.txt');
    // No tool call names the file.
    await chat.send('run sed -i s/four/FOUR/ oth*');
    await answer('Send Anyway', 'other.txt');
    await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
    const end = chat.conversation.locator('.turn-end');
    await end.getByRole('button', { name: '1 file +1 −1' }).waitFor();
    assert.equal(await textOf('other.txt'), before.replace('four', 'FOUR'));
    await end.getByRole('button', { name: 'Undo', exact: true }).click();
    await workbench.page.locator('.notification-toast').getByText('Undid the changes in other.txt').waitFor();
    assert.equal(await textOf('other.txt'), before);
    await workbench.page.locator('.tabs-container .tab.active.dirty').getByText('other.txt').waitFor();
    await lines().getByText('own').click();
    await workbench.press('Control+s');
    await workbench.page.locator('.tabs-container .tab.active.dirty').waitFor({ state: 'detached' });
    assert.match(await textOf('other.txt'), /TWO\nthree\nfour\nfive\n?own/);
    await workbench.command('Notifications: Clear All Notifications');
  });

  it('does not keep a line from leading to the turn that wrote it', async () => {
    const chat = await workbench.newSession();
    await chat.send('say something else');
    await chat.conversation.locator('.turn-end').waitFor();
    await workbench.openFile('notes.txt');
    await lines().getByText('TWO').click();
    await workbench.command('ACP Host: Show Turn That Wrote This Line');
    await chat.conversation.getByRole('article', { name: 'You' }).getByText('edit notes.txt two => TWO').waitFor();
    await workbench.openFile('notes.txt');
    await lines().getByText('one').click();
    await workbench.command('ACP Host: Show Turn That Wrote This Line');
    await workbench.page.locator('.notification-toast').getByText('No recorded turn of an agent wrote line 1 of notes.txt').waitFor();
  });
});
