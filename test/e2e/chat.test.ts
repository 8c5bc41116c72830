import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { reportFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

describe('the chat in a workbench, with the demo agent', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: {
        'README.md': '# Sample\n',
        'src/parser.ts': 'export const limit = 1;\nexport const name = "parser";\n',
        'src/task.ts': 'export const count = 1;\n',
        'blob.bin': '\0\0\0\0',
      },
    });
  });
  after(() => workbench.close());

  it('the first message starts the agent', async () => {
    const chat = await workbench.newSession();
    await chat.send('list');
    await chat.conversation.getByText('README.md').waitFor();
    await chat.frame.getByText('ready').first().waitFor();
    await workbench.statusSays(/Demo agent.*ready/);
  });

  it('Stop ends a streaming answer', async () => {
    const chat = await workbench.newSession();
    await chat.send('long 2000');
    await chat.stop.waitFor();
    await workbench.statusSays(/Demo agent.*working/);
    await chat.stop.click();
    await chat.conversation.getByText(/^Stopped( ·|$)/).waitFor();
    await chat.button('Send').waitFor();
    await workbench.statusSays(/Demo agent.*ready/);
  });

  it('a message written while the agent works is sent after the turn', async () => {
    const chat = await workbench.newSession();
    await chat.send('long 3');
    await chat.conversation.getByText('How an agent and its host talk').waitFor();
    await chat.send('read README.md');
    await chat.conversation.getByRole('group', { name: /read.*done/i }).waitFor();
  });

  it('the link of a location opens the file at its line', async () => {
    const chat = await workbench.newSession();
    await chat.send('search name');
    await chat.conversation.getByRole('link', { name: 'src/parser.ts:2' }).click();
    await workbench.page.getByRole('tab', { name: /parser\.ts/ }).waitFor();
    await workbench.page.locator('.part.statusbar').getByText('Ln 2, Col 1').waitFor();
    await workbench.closeTab(/parser\.ts/);
  });

  it('the link of a binary file or a folder opens it', async () => {
    const chat = await workbench.newSession();
    await chat.send('read blob.bin');
    await chat.conversation.getByRole('link', { name: 'blob.bin' }).first().click();
    await workbench.page.getByText('The file is not displayed in the text editor').waitFor();
    await workbench.closeTab(/blob\.bin/);
    // Last, because the Explorer replaces the chat in the side bar.
    await chat.send('list');
    await chat.conversation.getByRole('link', { name: path.basename(workbench.folder) }).click();
    await workbench.page.locator('.explorer-folders-view').getByText('README.md').waitFor();
  });

  it('a task sends the code in the editor to the agent, and code in an answer can be compared and inserted', async () => {
    const chat = await workbench.newSession();
    await workbench.openFile('task.ts');
    await workbench.page.locator('.editor-instance .view-lines').first().click();
    await workbench.page.keyboard.press('Control+a');
    await workbench.command('ACP Host: Explain');
    await chat.conversation.getByText('Explain this code.').waitFor();
    await chat.conversation.getByText('task.ts').first().waitFor();
    await chat.button('Send').waitFor();
    await chat.send('long 3');
    const code = chat.conversation.locator('.code-block').filter({ hasText: 'session/update' }).first();
    await code.hover();
    await code.getByRole('button', { name: 'Compare with Editor' }).click();
    await workbench.closeTab(/task\.ts \(proposed\)/);
    await code.hover();
    await code.getByRole('button', { name: 'Insert into Editor' }).click();
    await workbench.page.locator('.editor-instance .view-lines').getByText('"jsonrpc"').waitFor();
    await workbench.page.locator('.editor-instance .monaco-editor.focused').waitFor();
    await workbench.page.keyboard.press('Control+z');
    await workbench.page.locator('.editor-instance .view-lines').getByText('count').waitFor();
    await workbench.closeTab(/task\.ts/);
  });

  it('code in an answer in a tab is inserted at the cursor of the file that the tab covers, and compared with that file', async () => {
    const { page } = workbench;
    const lines = page.locator('.editor-instance .view-lines');
    await workbench.openFile('task.ts');
    await lines.first().click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('End');
    await page.keyboard.type(' // here: ');
    const view = await workbench.newSession();
    await view.send('long 3');
    await view.button('Send').waitFor();
    await workbench.command('ACP Host: Open Chat in Editor');
    const chat = await workbench.pageIn('editor');
    const code = chat.conversation.locator('.code-block').filter({ hasText: 'session/update' }).first();
    await code.hover();
    await code.getByRole('button', { name: 'Compare with Editor' }).click();
    await page
      .getByText(/\/\/\shere:/)
      .first()
      .waitFor();
    await workbench.closeTab(/task\.ts \(proposed\)/);
    const again = await workbench.pageIn('editor');
    const same = again.conversation.locator('.code-block').filter({ hasText: 'session/update' }).first();
    await same.hover();
    await same.getByRole('button', { name: 'Insert into Editor' }).click();
    await lines.getByText(/\/\/\shere:\s\{/).waitFor();
    await page.keyboard.press('Control+z');
    await lines.getByText(/\/\/\shere:\s$/).waitFor();
    await page.keyboard.press('Control+z');
    await workbench.closeTab(/task\.ts/);
    await workbench.closeTab(/long 3/);
  });

  it("the status bar item opens the session's controls, with Stop Turn first during a turn", async () => {
    const chat = await workbench.newSession();
    await chat.send('long 2000');
    await chat.stop.waitFor();
    await workbench.status.click();
    const options = workbench.quickInput.getByRole('option');
    await options.first().getByText('Stop Turn').waitFor();
    for (const name of ['New Conversation', 'Restart Agent', 'Select Agent', 'Mode', 'Show Log', 'Show Traffic', 'Run Diagnostics'])
      await workbench.quickInput.getByText(name, { exact: false }).first().waitFor();
    await options.first().click();
    await chat.conversation
      .getByText(/^Stopped( ·|$)/)
      .last()
      .waitFor();
  });

  it('closing the list of agents returns the keyboard focus to the chat', async () => {
    await workbench.openFile('task.ts');
    const chat = await workbench.openChat();
    await chat.frame.getByRole('button', { name: 'Demo agent' }).first().click();
    await workbench.quickInput.getByPlaceholder('Switching agents starts a new conversation').waitFor();
    await workbench.page.keyboard.press('Escape');
    await chat.frame.locator('textarea:focus').waitFor();
    await workbench.closeTab(/task\.ts/);
  });

  it('a mode can be selected with the keyboard', async () => {
    const chat = await workbench.newSession();
    await chat.send('list');
    await chat.conversation.getByText('README.md').waitFor();
    await workbench.command('ACP Host: Select Mode');
    await workbench.quickInput.getByPlaceholder('Select Mode').waitFor();
    await workbench.page.keyboard.press('ArrowDown');
    await workbench.page.keyboard.press('Enter');
    await chat.frame.getByText('Changes files without asking; asks before it runs a command.').waitFor();
  });

  it('an earlier conversation can be opened from the history and continued', async () => {
    const earlier = await workbench.newSession();
    await earlier.send('search hello-from-history');
    await earlier.conversation.getByText('search hello-from-history').waitFor();
    await earlier.button('Send').waitFor();
    const chat = await workbench.newSession();
    await chat.conversation.getByText('search hello-from-history').waitFor({ state: 'detached' });
    await workbench.command('ACP Host: Show History');
    await workbench.quickInput.getByText('search hello-from-history').first().click();
    await chat.conversation.getByText('search hello-from-history').waitFor();
    await chat.send('list');
    await chat.conversation.getByText('README.md').waitFor();
  });

  it('after a crash the output stays, and the agent restarts automatically with the conversation', async () => {
    const chat = await workbench.newSession();
    await chat.send('fail crash');
    await chat.conversation.getByText('Now I crash.').waitFor();
    await chat.conversation.getByText(/Interrupted/).waitFor();
    // The status says only for a second that it reconnects, which a slow machine may miss.
    await workbench.statusSays(/ready/);
    await chat.conversation.getByText('Now I crash.').waitFor();
    await chat.send('list');
    await chat.conversation.getByText('README.md').waitFor();
  });

  it('an empty answer shows a warning with a Retry button', async () => {
    const chat = await workbench.newSession();
    await chat.send('fail silent');
    await chat.conversation.getByText(/without a reply/).waitFor();
    await chat.conversation.getByRole('button', { name: 'Retry' }).waitFor();
  });

  it('after a reload of the window, the conversation, its draft with an added selection, and its agent are as they were', async () => {
    const chat = await workbench.newSession();
    await chat.send('read README.md');
    await chat.conversation.getByRole('group', { name: /read/i }).waitFor();
    await chat.button('Send').waitFor();
    await workbench.openFile('parser.ts');
    await workbench.page.keyboard.press('Control+a');
    await workbench.command('ACP Host: Add Selection to Chat');
    await chat.frame.getByRole('button', { name: /^Remove parser\.ts/ }).waitFor();
    await chat.message.fill('half a sentence');
    await workbench.reload();
    const again = await workbench.openChat();
    await again.conversation.getByText('read README.md').waitFor();
    await workbench.statusSays(/ready/);
    await again.messageIs('half a sentence');
    const chip = again.frame.getByRole('button', { name: /^Remove parser\.ts/ });
    await chip.waitFor();
    await again.send('list');
    await again.conversation.getByText('src/').waitFor();
    await again.conversation.getByText('parser.ts:1–2').first().waitFor();
    await chip.waitFor({ state: 'detached' });
    await again.conversation.getByText('read README.md').waitFor();
  });

  it('Open Chat in Editor moves the conversation, and what is not sent returns to it there', async () => {
    const chat = await workbench.newSession();
    await chat.send('list');
    await chat.conversation.getByText('README.md').waitFor();
    await workbench.command('ACP Host: Open Chat in Editor');
    const inEditor = await workbench.pageOfTab('list');
    await inEditor.conversation.getByText('README.md').waitFor();
    await chat.conversation.getByText('README.md').waitFor({ state: 'detached' });
    await inEditor.send('long 300');
    await inEditor.send('queued words');
    await inEditor.stop.click();
    await inEditor.messageIs('queued words');
    assert.equal(await chat.message.inputValue(), '');
    await workbench.closeTab(/list/);
  });

  it('Ctrl+F in the chat finds words of the conversation, also with an open file', async () => {
    await workbench.openFile('parser.ts');
    const chat = await workbench.newSession();
    await chat.send('list');
    await chat.conversation.getByText('README.md').waitFor();
    await chat.message.click();
    await workbench.page.keyboard.press('Control+f');
    await workbench.page.keyboard.type('readme');
    await chat.frame.locator('.find-count').getByText(/ of /).waitFor();
    assert.equal(await workbench.page.locator('.find-widget.visible').count(), 0);
    await workbench.page.keyboard.press('Escape');
  });
});
