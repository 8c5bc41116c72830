/** An agent that reads and writes files through a real editor. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { root, Workbench } from './support/workbench.js';

describe('files that an agent reads and writes through the editor', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: { 'notes.txt': 'one\n', 'other.txt': 'one\n' },
      userSettings: { 'files.autoSave': 'off', 'files.insertFinalNewline': false, 'acpHost.saveFilesBeforePrompt': 'off' },
      machineSettings: {
        'acpHost.agents': {
          through: { label: 'Through', command: process.execPath, args: [path.join(root, 'test/agents/worksThroughHost.mjs')] },
        },
        'acpHost.defaultAgent': 'through',
      },
    });
  });
  after(() => workbench.close());

  const onDisk = (name: string): Promise<string> => readFile(path.join(workbench.folder, name), 'utf8');
  const shown = (text: string): Promise<void> => workbench.page.locator('.editor-instance .view-lines').getByText(text).waitFor();
  const answered = (chat: Chat, text: string): Promise<void> => chat.conversation.getByText(text).last().waitFor();
  async function type(text: string): Promise<void> {
    await workbench.page.locator('.editor-instance .view-lines').click();
    await workbench.press('Control+Home');
    await workbench.page.keyboard.type(text);
    await shown(text);
  }

  it('have the unsaved text; what the agent writes is saved, and one step to undo', async () => {
    const chat = await workbench.newSession();
    await workbench.openFile('notes.txt');
    await type('typed');
    await chat.send('read notes.txt');
    await answered(chat, 'It has: typedone');
    assert.equal(await onDisk('notes.txt'), 'one\n');
    await chat.send('write notes.txt mine');
    await answered(chat, 'It has: what I wrote');
    await shown('mine');
    assert.equal(await onDisk('notes.txt'), 'mine');
    await workbench.page.locator('.editor-instance .view-lines').click();
    await workbench.press('Control+z');
    await shown('typedone');
    await workbench.command('File: Revert File');
  });

  it('are not replaced while they have text that the agent has not read, unless the user allows it', async () => {
    const chat = await workbench.newSession();
    await workbench.openFile('other.txt');
    await type('new ');
    await chat.send('write other.txt mine');
    await chat.dialog.getByRole('button', { name: 'Reject once' }).click();
    await answered(chat, 'Refused: The user did not allow this');
    await shown('new one');
    assert.equal(await onDisk('other.txt'), 'one\n');
    await chat.send('write other.txt mine');
    await chat.dialog.getByRole('button', { name: 'Allow Anyway' }).click();
    await answered(chat, 'It has: what I wrote');
    await shown('mine');
    assert.equal(await onDisk('other.txt'), 'mine');
  });

  it('outside of the folder are opened only after a question', async () => {
    const chat = await workbench.newSession();
    await chat.send('read ../../../etc/hostname');
    await chat.dialog.getByText('Outside the folder').waitFor();
    await workbench.screenshot('agent-files-outside');
    await chat.dialog.getByRole('button', { name: 'Reject once' }).click();
    await answered(chat, 'Refused: The user did not allow this');
  });
});
