import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ConversationStore, emptyDraft, journalFolder, nullLogger, Redactor } from '../../src/core/index.js';
import { formatHead, formatSession, journalPath } from '../../src/core/journal/journalFormat.js';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { root, Workbench } from './support/workbench.js';

const obedient = (label: string): object => ({
  label,
  command: process.execPath,
  args: [path.join(root, 'test/agents/obedient.mjs')],
  env: { OBEDIENT_UNIQUE_IDS: '1' },
});

describe('many conversations in a workbench', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: { 'README.md': '# Sample\n', 'notes.txt': 'one\n' },
      machineSettings: { 'acpHost.agents': { second: obedient('Second'), third: obedient('Third') } },
    });
  });
  after(() => workbench.close());

  const idle = (chat: Chat): Promise<void> => chat.stop.waitFor({ state: 'hidden' });

  it('a new conversation works while the turn of the previous one continues', async () => {
    let chat = await workbench.newSession();
    await chat.send('long 2000');
    await chat.stop.waitFor();
    await workbench.row(/long 2000, working, Demo agent/).waitFor();
    chat = await workbench.newSession();
    await chat.conversation.getByText('long 2000').waitFor({ state: 'detached' });
    await chat.send('list');
    await chat.conversation.getByText('README.md').waitFor();
    await idle(chat);
    await workbench.row(/long 2000, working/).click();
    await chat.stop.waitFor();
    await chat.conversation.getByText('How an agent and its host talk', { exact: true }).waitFor();
    await chat.stop.click();
    await chat.conversation.getByText(/^Stopped( ·|$)/).waitFor();
    await workbench.row(/^long 2000, Demo agent/).waitFor();
  });

  it('each conversation has its own draft', async () => {
    let chat = await workbench.newSession();
    await chat.send('read notes.txt');
    await idle(chat);
    await chat.message.fill('for the notes');
    chat = await workbench.newSession();
    assert.equal(await chat.message.inputValue(), '');
    await workbench.row(/^read notes.txt/).click();
    await chat.conversation.getByText('read notes.txt').waitFor();
    await chat.messageIs('for the notes');
    await chat.message.fill('');
  });

  it('selecting another agent during a turn starts a new conversation, and three agents work at once', async () => {
    let chat = await workbench.newSession();
    await chat.send('long 1500');
    await chat.stop.waitFor();
    for (const agent of ['Second', 'Third']) {
      chat = await workbench.withAgent(agent, 'Select Agent');
      await chat.send('wait');
      await chat.stop.waitFor();
    }
    await workbench.row(/^long 1500, working, Demo agent/).waitFor();
    await workbench.row(/^wait, working, Second/).waitFor();
    await workbench.row(/^wait, working, Third/).waitFor();
    for (const theme of ['Light Modern', 'Dark Modern']) {
      await workbench.theme(theme);
      await workbench.screenshot(`conversations-${theme.split(' ')[0]?.toLowerCase()}`);
    }
    for (const row of [/^wait, working, Third/, /^wait, working, Second/, /^long 1500, working/]) {
      await workbench.row(row).click();
      await chat.stop.click();
      await workbench.row(row).waitFor({ state: 'hidden' });
    }
  });

  it('two conversations stream in their own editor tabs, which have their names, and go on in them after a reload', async () => {
    const texts = ['long 1200', 'long 1300'];
    for (const text of texts) {
      const chat = await workbench.withAgent('Demo agent');
      await chat.send(text);
      await chat.stop.waitFor();
    }
    for (const text of texts) {
      // Waits for the active tab: the rows move while turns begin, so a menu may have opened the other tab before.
      const tab = workbench.page.getByRole('tab', { name: text, selected: true });
      await workbench.rows.menu(new RegExp(`^${text}, working`), 'Open Conversation in Editor', tab);
    }
    const tab = await workbench.pageOfTab('long 1300');
    await tab.conversation.getByText('How an agent and its host talk', { exact: true }).first().waitFor();
    await workbench.page.getByRole('tab', { name: 'long 1200' }).click();
    const other = await workbench.pageOfTab('long 1200');
    await other.conversation.getByText('long 1200').waitFor();
    await other.stop.click();
    await other.conversation.getByText(/^Stopped( ·|$)/).waitFor();
    await workbench.row(/^long 1300, working/).waitFor();
    await workbench.screenshot('conversations-tabs');
    await workbench.reload();
    await workbench.page.getByRole('tab', { name: 'long 1300' }).click();
    const again = await workbench.pageOfTab('long 1300');
    await workbench.row(/^long 1300, working/).waitFor();
    await again.stop.click();
    await again.conversation.getByText(/^Stopped( ·|$)/).waitFor();
    await workbench.command('View: Close All Editors');
    await workbench.openChat();
  });

  it('a conversation that needs input is marked in the list and on the badge, and named in the panel', async () => {
    await workbench.splitEditor();
    const chat = await workbench.newSession();
    await chat.send('run echo from-behind');
    await chat.dialog.waitFor();
    await workbench.newSession();
    await workbench.row(/^run echo from-behind, needs input/).waitFor();
    await workbench.statusSays(/needs input/);
    await workbench.page
      .locator('.part.activitybar')
      .getByRole('tab', { name: /ACP Host.*1 conversation needs input/ })
      .waitFor();
    const panel = await workbench.pageOfTab('Pending Requests');
    await panel.dialog.getByText('run echo from-behind').waitFor();
    await workbench.screenshot('conversations-input');
    await panel.dialog.getByRole('button', { name: /Allow once/ }).click();
    await workbench.promptTab.waitFor({ state: 'hidden' });
    await workbench.row(/^run echo from-behind, done, Demo agent/).waitFor();
  });

  it('a conversation can be renamed, pinned, archived and deleted, and Undo restores it', async () => {
    const chat = await workbench.newSession();
    await chat.send('search one');
    await idle(chat);
    await workbench.rows.menu(/^search one,/, 'Rename Conversation', workbench.quickInput.getByText('Rename Conversation'));
    await workbench.answer('Rename Conversation', 'Looking for one');
    await workbench.row(/^Looking for one, Demo agent/).waitFor();
    await workbench.rows.menu(/^Looking for one,/, 'Pin Conversation', workbench.row(/^Looking for one,.*pinned/));
    await workbench.newSession();
    await workbench.rows.menu(/^Looking for one,/, 'Archive Conversation', workbench.row(/^Looking for one,/), 'hidden');
    await workbench.command('ACP Host: Show Archived Conversations');
    await workbench.rows.reveal(/^Looking for one,.*archived/);
    const undo = workbench.page.locator('.notification-toast').getByRole('button', { name: 'Undo' });
    // The row of the group is no conversation.
    await workbench.row(/^Archived/).click();
    for (const key of ['ArrowRight', 'Delete']) await workbench.page.keyboard.press(key);
    await workbench.press('Control+Alt+f');
    const find = workbench.page.locator('.part.sidebar').getByPlaceholder('Type to search');
    await find.waitFor();
    assert.equal(await undo.count(), 0);
    await find.press('Escape');
    await find.waitFor({ state: 'hidden' });
    await workbench.rows.reveal(/^Looking for one,.*archived/);
    await workbench.rows.menu(/^Looking for one,/, 'Delete Conversation', undo);
    await workbench.row(/^Looking for one,/).waitFor({ state: 'hidden' });
    await undo.click();
    await workbench.rows.reveal(/^Looking for one,.*archived/);
    await workbench.command('ACP Host: Hide Archived Conversations');
    await workbench.row(/^Looking for one,/).waitFor({ state: 'hidden' });
  });

  it('a key in the list applies to the row with the focus, although another one is selected', async () => {
    const name = 'explain every folder of this project to somebody new';
    for (const text of [name, 'list']) {
      const chat = await workbench.newSession();
      await chat.send(text);
      await idle(chat);
    }
    await workbench.rows.reveal(/^explain every/);
    const selected = workbench.page.locator('.part.sidebar').getByRole('treeitem', { selected: true });
    await selected.filter({ hasText: 'list' }).waitFor();
    await workbench.page
      .locator('.part.sidebar')
      .getByRole('tree', { name: /Conversations/ })
      .focus();
    const focused = workbench.page.locator('.part.sidebar .monaco-list-row.focused');
    await workbench.press('Home');
    await focused.waitFor();
    // A row that moves meanwhile may be passed by.
    for (let step = 1; !(await focused.innerText()).startsWith('explain every'); step++)
      await workbench.press(step % 12 === 0 ? 'Home' : 'ArrowDown');
    await workbench.press('F2');
    await workbench.quickInput.getByText('Rename Conversation').waitFor();
    assert.equal(await workbench.quickInput.locator('input').last().inputValue(), name);
    await workbench.press('Escape');
    await selected.filter({ hasText: 'list' }).waitFor();
    assert.equal(await selected.count(), 1);
  });

  it('Delete edits the text in the Find box of the list', async () => {
    await workbench.page
      .locator('.part.sidebar')
      .getByRole('tree', { name: /Conversations/ })
      .focus();
    await workbench.press('Control+Alt+f');
    const box = workbench.page.locator('.part.sidebar .monaco-tree-type-filter input');
    await box.pressSequentially('xlist');
    await box.press('Home');
    await box.press('Delete');
    assert.equal(await box.inputValue(), 'list');
    await box.press('Escape');
  });

  it('a conversation is found by words of its name that its row has no space for', async () => {
    await workbench.command('ACP Host: Find Conversation');
    await workbench.quickInput.locator('input').first().fill('to somebody new');
    await workbench.quickInput.getByRole('option', { name: /explain every folder of this project/ }).waitFor();
    await workbench.press('Escape');
  });

  it('the history shows the agent and the age of a conversation, and can rename it', async () => {
    const chat = await workbench.newSession();
    await chat.send('list .');
    await idle(chat);
    await workbench.command('ACP Host: Show History');
    const row = workbench.quickInput.getByRole('option').filter({ hasText: /list \.\s*Demo agent · (now|\d+ min)/ });
    await row.waitFor();
    await workbench.screenshot('conversations-history');
    await row.hover();
    await row.getByRole('button', { name: 'Rename' }).click();
    await workbench.answer('Rename Conversation', 'What is in the folder');
    await workbench.rows.reveal(/^What is in the folder,/);
  });

  it('a conversation opens as Markdown, also from its row', async () => {
    const shown = workbench.page.locator('.part.editor .view-lines');
    await workbench.command('ACP Host: Open Conversation as Markdown');
    await shown.getByText('# What is in the folder', { exact: true }).waitFor();
    await shown.getByText('## Prompt').waitFor();
    const other = shown.getByText('# Looking for one', { exact: true });
    await workbench.command('ACP Host: Show Archived Conversations');
    await workbench.rows.reveal(/^Looking for one,/);
    await workbench.rows.menu(/^Looking for one,/, 'Open Conversation as Markdown', other);
  });
});

describe('a thousand saved conversations', () => {
  it('are visible within 300 ms after the view is opened', async (t) => {
    const state = await mkdtemp(path.join(tmpdir(), 'acp-host-e2e-state-'));
    t.after(() => rm(state, { recursive: true, force: true }));
    const workbench = await Workbench.open({
      files: { 'README.md': '# Sample\n' },
      env: { ACP_HOST_STATE: state },
      prepare: (folder) => saveMany(state, folder, 1000),
    });
    try {
      await workbench.openChat();
      const first = workbench.row(/^conversation 0,/);
      await first.waitFor();
      const times: number[] = [];
      for (let turn = 0; turn < 4; turn++) {
        await workbench.toggleSideBar();
        await first.waitFor({ state: 'hidden' });
        times.push(await workbench.timeUntilShown('conversation 0,'));
      }
      await workbench.screenshot('conversations-thousand');
      // The other times show how busy the machine is.
      assert.ok(Math.min(...times) < 300, `it took ${times.map(Math.round).join(', ')} ms`);
    } finally {
      await workbench.close();
    }
  });
});

/** Saves conversations that have a first message. The first of them is the most recent one. */
async function saveMany(stateFolder: string, folder: string, count: number): Promise<void> {
  const store = new ConversationStore({ stateFolder, redactor: new Redactor(), log: nullLogger });
  const journals = journalFolder(stateFolder);
  await mkdir(journals);
  for (let index = 0; index < count; index++) {
    const summary = {
      agent: { id: 'demo', label: 'Demo agent' },
      agentTitle: undefined,
      firstWords: `conversation ${index}`,
      usedAt: Date.now() - index * 60_000,
      turn: 'idle',
      earlier: [],
    } as const;
    const id = `c${index}`;
    const session = { id: `s${index}`, agentId: 'demo', sessionId: `s${index}`, cwd: folder, createdAt: index };
    await writeFile(journalPath(journals, id), formatHead({ id }) + formatSession(session));
    store.remember(id, folder, { place: undefined, outbox: [], returned: [], draft: emptyDraft }, summary);
  }
  await store.end();
  store.dispose();
}
