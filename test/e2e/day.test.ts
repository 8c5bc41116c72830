/** A day at the keyboard, without a mouse: from the editor to the chat, its requests, and back. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

describe('a day at the keyboard, in a workbench', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  let chat: Chat;
  before(async () => {
    workbench = await Workbench.open({ files: { 'notes.txt': 'one\ntwo\nthree\n', 'other.txt': 'other\n' } });
  });
  after(() => workbench.close());

  const press = (...keys: readonly string[]): Promise<void> => workbench.press(...keys);
  /** Waits until the message box has the keyboard focus. */
  const inChat = (): Promise<void> => chat.frame.locator('textarea.message:focus').waitFor();
  const inEditor = (): Promise<void> => workbench.page.locator('.part.editor .monaco-editor.focused').waitFor();
  const openByName = async (name: string): Promise<void> => {
    await press('Control+p');
    await workbench.quickInput.locator('input:focus').first().waitFor();
    await workbench.page.keyboard.type(name);
    // Enter opens this row, which is another one until the list is filtered.
    await workbench.quickInput.locator('.monaco-list-row.focused').getByText(name).first().waitFor();
    await press('Enter');
    await workbench.page.getByRole('tab', { name, selected: true }).waitFor();
    await inEditor();
  };
  /** Presses the digit until the request is answered, because it ignores keys for a moment after it appears. */
  const choose = async (digit: string): Promise<void> => {
    await chat.dialog.waitFor();
    for (let presses = 0; await chat.dialog.isVisible(); presses += 1) {
      assert.ok(presses < 20, 'the request is not answered by its digit');
      await press(digit);
      await chat.dialog.waitFor({ state: 'hidden', timeout: 500 }).catch(() => undefined);
    }
  };
  const say = async (text: string): Promise<void> => {
    await workbench.page.keyboard.type(text);
    await chat.messageIs(text);
    await press('Enter');
  };

  it('the chip in the message box is the open file, then what is selected in it, and one key leaves it out', async () => {
    await openByName('notes.txt');
    await press('Control+Alt+j');
    chat = await workbench.pageIn('sidebar');
    await inChat();
    await chat.button('Leave out notes.txt').waitFor();
    await press('Control+Alt+j');
    await inEditor();
    await press('Control+Home', 'Shift+ArrowDown', 'Shift+ArrowDown');
    await chat.button('Leave out notes.txt:1–2').waitFor();
    await openByName('other.txt');
    await chat.button('Leave out other.txt').waitFor();
    await press('Control+Alt+j');
    await inChat();
    // VS Code learns from the page that the chat has the focus, and ignores the key until then.
    for (let presses = 0; await chat.button('Leave out other.txt').isVisible(); presses += 1) {
      assert.ok(presses < 10, 'the key does not leave the file out');
      await press('Control+Alt+f');
      await chat
        .button('Include other.txt')
        .waitFor({ timeout: 2_000 })
        .catch(() => undefined);
    }
    await say('help');
    await chat.conversation.getByText('attached files').or(chat.conversation.getByText('Commands')).first().waitFor();
    assert.equal(await chat.conversation.locator('.attachments').count(), 0);
    await press('Control+l');
    await chat.button('Leave out other.txt').waitFor();
    await inChat();
  });

  it('a selection goes to the chat with one key, with the message that follows', async () => {
    await openByName('notes.txt');
    await press('Control+Home', 'Shift+ArrowDown', 'Shift+ArrowDown', 'Control+Alt+k');
    await inChat();
    await chat.button('Remove notes.txt:1–2').waitFor();
    assert.equal(await chat.button('Leave out notes.txt:1–2').count(), 0, 'the selection is attached once');
    await say('list');
    await chat.conversation.getByText('notes.txt:1–2').first().waitFor();
    await chat.stop.waitFor({ state: 'hidden' });
  });

  it('a request is allowed, a message is queued, and the turn is stopped', async () => {
    await say('run echo first');
    await chat.dialog.getByText('echo first').first().waitFor();
    await choose('1');
    await chat.conversation.getByText('exited with code 0').waitFor();
    await chat.stop.waitFor({ state: 'hidden' });
    await inChat();
    await say('long 2000');
    await chat.stop.waitFor();
    await say('queued words');
    await chat.frame.getByText('queued words').first().waitFor();
    await press('Control+Escape');
    await chat.stop.waitFor({ state: 'hidden' });
    await chat.messageIs('queued words');
    // It came back with the lines that were sent with it, which are still selected.
    await chat.button('Remove notes.txt:1–2').waitFor();
    assert.equal(await chat.button('Leave out notes.txt:1–2').count(), 0, 'the selection is attached once');
    // The workbench selects all once more when it handles Control+A itself, which may be after the next letters.
    await press('Shift+Home', 'Delete');
    await chat.messageIs('');
  });

  it('the next request is one key away, in whichever conversation, and so is the editor', async () => {
    await say('run echo second');
    await chat.dialog.getByText('echo second').first().waitFor();
    await press('Control+l');
    await inChat();
    await press('Control+Alt+j');
    await inEditor();
    await workbench.statusSays(/needs/);
    await press('Control+Alt+u');
    await chat.dialog.getByText('echo second').first().waitFor();
    await choose('1');
    await chat.conversation.getByText('exited with code 0').last().waitFor();
    await inChat();
    await press('Control+Alt+j');
    await inEditor();
  });

  it('the keys lead from a tab of a conversation to the file that it covers, and back', async () => {
    await press('Control+Alt+j');
    await inChat();
    await workbench.command('ACP Host: Open Chat in Editor');
    const tab = await workbench.pageIn('editor');
    await tab.frame.locator('textarea.message:focus').waitFor();
    await press('Control+Alt+j');
    await inEditor();
    await workbench.page.getByRole('tab', { name: 'notes.txt', selected: true }).waitFor();
  });
});
