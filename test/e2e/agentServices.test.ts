/** What a real editor does for an agent: it answers about the code, reads and writes files, and runs commands. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { stillAlive } from '../../scripts/processes.mjs';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { root, withTypeScript, Workbench } from './support/workbench.js';

const program = (file: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [path.join(root, 'test', file), ...args],
});

describe('an editor and the agents that use it', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  let sessions = '';
  before(async () => {
    sessions = await mkdtemp(path.join(tmpdir(), 'acp-host-tools-'));
    const asking = program('standIns/piStandIn.mjs', '--dialect', 'xcsh', '--sessions', sessions);
    workbench = await Workbench.open({
      files: {
        'one.txt': 'one\n',
        'two.txt': 'two\n',
        'go.ts': 'export class Way {}\nexport function go(): Way {\n  return new Way();\n}\n',
        'use.ts': "import { go } from './go';\nexport const way = go();\nexport const wrong: number = 'text';\n",
        'notes.txt': 'one\n',
        'other.txt': 'one\n',
      },
      builtIns: withTypeScript.builtIns,
      userSettings: {
        ...withTypeScript.userSettings,
        'files.autoSave': 'off',
        'files.insertFinalNewline': false,
        'acpHost.saveFilesBeforePrompt': 'off',
        'acpHost.notifyWhenDone': 'hidden',
        // Renders the terminal as text that the test can read.
        'terminal.integrated.gpuAcceleration': 'off',
      },
      machineSettings: {
        'acpHost.agents': {
          asking: { label: 'Asking', protocol: 'xcsh', codeNavigation: true, ...asking },
          through: { label: 'Through', ...program('agents/worksThroughHost.mjs') },
          runner: { label: 'Runner', ...program('agents/runsInTerminal.mjs') },
        },
        'acpHost.defaultAgent': 'asking',
      },
    });
  });
  after(async () => {
    await workbench.close();
    await rm(sessions, { recursive: true, force: true });
  });

  describe('the tools of the editor', () => {
    /** @returns the text of the agent's answer, for example the result of a tool */
    async function ask(chat: Chat, prompt: string): Promise<string> {
      const answers = chat.conversation.getByRole('article', { name: 'Asking' });
      const answer = answers.nth(await answers.count());
      await chat.send(prompt);
      await answer.getByText(/\S/).first().waitFor();
      return (await answer.innerText()).replace(/^Asking\s*/, '');
    }
    const call = (chat: Chat, name: string, input: object = {}): Promise<string> =>
      ask(chat, `host editor_${name} ${JSON.stringify(input)}`);

    async function openByLink(chat: Chat, ...names: readonly string[]): Promise<void> {
      await ask(chat, `See ${names.map((name) => `\`${name}\``).join(' and ')}.`);
      for (const name of names) {
        await chat.conversation.getByRole('link', { name }).click();
        await workbench.page.getByRole('tab', { name: new RegExp(name) }).waitFor();
      }
    }

    it('report the open files, and nothing outside the folder', async () => {
      const chat = await workbench.newSession();
      assert.match(await call(chat, 'open_files'), /^none/);
      await openByLink(chat, 'one.txt', 'two.txt');
      assert.match(await call(chat, 'open_files'), /two\.txt \(active\)/);
      assert.match(await call(chat, 'symbols', { path: '/etc/passwd' }), /outside_workspace/);
    });

    it('report what TypeScript knows, with locations that the next call can use', async () => {
      const chat = await workbench.newSession();
      // Once the editor shows a diagnostic, TypeScript has read all files. Before that, it only knows one file.
      await openByLink(chat, 'use.ts');
      await workbench.statusSays(/1 Error|Errors: 1/);
      const diagnosis = /^use\.ts:3:14 error Type 'string' is not assignable to type 'number'\. \(ts\)$/;
      assert.match(await call(chat, 'diagnostics', { path: 'use.ts' }), diagnosis);
      assert.match(await call(chat, 'diagnostics'), diagnosis);
      assert.match(await call(chat, 'diagnostics', { path: 'go.ts' }), /^none/);
      const used = { path: 'use.ts', line: 2, column: 20 };
      assert.equal(await call(chat, 'definitions', used), 'go.ts:2:17');
      assert.equal(await call(chat, 'type_definitions', used), 'go.ts:1:14');
      const references = await call(chat, 'references', { path: 'go.ts', line: 2, column: 17 });
      assert.deepEqual(references.split(/\s+/).toSorted(), ['go.ts:2:17', 'use.ts:1:10', 'use.ts:2:20']);
      assert.match(await call(chat, 'symbols', { path: 'go.ts' }), /^Class Way 1-1\s+Function go 2-4$/);
    });
  });

  describe('files that an agent reads and writes through the editor', () => {
    before(() => workbench.withAgent('Through'));

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

  describe('a command that runs for an agent', { skip: process.platform === 'win32' && 'uses a POSIX shell' }, () => {
    before(async () => {
      await workbench.page.setViewportSize({ width: 960, height: 600 });
      await workbench.withAgent('Runner');
    });

    it('is opened as a terminal, which shows its output live, and ends nothing when it is closed', async () => {
      const chat = await workbench.newSession();
      const waits = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.1; done`;
      await chat.send(`printf 'first \\033[32mgreen\\033[0m\\n'; ${waits('go')}; echo second; ${waits('on')}; echo third`);
      const first = chat.conversation.getByText('first green');
      await first.waitFor();
      const colorOf = (part: Locator): Promise<string> => part.evaluate((element) => getComputedStyle(element).color);
      const green = await first.evaluate((element) => {
        const sample = element.appendChild(document.createElement('span'));
        sample.style.color = 'var(--vscode-terminal-ansiGreen)';
        const { color } = getComputedStyle(sample);
        sample.remove();
        return color;
      });
      assert.equal(await colorOf(first.getByText('green', { exact: true })), green);
      assert.notEqual(await colorOf(first), green);
      await chat.conversation.locator('.output-block').hover();
      await chat.frame.getByRole('button', { name: 'Open as Terminal' }).click();
      await workbench.terminal.getByText('green').waitFor();
      await writeFile(path.join(workbench.folder, 'go'), '');
      await workbench.terminal.getByText('second').waitFor();
      await workbench.command('Terminal: Kill the Active Terminal Instance');
      await workbench.terminal.waitFor({ state: 'hidden' });
      await chat.conversation.locator('.output-block').hover();
      await chat.frame.getByRole('button', { name: 'Open as Terminal' }).click();
      await workbench.terminal.getByText('second').waitFor();
      await writeFile(path.join(workbench.folder, 'on'), '');
      await workbench.terminal.getByText('[The command has ended: exit code 0]').waitFor();
      await workbench.screenshot('command-terminal');
      await chat.conversation.getByText('"exitCode":0').waitFor();
      await chat.stop.waitFor({ state: 'hidden' });
    });

    it('shows text in a terminal that the user attaches to a message, and the clipboard stays as it was', async () => {
      const chat = await workbench.newSession();
      await workbench.page.evaluate(() => navigator.clipboard.writeText('mine'));
      const entry = 'Add Terminal Selection to Chat';
      // The text is covered by what takes the pointer.
      await workbench.terminal.click({ button: 'right', force: true });
      await workbench.fromMenu(entry);
      const toasts = workbench.page.locator('.notification-toast');
      await toasts.filter({ hasText: 'The terminal has no selection to copy' }).waitFor();
      await workbench.command('Terminal: Select All');
      await workbench.terminal.click({ button: 'right', force: true });
      await workbench.page.getByRole('menuitem', { name: entry }).waitFor();
      await workbench.screenshot('terminal-menu');
      await workbench.fromMenu(entry);
      const chip = chat.frame.getByRole('button', { name: /^Unfold Terminal · \d+ lines$/ });
      await chip.waitFor();
      await workbench.screenshot('terminal-chip');
      assert.equal(await toasts.filter({ hasText: 'Select in a terminal' }).count(), 0, 'one message says it');
      await workbench.command('Notifications: Clear All Notifications');
      assert.equal(await workbench.page.evaluate(() => navigator.clipboard.readText()), 'mine');
      await chip.click();
      await chat.frame.locator('textarea:not(:placeholder-shown)').waitFor();
      const text = await chat.message.inputValue();
      assert.match(text, /^Selected in the terminal:\n```\n/);
      assert.match(text, /first green\n(.*\n)*second\n/);
      await workbench.command('Terminal: Clear Selection');
      await workbench.command('Terminal: Kill the Active Terminal Instance');
    });

    it('is stopped from its card with everything that it started, and the turn goes on', async () => {
      const chat = await workbench.newSession();
      await chat.send('sleep 600 & echo $! > child; echo $$ > shell; echo ready; wait');
      await chat.conversation.getByText('ready', { exact: true }).waitFor();
      const pids = await Promise.all(
        ['child', 'shell'].map(async (name) => Number(await readFile(path.join(workbench.folder, name), 'utf8'))),
      );
      const own = (await workbench.processes(/sleep 600/)).filter(({ pid }) => pids.includes(pid));
      assert.equal(own.length, 2);
      for (const [theme, name] of [
        ['Light 2026', 'vs'],
        ['Dark 2026', 'vs-dark'],
      ] as const) {
        await workbench.theme(theme);
        await workbench.page.locator(`.monaco-workbench.${name}`).waitFor();
        await chat.frame.getByRole('button', { name: 'Stop command' }).waitFor();
        await workbench.screenshot(`command-${name}`);
      }
      await chat.frame.getByRole('button', { name: 'Stop command' }).click();
      await chat.conversation.getByText('"exitCode":null').waitFor();
      await chat.stop.waitFor({ state: 'hidden' });
      assert.deepEqual(await stillAlive(own), []);
      await workbench.screenshot('command-stopped');
    });
  });
});
