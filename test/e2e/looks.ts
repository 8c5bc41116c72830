/**
 * Takes pictures of every part of the chat in the themes and sizes that people have, to look at: `npm run looks`, or with words that are in
 * the names of some of them. Build first. They are in out/looks.
 */
import { cp, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Chat } from './support/chat.js';
import { root, Workbench } from './support/workbench.js';

const folder = path.join(root, 'out/looks');
/** A laptop's screen at 150 %. */
const size = { width: 960, height: 600 };
const themes = [
  ['light', 'Light 2026', 'vs'],
  ['dark', 'Dark 2026', 'vs-dark'],
  ['hc-dark', 'Dark High Contrast', 'hc-black'],
  ['hc-light', 'Light High Contrast', 'hc-light'],
] as const;
const narrowWidth = 220;
/** Long enough for a turn of the demo agent. */
const ends = { timeout: 120_000 };
type AgentLabel = 'Coder' | 'Demo agent';

const wanted = process.argv.slice(2);
const names = [
  'first',
  'turn',
  'changes',
  'notes',
  'rewind',
  'command',
  'edit',
  'question',
  'form',
  'subagent',
  'restore',
  'list',
  'notices',
];
const unknown = wanted.filter((word) => !names.some((name) => name.includes(word)));
if (unknown.length > 0) throw new Error(`No picture has the name ${unknown.join(' or ')}. There are ${names.join(', ')}.`);
const workbench = await Workbench.open({
  folderName: 'word-count',
  userSettings: {
    'editor.minimap.enabled': false,
    'acpHost.notifyWhenDone': 'hidden',
    'acpHost.requestsOutOfSight': 'notification',
  },
  machineSettings: {
    'acpHost.defaultAgent': 'coder',
    'acpHost.agents': {
      coder: { label: 'Coder', command: process.execPath, args: [path.join(root, 'test/agents/showsItsWork.mjs')] },
    },
  },
  prepare: restoreSample,
});
try {
  await mkdir(folder, { recursive: true });
  await workbench.page.setViewportSize(size);
  await workbench.openFile('wordCount.js');
  const sideBarWidth = await widthOfSideBar();
  const states: Readonly<Record<string, () => Promise<unknown>>> = {
    first: () => workbench.newSession(),
    turn: () => work(),
    changes: () => review(),
    notes: () => note(),
    rewind: () => goBack(),
    command: () => pending('Coder', 'command for a new build'),
    edit: () => pending('Coder', 'edit the word counter'),
    question: () => pending('Demo agent', 'ask one'),
    form: () => pending('Coder', 'form for the release'),
    subagent: () => pending('Demo agent', 'delegate run npm test'),
  };
  for (const [state, show] of Object.entries(states)) {
    if (!isWanted(state)) continue;
    await show();
    await take(`${state}-side`);
    await resizeSideBar(narrowWidth);
    await take(`${state}-narrow`);
    await resizeSideBar(sideBarWidth);
    await workbench.command('ACP Host: Open Chat in Editor');
    const tab = await workbench.pageIn('editor');
    await tab.message.waitFor();
    await take(`${state}-tab`);
    if (await tab.dialog.isVisible()) {
      await tab.stop.click();
      await tab.stop.waitFor({ state: 'hidden' });
    }
    await workbench.command('View: Close Editor');
  }
  if (isWanted('restore')) await takeRestore();
  if (isWanted('list') || isWanted('notices')) await takeList();
} finally {
  await workbench.close();
}

function isWanted(name: string): boolean {
  return wanted.length === 0 || wanted.some((word) => name.includes(word));
}

async function send(chat: Chat, text: string): Promise<void> {
  await chat.send(text);
  await chat.conversation.getByText(text, { exact: true }).first().waitFor();
}

async function finish(agent: AgentLabel, text: string): Promise<void> {
  const chat = await withAgent(agent);
  await send(chat, text);
  await chat.conversation.locator('.turn-end').waitFor();
}

/** Each turn changes the same files in the same way. */
async function restoreSample(target: string): Promise<void> {
  await cp(path.join(root, 'samples/workspace'), target, { recursive: true });
  await rm(path.join(target, 'test/tolerant.test.js'), { force: true });
}

async function work(): Promise<void> {
  await restoreSample(workbench.folder);
  const chat = await withAgent('Coder');
  await send(chat, 'work on the word counter, so that it accepts everything');
  await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
  await chat.stop.waitFor({ state: 'hidden' });
}

/** A turn with the files that it changed, compared in the editor. */
async function review(): Promise<void> {
  await work();
  const chat = await workbench.pageIn('sidebar');
  await chat.frame.getByRole('button', { name: 'Review All' }).click();
  await workbench.page.locator('.multiDiffEntry').first().waitFor();
  await chat.conversation
    .getByRole('button', { name: /^\d files? \+/ })
    .last()
    .click();
}

/** The message of a turn that changed files, edited in its place. */
async function goBack(): Promise<void> {
  await work();
  const chat = await workbench.pageIn('sidebar');
  await chat.conversation.getByRole('article', { name: 'You' }).last().press('F2');
  await chat.conversation.getByRole('button', { name: 'Rewind' }).scrollIntoViewIfNeeded();
}

/** The list of files that are restored, which nothing else may be opened over. */
async function takeRestore(): Promise<void> {
  await work();
  const message = (await workbench.pageIn('sidebar')).conversation.getByRole('article', { name: 'You' }).last();
  await take('restore', async () => {
    await message.hover();
    await message.getByRole('button', { name: 'Restore files to here' }).click();
    await workbench.quickInput.getByRole('checkbox').first().waitFor();
  });
}

/** A turn of which one place has a comment, and another one is undone. */
async function note(): Promise<void> {
  await work();
  await workbench.command('View: Close All Editors');
  const next = async (name: RegExp): Promise<void> => {
    await workbench.command('ACP Host: Next File to Review');
    await workbench.page.getByRole('tab', { name, selected: true }).waitFor();
    await workbench.page.locator('.editor.modified .codelens-decoration').getByText('Undo', { exact: true }).first().waitFor();
    await workbench.press('Control+Home', 'Alt+F5');
  };
  await next(/^wordCount\.js/);
  await workbench.press('Control+Alt+g');
  await workbench.page.locator('.review-widget .monaco-editor.focused').waitFor();
  await workbench.page.keyboard.type('Say why, please');
  // The editor enables the button, and its key, a moment after the first letter.
  await workbench.page.locator('.review-widget').getByRole('button', { name: 'Add Comment', disabled: false }).waitFor();
  await workbench.press('Control+Enter');
  await next(/^tolerant\.test\.js/);
  await workbench.press('Control+Alt+h');
  const chat = await workbench.pageIn('sidebar');
  await chat.frame.getByText('2 notes').waitFor();
  await workbench.command('View: Close All Editors');
  await workbench.openFile('wordCount.js');
}

async function pending(agent: AgentLabel, text: string): Promise<void> {
  const chat = await withAgent(agent);
  await send(chat, text);
  await chat.dialog.waitFor();
}

/** Begins a conversation. Otherwise, it would be one with the agent that was used last. */
async function withAgent(label: AgentLabel): Promise<Chat> {
  await workbench.command('ACP Host: New Conversation with Agent…');
  await workbench.quickInput.getByRole('option', { name: new RegExp(`^\\S+ ${label},`) }).click();
  const chat = await workbench.pageIn('sidebar');
  await chat.frame.getByRole('button', { name: `${label}: choose the agent` }).waitFor();
  await chat.frame.getByRole('heading', { name: 'New conversation' }).waitFor();
  return chat;
}

/** Conversations in every state, and notifications of two that are out of sight. */
async function takeList(): Promise<void> {
  await finish('Coder', 'rename the test folder');
  await finish('Coder', 'explain the word counter to somebody who has never seen it');
  await finish('Coder', 'write a changelog');
  await finish('Coder', 'why is this slow?');
  const failing = await withAgent('Demo agent');
  await send(failing, 'fail crash');
  await failing.conversation.getByText(/Interrupted/).waitFor();
  await workbench.statusSays(/ready/);
  await finish('Demo agent', 'fail error');
  await finish('Demo agent', 'read docs/ideas.md');
  await send(await withAgent('Demo agent'), 'long 2000');
  await pending('Coder', 'command for a second build');
  const done = await withAgent('Demo agent');
  await send(done, 'long 60');
  const asking = await withAgent('Demo agent');
  await send(asking, 'long 70');
  await asking.send('run npm test');
  await workbench.newSession();
  await workbench.row(/^long 60, done/).waitFor(ends);
  await workbench.row(/^long 70, needs input/).waitFor(ends);
  await workbench.page.locator('.notification-toast').nth(1).waitFor();
  await take('notices');
  await workbench.command('Notifications: Clear All Notifications');
  await workbench.page.locator('.part.sidebar .pane-header').filter({ hasText: 'Chat' }).first().click();
  await workbench.rows.menu(/^why is this slow/, 'Pin Conversation', workbench.row(/^why is this slow.*pinned/));
  await take('list');
  await resizeSideBar(narrowWidth);
  await take('list-narrow');
}

async function widthOfSideBar(): Promise<number> {
  return (await boxOfSideBar()).width;
}

async function boxOfSideBar(): Promise<{ readonly x: number; readonly width: number }> {
  const box = await workbench.page.locator('.part.sidebar').boundingBox();
  if (box === null) throw new Error('There is no side bar');
  return box;
}

async function resizeSideBar(width: number): Promise<void> {
  const { mouse } = workbench.page;
  const { x, width: now } = await boxOfSideBar();
  await mouse.move(x + now, 300);
  await mouse.down();
  await mouse.move(x + width, 300, { steps: 5 });
  await mouse.up();
}

/** @param show shows what does not outlast the choice of a theme */
async function take(name: string, show?: () => Promise<void>): Promise<void> {
  for (const [theme, label, kind] of themes) {
    await workbench.theme(label);
    await workbench.page.locator(`.monaco-workbench.${kind}`).waitFor();
    await show?.();
    await workbench.picture(path.join(folder, `${name}-${theme}.png`));
    if (show !== undefined) await workbench.press('Escape');
  }
  console.log(name);
}
