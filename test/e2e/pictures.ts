/** Takes the pictures of README.md in a real workbench: `npm run pictures`. Build first; the demo agent does everything that they show. */
import { cp, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Chat } from './support/chat.js';
import { root, Workbench } from './support/workbench.js';

const folder = path.join(root, 'pictures');
const mostBytes = 150_000;
const sizes = { width: 1000, height: 800 };
const themes = {
  'chat-dark': { label: 'Dark 2026', kind: 'vs-dark' },
  'conversations-light': { label: 'Light 2026', kind: 'vs' },
};

const workbench = await Workbench.open({
  folderName: 'word-count',
  userSettings: { 'editor.minimap.enabled': false },
  prepare: (target) => cp(path.join(root, 'samples/workspace'), target, { recursive: true }),
});
try {
  await mkdir(folder, { recursive: true });
  await workbench.page.setViewportSize(sizes);
  await takeChat();
  await takeConversations();
} finally {
  await workbench.close();
}

/** A tool call that is done, and one that needs permission. */
async function takeChat(): Promise<void> {
  await workbench.openFile('wordCount.js');
  const chat = await workbench.newSession();
  await widenSideBar(440);
  await toggleView('Conversations');
  await send(chat, 'search mostFrequent');
  await chat.send('edit docs/ideas.md Count lines => Count letters, lines');
  await chat.dialog.waitFor();
  await take('chat-dark');
  await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
  await chat.stop.waitFor({ state: 'hidden' });
  await toggleView('Conversations');
}

/** Conversations in every state, and one of them in a tab. */
async function takeConversations(): Promise<void> {
  for (const text of ['list', 'read docs/ideas.md', 'plan']) await send(await workbench.newSession(), text);
  // First, because the others would lose their process as well.
  const failing = await workbench.newSession();
  await failing.send('fail crash');
  await failing.conversation.getByText(/Interrupted/).waitFor();
  await workbench.statusSays(/ready/);
  const asking = await workbench.newSession();
  await asking.send('run node --test');
  await asking.dialog.waitFor();
  const running = await workbench.newSession();
  await running.send('long 2000');
  await running.stop.waitFor();
  await workbench.newSession();
  await toggleView('Chat');
  await workbench.rows.menu(/^search mostFrequent,/, 'Pin Conversation', workbench.row(/^search mostFrequent,.*pinned/));
  await workbench.command('View: Close All Editors');
  await workbench.rows.menu(/^plan,/, 'Open Conversation in Editor', workbench.page.getByRole('tab', { name: 'plan' }));
  const tab = await workbench.pageOfTab('plan');
  await tab.message.waitFor();
  await take('conversations-light');
}

async function send(chat: Chat, text: string): Promise<void> {
  await chat.send(text);
  await chat.conversation.getByText(text, { exact: true }).waitFor();
  await chat.stop.waitFor({ state: 'hidden' });
}

/** Folds a view of the side bar, or unfolds it. */
async function toggleView(title: string): Promise<void> {
  await workbench.page.locator('.part.sidebar .pane-header').filter({ hasText: title }).first().click();
}

async function widenSideBar(width: number): Promise<void> {
  const { mouse } = workbench.page;
  const bar = await workbench.page.locator('.part.sidebar').boundingBox();
  if (bar === null) throw new Error('There is no side bar');
  await mouse.move(bar.x + bar.width, 300);
  await mouse.down();
  await mouse.move(bar.x + width, 300, { steps: 5 });
  await mouse.up();
  await mouse.move(sizes.width / 2, sizes.height - 5);
}

async function take(name: keyof typeof themes): Promise<void> {
  const { label, kind } = themes[name];
  await workbench.theme(label);
  await workbench.page.locator(`.monaco-workbench.${kind}`).waitFor();
  const file = path.join(folder, `${name}.png`);
  await workbench.picture(file);
  const { size } = await stat(file);
  console.log(`${file}: ${size} bytes`);
  if (size > mostBytes) throw new Error(`${file} has ${size} bytes, more than ${mostBytes}`);
}
