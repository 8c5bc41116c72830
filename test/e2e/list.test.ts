/** The Conversations view with conversations in many states, at the size of a laptop's screen at 150 %. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { reportFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

/** Pipes on which turns wait, so that they work until the test ends them, and draw nothing meanwhile. */
const pipes = ['first', 'second', 'third'] as const;

describe('the list of conversations in a workbench', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: { 'README.md': '# Sample\n', 'notes.txt': 'one\n' },
      prepare: async (folder) => void execFileSync('mkfifo', pipes, { cwd: folder }),
      userSettings: { 'acpHost.notifyWhenDone': 'hidden', 'acpHost.requestsOutOfSight': 'notification' },
    });
    await workbench.page.setViewportSize({ width: 960, height: 600 });
  });
  after(() => workbench.close());

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
    const toast = workbench.page.locator('.notification-toast').filter({ hasText: 'run cat first is done' });
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
    await end('third');
  });
});
