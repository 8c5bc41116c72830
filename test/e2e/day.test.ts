/** A day in one window: first at the keyboard, without a mouse, from the editor to the chat, its requests, and back; then requests with the mouse. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

describe('a day in a workbench', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  let chat: Chat;
  before(async () => {
    workbench = await Workbench.open({
      files: { 'lines.txt': 'one\ntwo\nthree\n', 'other.txt': 'other\n', 'notes.txt': 'one\n', 'README.md': '# Sample\n' },
    });
  });
  after(() => workbench.close());

  describe('at the keyboard', () => {
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
      await openByName('lines.txt');
      await press('Control+Alt+j');
      chat = await workbench.pageIn('sidebar');
      await inChat();
      await chat.button('Leave out lines.txt').waitFor();
      await press('Control+Alt+j');
      await inEditor();
      await press('Control+Home', 'Shift+ArrowDown', 'Shift+ArrowDown');
      await chat.button('Leave out lines.txt:1–2').waitFor();
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
      await openByName('lines.txt');
      await press('Control+Home', 'Shift+ArrowDown', 'Shift+ArrowDown', 'Control+Alt+k');
      await inChat();
      await chat.button('Remove lines.txt:1–2').waitFor();
      assert.equal(await chat.button('Leave out lines.txt:1–2').count(), 0, 'the selection is attached once');
      await say('list');
      await chat.conversation.getByText('lines.txt:1–2').first().waitFor();
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
      await chat.button('Remove lines.txt:1–2').waitFor();
      assert.equal(await chat.button('Leave out lines.txt:1–2').count(), 0, 'the selection is attached once');
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
      await workbench.page.getByRole('tab', { name: 'lines.txt', selected: true }).waitFor();
    });
  });

  describe('requests of an agent', () => {
    before(() => workbench.command('View: Close All Editors'));
    beforeEach(async () => {
      chat = await workbench.newSession();
    });

    it('a request shows the command, the status bar says that input is needed, and the command runs when allowed', async () => {
      await chat.send('run echo from-the-command');
      await chat.dialog.getByText('echo from-the-command').first().waitFor();
      await workbench.statusSays(/needs input/);
      await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
      await chat.dialog.waitFor({ state: 'hidden' });
      await chat.conversation.getByText('exited with code 0').waitFor();
      await workbench.statusSays(/ready/);
    });

    it('a rejected command does not run', async () => {
      await chat.send('run echo never > ran.txt');
      await chat.dialog
        .getByRole('button', { name: /Reject/ })
        .first()
        .click();
      await chat.button('Send').waitFor();
      await assert.rejects(readFile(path.join(workbench.folder, 'ran.txt')), { code: 'ENOENT' });
    });

    it('a request names the file to be changed, which changes only when allowed', async () => {
      await chat.send('edit notes.txt one => two');
      await chat.dialog.getByText('notes.txt').first().waitFor();
      assert.equal(await readFile(path.join(workbench.folder, 'notes.txt'), 'utf8'), 'one\n');
      await chat.dialog.getByRole('button', { name: 'Review' }).click();
      await workbench.closeTab(/notes\.txt \(proposed\)/);
      await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
      await chat.conversation.getByRole('group', { name: /notes\.txt.*done/ }).waitFor();
      assert.equal(await readFile(path.join(workbench.folder, 'notes.txt'), 'utf8'), 'two\n');
    });

    it('a command whose request is dismissed does not run', async () => {
      await chat.send('run echo never > ran.txt');
      await chat.dismiss();
      await chat.button('Send').waitFor();
      await assert.rejects(readFile(path.join(workbench.folder, 'ran.txt')), { code: 'ENOENT' });
    });

    it('free text, a single choice and multiple choices reach the agent', async () => {
      await chat.send('ask');
      await chat.dialog.getByRole('textbox', { name: 'Answer' }).fill('forty-two');
      await chat.dialog.getByRole('button', { name: 'Submit' }).click();
      await chat.conversation.getByText('You answered: forty-two').waitFor();
      await chat.send('ask one');
      await chat.dialog.getByRole('radio', { name: 'Autumn' }).check();
      await chat.dialog.getByRole('button', { name: 'Submit' }).click();
      await chat.conversation.getByText('You answered: Autumn').waitFor();
      await chat.send('ask many');
      await chat.dialog.getByRole('checkbox', { name: 'Water' }).check();
      await chat.dialog.getByRole('checkbox', { name: 'Tea' }).check();
      await chat.dialog.getByRole('button', { name: 'Submit' }).click();
      await chat.conversation.getByText('You answered: Water, Tea').waitFor();
    });

    it('the tab of a conversation is marked as long as the conversation needs input', async () => {
      await workbench.command('ACP Host: Open Chat in Editor');
      const inTab = await workbench.pageOfTab('New conversation');
      await inTab.send('run echo marked');
      await inTab.dialog.getByText('echo marked').first().waitFor();
      await workbench.tabLooks(/^run echo marked/, 'panel-waiting-');
      await workbench.screenshot('tab-needs-input');
      await inTab.dialog.getByRole('button', { name: /Allow once/ }).click();
      await inTab.conversation.getByText('exited with code 0').waitFor();
      await workbench.tabLooks(/^run echo marked/, 'panel-light');
      await workbench.closeTab(/^run echo marked/);
    });

    it('a request that arrives out of sight opens in the chat view, without taking the keyboard focus or half of the editor', async () => {
      await workbench.openFile('README.md');
      await chat.send('run until [ -e go ]; do sleep 0.1; done');
      await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
      await chat.dialog.waitFor({ state: 'hidden' });
      await chat.send('run echo hidden');
      await chat.frame.getByRole('region', { name: 'Queued messages' }).getByText('run echo hidden').waitFor();
      await workbench.toggleSideBar();
      await workbench.page.locator('.part.sidebar').waitFor({ state: 'hidden' });
      await workbench.page.locator('.monaco-editor').first().click();
      await writeFile(path.join(workbench.folder, 'go'), '');
      // The side bar comes back, with a new frame.
      chat = await workbench.pageIn('sidebar');
      await chat.dialog.getByText('echo hidden').first().waitFor();
      await workbench.page.locator('.part.editor .monaco-editor.focused').waitFor();
      assert.equal(await workbench.page.locator('.editor-group-container').count(), 1);
      await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
      await chat.conversation.getByText('exited with code 0').last().waitFor();
    });

    it('a new conversation stays in the chat view while the one before needs input', async () => {
      await chat.send('run echo left');
      await chat.dialog.waitFor();
      const other = await workbench.newSession();
      await workbench.statusSays(/needs input/);
      await other.send('help');
      await other.conversation.getByText('help').first().waitFor();
      await other.button('Send').waitFor();
      assert.equal(await other.dialog.isVisible(), false);
      await workbench.row(/^run echo left, needs input/).click();
      await other.dialog.getByRole('button', { name: /Allow once/ }).click();
      await other.conversation.getByText('exited with code 0').waitFor();
    });

    it('a request opens in the other half of a split editor if no chat is visible, without taking the keyboard focus', async () => {
      await workbench.openFile('README.md');
      await workbench.splitEditor();
      await chat.send('run echo beside');
      await chat.dialog.waitFor();
      await workbench.toggleSideBar();
      await workbench.page.locator('.monaco-editor').first().click();
      const panel = await workbench.pageOfTab('Pending Requests');
      await panel.dialog.getByText('echo beside').first().waitFor();
      await workbench.page.keyboard.type('typed');
      await workbench.page.locator('.view-lines').getByText('typed').waitFor();
      await panel.dialog.getByRole('button', { name: /Allow once/ }).click();
      await workbench.promptTab.waitFor({ state: 'hidden' });
      await workbench.statusSays(/ready/);
      chat = await workbench.openChat();
      await chat.conversation.getByText('exited with code 0').waitFor();
    });

    it('a panel behind a file comes to the front for another request, beside the file', async () => {
      await workbench.splitEditor();
      await chat.send('run echo first');
      await chat.dialog.waitFor();
      const other = await workbench.newSession();
      await (await workbench.pageOfTab('Pending Requests')).dialog.getByText('echo first').first().waitFor();
      await workbench.openFile('README.md');
      await workbench.promptTab.waitFor();
      await other.send('run echo second');
      await other.dialog.waitFor();
      await workbench.toggleSideBar();
      const panel = await workbench.pageOfTab('Pending Requests');
      await panel.dialog.waitFor();
      await workbench.page.locator('.view-lines').getByText('Sample').waitFor();
      for (const _ of ['first', 'second']) await panel.dialog.getByRole('button', { name: /Allow once/ }).click();
      await workbench.promptTab.waitFor({ state: 'hidden' });
      chat = await workbench.openChat();
      await workbench.closeTab(/README/);
    });

    it('closing the panel leaves the request open, and it can be answered in the chat', async () => {
      await workbench.splitEditor();
      await chat.send('run echo both');
      await chat.dialog.waitFor();
      await workbench.toggleSideBar();
      await (await workbench.pageOfTab('Pending Requests')).dialog.waitFor();
      chat = await workbench.openChat();
      await chat.dialog.waitFor();
      await workbench.closePromptPanel();
      await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
      await chat.conversation.getByText('exited with code 0').waitFor();
    });

    it('Stop closes the open request and ends the turn', async () => {
      await chat.send('run echo never');
      await chat.dialog.waitFor();
      await chat.stop.click();
      await chat.dialog.waitFor({ state: 'hidden' });
      await chat.conversation.getByText(/^Stopped( ·|$)/).waitFor();
    });
  });
});
