/** The Conversations view with conversations in many states, and with sessions that began elsewhere, at the size of a laptop's screen at 150 %. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { reportFailures } from './support/failures.js';
import { root, Workbench } from './support/workbench.js';

const run = promisify(execFile);

/** Pipes on which turns wait, so that they work until the test ends them, and draw nothing meanwhile. */
const pipes = ['first', 'second', 'third'] as const;

describe('the list of conversations in a workbench', () => {
  let workbench: Workbench;
  let state: string;
  reportFailures(() => workbench);
  before(async () => {
    state = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-others-')));
    const demo = { ACP_HOST_DEMO_STATE: path.join(state, 'demo') };
    workbench = await Workbench.open({
      files: { 'README.md': '# Sample\n', 'notes.txt': 'one\n' },
      env: { ...process.env, ...demo },
      machineSettings: {
        'acpHost.agents': {
          lister: { label: 'Lister', command: process.execPath, args: [path.join(root, 'test/agents/listsSessions.mjs')] },
        },
      },
      userSettings: { 'acpHost.notifyWhenDone': 'hidden', 'acpHost.requestsOutOfSight': 'notification' },
      // Another host on this machine, with its own conversations, talks to the same agent in the same folder.
      async prepare(folder) {
        execFileSync('mkfifo', pipes, { cwd: folder });
        const env = { ...process.env, ...demo, ACP_HOST_STATE: path.join(state, 'elsewhere') };
        for (const prompt of ['read README.md', 'list'])
          await run(process.execPath, [path.join(root, 'dist/cli.js'), 'run', '--agent', 'demo', '--cwd', folder, prompt], { env });
      },
    });
    await workbench.page.setViewportSize({ width: 960, height: 600 });
  });
  after(async () => {
    await workbench.close();
    await rm(state, { recursive: true, force: true, maxRetries: 3 });
  });

  describe('the sessions of agents that began elsewhere', () => {
    it('are listed when the row of the agent is opened, and one is opened with its history', async () => {
      let chat = await workbench.newSession();
      await chat.send('read notes.txt');
      await chat.stop.waitFor({ state: 'hidden' });
      const others = workbench.row(/^Other Sessions of Demo agent/);
      await others.waitFor();
      assert.equal(await workbench.row(/other session, Demo agent/).count(), 0);
      await others.click();
      await workbench.rows.reveal(/^list, other session, Demo agent/);
      // What is a conversation here is not listed twice.
      assert.equal(await workbench.row(/^read notes.txt, other session/).count(), 0);
      for (const [theme, name] of [
        ['Light 2026', 'vs'],
        ['Dark 2026', 'vs-dark'],
      ] as const) {
        await workbench.theme(theme);
        await workbench.page.locator(`.monaco-workbench.${name}`).waitFor();
        await workbench.screenshot(`other-sessions-${name}`);
      }
      await workbench.rows.reveal(/^read README.md, other session/);
      await workbench.row(/^read README.md, other session/).click();
      chat = await workbench.pageIn('sidebar');
      await chat.conversation.getByText('read README.md', { exact: true }).waitFor();
      await chat.conversation.getByText('README.md').first().waitFor();
      await workbench.row(/^read README.md, Demo agent/).waitFor();
      await workbench.row(/^read README.md, other session/).waitFor({ state: 'hidden' });
      await chat.send('list');
      await chat.conversation.getByText('notes.txt').first().waitFor();
      await chat.stop.waitFor({ state: 'hidden' });
    });

    it('are deleted only after a question', async () => {
      const row = /^list, other session, Demo agent/;
      const dialog = workbench.page.getByRole('dialog').filter({ hasText: 'Delete "list" of Demo agent?' });
      await workbench.rows.menu(row, 'Delete Session…', dialog);
      await workbench.screenshot('other-sessions-delete');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await workbench.row(row).waitFor();
      await workbench.rows.menu(row, 'Delete Session…', dialog);
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await workbench.row(row).waitFor({ state: 'hidden' });
      await workbench.row(/^No other sessions in this folder/).waitFor();
    });

    it('are renamed and forked where the agent offers it', async () => {
      let chat = await workbench.withAgent('Lister', 'Select Agent');
      await chat.send('hello');
      await chat.conversation.getByText('done').waitFor();
      await workbench.rows.reveal(/^Other Sessions of Lister/);
      await workbench.row(/^Other Sessions of Lister/).click();
      await workbench.rows.reveal(/^One, other session, Lister/);
      const input = workbench.quickInput.getByText('Rename Session');
      await workbench.rows.menu(/^One, other session, Lister/, 'Rename Session…', input);
      await workbench.answer('Rename Session', 'The first');
      await workbench.rows.reveal(/^The first, other session, Lister/);
      chat = await workbench.pageIn('sidebar');
      await workbench.rows.menu(/^The first, other session, Lister/, 'Fork Session', chat.conversation.getByText('asked in fork of s1'));
      await workbench.screenshot('other-sessions-fork');
    });
  });

  describe('conversations', () => {
    before(async () => {
      await workbench.withAgent('Demo agent');
    });

    const workUntilEnded = async (pipe: (typeof pipes)[number]): Promise<void> => {
      const chat = await workbench.newSession();
      await chat.send(`run cat ${pipe}`);
      await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
      await chat.dialog.waitFor({ state: 'hidden' });
      await chat.stop.waitFor();
    };
    const end = (pipe: (typeof pipes)[number]): Promise<void> => writeFile(path.join(workbench.folder, pipe), '');

    it('a turn that ends out of sight is marked and told until the user sees it', async () => {
      await workUntilEnded('first');
      await workbench.newSession();
      await workbench.row(/^run cat first, working/).waitFor();
      await end('first');
      await workbench.row(/^run cat first, done/).waitFor();
      await workbench.statusSays(/1 done/);
      const toast = workbench.page.locator('.notification-toast').filter({ hasText: '"run cat first" is done' });
      await toast.getByRole('button', { name: 'Show' }).click();
      await (await workbench.pageIn('sidebar')).conversation.getByText('run cat first', { exact: true }).waitFor();
      await workbench.row(/^run cat first, Demo agent/).waitFor();
    });

    it('each state has a mark of its own', async () => {
      const failing = await workbench.newSession();
      await failing.send('fail crash');
      await failing.conversation.getByText(/Interrupted/).waitFor();
      await workbench.statusSays(/ready/);
      const asking = await workbench.newSession();
      await asking.send('run node --test');
      await asking.dialog.waitFor();
      for (const pipe of ['second', 'third'] as const) await workUntilEnded(pipe);
      await workbench.newSession();
      await end('second');
      await workbench.page.locator('.part.sidebar .pane-header').filter({ hasText: 'Chat' }).first().click();
      for (const state of [/^run node --test, needs input/, /^run cat second, done/, /^run cat third, working/, /^fail crash, interrupted/])
        await workbench.row(state).waitFor();
      await workbench.screenshot('list');
      const hover = await workbench.rows.hover(/^run node --test, needs input/, 'needs input');
      assert.equal(hover.match(/needs input/g)?.length, 1);
      await end('third');
    });
  });
});
