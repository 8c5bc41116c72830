/** The Conversations view with conversations in many states, at the size of a laptop's screen at 150 %. */
import { after, before, describe, it } from 'node:test';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

const themes = [
  ['Dark 2026', 'vs-dark'],
  ['Light 2026', 'vs'],
  ['Dark High Contrast', 'hc-black'],
  ['Light High Contrast', 'hc-light'],
] as const;

/** Long enough for the user to leave the conversation before the turn ends, on a busy machine too. */
const ends = { timeout: 120_000 };

describe('the list of conversations in a workbench', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: { 'README.md': '# Sample\n', 'notes.txt': 'one\n' },
      userSettings: { 'acpHost.notifyWhenDone': 'hidden', 'acpHost.requestsOutOfSight': 'notification' },
    });
    await workbench.page.setViewportSize({ width: 960, height: 600 });
  });
  after(() => workbench.close());

  const finish = async (text: string): Promise<Chat> => {
    const chat = await workbench.newSession();
    await chat.send(text);
    await chat.conversation.getByText(text, { exact: true }).first().waitFor();
    await chat.stop.waitFor({ state: 'hidden' });
    return chat;
  };

  it('a turn that ends out of sight is marked and told until the user sees it', async () => {
    const chat = await workbench.newSession();
    await chat.send('long 120');
    await chat.stop.waitFor();
    await workbench.newSession();
    await workbench.row(/^long 120, done/).waitFor(ends);
    await workbench.statusSays(/1 done/);
    const toast = workbench.page.locator('.notification-toast').filter({ hasText: 'long 120 is done' });
    await toast.getByRole('button', { name: 'Show' }).click();
    await (await workbench.pageIn('sidebar')).conversation.getByText('long 120', { exact: true }).waitFor();
    await workbench.row(/^long 120, Demo agent/).waitFor();
  });

  it('each state has a mark of its own, in each theme', async () => {
    for (const text of ['list', 'read README.md', 'plan', 'search sample in all files of this folder', 'list README.md'])
      await finish(text);
    const failing = await workbench.newSession();
    await failing.send('fail crash');
    await failing.conversation.getByText(/Interrupted/).waitFor();
    await workbench.statusSays(/ready/);
    for (const text of ['read notes.txt', 'think']) await finish(text);
    const asking = await workbench.newSession();
    await asking.send('run node --test');
    await asking.dialog.waitFor();
    const done = await workbench.newSession();
    await done.send('long 130');
    await done.stop.waitFor();
    const running = await workbench.newSession();
    await running.send('long 2000');
    await running.stop.waitFor();
    await workbench.newSession();
    await workbench.page.locator('.part.sidebar .pane-header').filter({ hasText: 'Chat' }).first().click();
    for (const state of [/^run node --test, needs input/, /^long 130, done/, /^long 2000, working/, /^fail crash, interrupted/])
      await workbench.row(state).waitFor(ends);
    await workbench.openFile('README.md');
    await workbench.page.mouse.move(600, 300);
    for (const [theme, kind] of themes) {
      await workbench.theme(theme);
      await workbench.page.locator(`.monaco-workbench.${kind}`).waitFor();
      await workbench.screenshot(`list-${theme.replaceAll(' ', '-')}`);
    }
  });
});
