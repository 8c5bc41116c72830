/** What needs nothing but the demo agent, in one window: the chat, the message inspector, problem reports, sub-agents, and every theme. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseTrace } from '../../src/core/index.js';
import { fontVariables } from '../webview/themeFonts.js';
import { type ThemeName, themeNames, themes } from '../webview/themes.js';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { root, Workbench } from './support/workbench.js';

/** The workbench's name for each theme. */
const kinds: Readonly<Record<ThemeName, string>> = {
  dark2026: 'vs-dark',
  light2026: 'vs',
  dark: 'vs-dark',
  light: 'vs',
  highContrast: 'hc-black',
  highContrastLight: 'hc-light',
};

describe('a window with the demo agent', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: {
        'README.md': '# Sample\n',
        'notes.txt': 'one\ntwo\nthree\n',
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

  describe('the message inspector and problem reports', () => {
    it('the inspector shows messages from before it was opened, with durations, and filters them', async () => {
      await workbench.command('ACP Host: Show Traffic');
      const { frame } = await workbench.pageOfTab('Traffic');
      await frame.getByRole('option', { name: /^Request to Demo agent, id \d+ .*initialize .* \d+(\.\d)? m?s$/ }).waitFor();
      await frame.getByRole('combobox', { name: 'Method' }).selectOption('session/new');
      assert.equal(await frame.getByRole('option', { name: /Demo agent/ }).count(), 2);
      await frame.getByRole('option', { name: /^Response from Demo agent/ }).click();
      await frame.getByLabel('Contents').getByText('"sessionId"').waitFor();
      await workbench.screenshot('traffic');
      await frame.getByRole('button', { name: 'Show All' }).click();
    });

    it('the inspector shows no new messages while it is paused, and shows them when it resumes', async () => {
      const { frame } = await workbench.pageOfTab('Traffic');
      await frame.getByRole('combobox', { name: 'Method' }).selectOption('session/prompt');
      const requests = frame.getByRole('option', { name: /^Request to Demo agent/ });
      await requests.first().waitFor();
      const before = await requests.count();
      await frame.getByRole('button', { name: 'Pause' }).click();
      const chat = await workbench.pageIn('sidebar');
      await chat.send('read README.md');
      await chat.conversation.getByRole('group', { name: /read/i }).first().waitFor();
      assert.equal(await requests.count(), before);
      await frame.getByRole('button', { name: 'Resume' }).click();
      await requests.nth(before).waitFor();
      await frame.getByRole('button', { name: 'Show All' }).click();
    });

    it('the visible messages can be exported as a trace with the save dialog', async () => {
      const { frame } = await workbench.pageOfTab('Traffic');
      await frame.getByRole('button', { name: 'Export Visible as Trace' }).click();
      await workbench.quickInput.locator('input').first().waitFor();
      await workbench.quickInput.getByRole('button', { name: 'OK' }).click();
      await workbench.page
        .getByText(/Trace saved/)
        .first()
        .waitFor();
      const [name = ''] = (await readdir(workbench.folder)).filter((file) => file.endsWith('.trace.ndjson'));
      const trace = parseTrace(await readFile(path.join(workbench.folder, name), 'utf8'));
      assert.equal(trace.header?.agent.id, 'demo');
      assert.ok(trace.lines.some((line) => 'frame' in line && typeof line.frame === 'object' && line.frame['method'] === 'initialize'));
    });

    it('a problem report without the conversation opens in the editor', async () => {
      await workbench.command('ACP Host: Report a Problem');
      await workbench.pick('Without the Conversation');
      await workbench.page
        .getByRole('tab', { name: /Problem report|Untitled/ })
        .first()
        .waitFor();
      const text = workbench.page.locator('.editor-instance .view-lines').filter({ visible: true });
      await text.getByText('Problem report').first().waitFor();
      await text.getByText('Versions').first().waitFor();
      await workbench.screenshot('problem-report');
      await workbench.command('View: Revert and Close Editor');
    });
  });

  describe('sub-agents', () => {
    it('one that works longer than the turn is seen, and stopped by itself', async () => {
      const chat = await workbench.newSession();
      await chat.send('delegate background long 2000');
      await chat.conversation.getByText('A sub-agent works on it. You can go on.').waitFor();
      await chat.stop.waitFor({ state: 'hidden' });
      const card = chat.conversation.getByRole('group', { name: 'Sub-agent: long (running)' });
      await card.locator('summary').first().click();
      await card.getByText('long 2000').waitFor();
      await card.getByRole('article', { name: 'Demo agent' }).first().waitFor();
      await card.getByRole('button', { name: 'Stop Sub-agent' }).click();
      await chat.conversation.getByRole('group', { name: 'Sub-agent: long (stopped)' }).waitFor();
      await chat.send('title Still here');
      await chat.stop.waitFor({ state: 'hidden' });
    });

    it('its request says who asks, and its answer reaches it', async () => {
      const chat = await workbench.newSession();
      await chat.send('delegate run echo from-the-sub-agent');
      await chat.dialog.getByText('Asked by Sub-agent · run.').waitFor();
      await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
      await chat.conversation.getByText('The sub-agent is done.').waitFor();
      const card = chat.conversation.getByRole('group', { name: 'Sub-agent: run', exact: true });
      await card.locator('summary').first().click();
      await card.getByText('exited with code 0').waitFor();
    });
  });

  describe('the chat', () => {
    before(() => workbench.command('View: Close All Editors'));

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

  describe('the theme of the workbench', () => {
    let chat: Chat;
    before(async () => {
      chat = await workbench.newSession();
      await chat.send('think about the best way');
      await chat.button('Send').waitFor();
      await chat.send('edit notes.txt two => zwei');
      await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
      await chat.conversation.getByRole('group', { name: /notes\.txt.*done/ }).waitFor();
      await chat.send('fail error');
      await chat.conversation.getByRole('button', { name: 'Retry' }).waitFor();
      await chat.send('run npm test -- --watch=false');
      await chat.dialog.waitFor();
      // After the side bar was hidden and shown again, the request is visible in both places.
      await workbench.splitEditor();
      await workbench.toggleSideBar();
      await (await workbench.pageOfTab('Pending Requests')).dialog.waitFor();
      chat = await workbench.openChat();
      await chat.dialog.waitFor();
    });

    for (const name of themeNames) {
      const { label, className, variables } = themes[name];
      it(`${name} has the same variables as in the page tests`, async () => {
        await workbench.theme(label);
        await workbench.page.locator(`.monaco-workbench.${kinds[name]}`).waitFor();
        const body = chat.frame.locator(`body[data-vscode-theme-kind="${className.split(' ')[0]}"]`);
        await body.waitFor();
        await workbench.screenshot(`workbench-${name}`);
        const names = [...new Set([...(await usedVariables()), ...Object.keys(variables)])].filter((one) => !fontVariables.includes(one));
        const given = await body.evaluate((_, all) => {
          const style = getComputedStyle(document.documentElement);
          return all.map((one) => [one, style.getPropertyValue(`--vscode-${one}`)] as const).filter(([, value]) => value !== '');
        }, names);
        const expected = Object.entries(variables).filter(([one]) => !fontVariables.includes(one));
        assert.deepEqual(Object.fromEntries(given), Object.fromEntries(expected));
      });
    }
  });
});

/** Returns the variables of the editor that the style sheets and pictures use. */
async function usedVariables(): Promise<readonly string[]> {
  const media = path.join(root, 'media');
  const files = (await readdir(media, { recursive: true })).filter((file) => /\.(css|svg)$/.test(file));
  const texts = await Promise.all(files.map((file) => readFile(path.join(media, file), 'utf8')));
  return texts.flatMap((text) => [...text.matchAll(/var\(--vscode-([\w-]+)/g)].map(([, one = '']) => one));
}
