/** One conversation in several windows, browsers and terminals with the same folder. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sessionsLine, type SessionsLine } from '../../src/cli/output/reportSchema.js';
import { type CliResult, CliProcess, noTerminal, type Place } from '../cli/cliProcess.js';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { Workbench } from './support/workbench.js';

const extensionHost = /type=extensionHost/;

describe('one conversation in several places', () => {
  let state: string;
  /** The first window. Closing it ends the workbench. */
  let whole: Workbench;
  /** The window that the tests use. */
  let workbench: Workbench;
  reportFailures(() => workbench);
  let place: Place;
  before(async () => {
    state = await mkdtemp(path.join(tmpdir(), 'acp-host-e2e-state-'));
    const shared = { ACP_HOST_STATE: path.join(state, 'host'), ACP_HOST_DEMO_STATE: path.join(state, 'demo') };
    workbench = whole = await Workbench.open({ files: { 'notes.txt': 'one\n' }, env: shared });
    place = {
      workspace: workbench.folder,
      env: { PATH: '/usr/bin:/bin', HOME: state, TERM: 'xterm', NO_COLOR: '1', ...shared },
      remove: () => rm(state, { recursive: true, force: true, maxRetries: 5 }),
    };
  });
  after(async () => {
    await whole.close();
    await place.remove();
  });

  const idle = (chat: Chat): Promise<void> => chat.stop.waitFor({ state: 'hidden' });
  const answered = (chat: Chat): Promise<void> =>
    chat.conversation
      .getByRole('group', { name: /read.*done/i })
      .last()
      .waitFor();

  /** Begins a conversation with a turn that streams for as long as the test needs. */
  async function midStream(words: string): Promise<Chat> {
    const chat = await workbench.newSession();
    await chat.send(words);
    await chat.stop.waitFor();
    await chat.conversation.getByText('How an agent and its host talk', { exact: true }).waitFor();
    return chat;
  }

  /** Waits until the answer that streams is longer. */
  async function grows(chat: Chat): Promise<void> {
    const before = await chat.conversation.innerText();
    await chat.frame.locator('body').evaluate(
      (body, length) =>
        new Promise<void>((resolve) => {
          const look = (): void => {
            const text = body.querySelector<HTMLElement>('[role=log]')?.innerText ?? '';
            if (text.length > length) resolve();
            else requestAnimationFrame(look);
          };
          look();
        }),
      before.length,
    );
  }

  /** Stops the turn in one place, which the other one shows. */
  async function stopIn(chat: Chat, there: Chat): Promise<void> {
    const stopped = there.conversation.getByText(/^Stopped/);
    const before = await stopped.count();
    await chat.stop.click();
    await stopped.nth(before).waitFor();
    await idle(chat);
  }

  it('when the browser is reopened during a turn while the old extension host still runs, the turn is shown, streams, and can be stopped', async () => {
    await midStream('long 1901');
    const [old] = await workbench.processes(extensionHost);
    await whole.crash();
    workbench = await whole.window('same browser');
    assert.ok(
      (await workbench.processes(extensionHost)).some(({ pid }) => pid === old?.pid),
      'the old extension host is gone',
    );
    const chat = await workbench.openChat();
    await chat.conversation.getByText('long 1901', { exact: true }).waitFor();
    await workbench.row(/^long 1901, working/).waitFor();
    await grows(chat);
    await workbench.screenshot('windows-reopened');
    await stopIn(chat, chat);
    await chat.send('read notes.txt');
    await answered(chat);
    await workbench.row(/^long 1901, Demo agent/).waitFor();
  });

  it('another browser shows the open conversation, its draft and the list of conversations', async () => {
    const chat = await workbench.newSession();
    await chat.send('list');
    await idle(chat);
    await chat.message.fill('begun in the first browser');
    const other = await workbench.window('other browser');
    const there = await other.openChat();
    await there.conversation.getByText('notes.txt').first().waitFor();
    await other.row(/^long 1901,/).waitFor();
    await there.messageIs('begun in the first browser');
    // While the user is in the message box of a page, only the user changes it.
    await workbench.page.locator('.part.editor').click();
    await there.message.fill('continued in the second');
    await chat.messageIs('continued in the second');
    await other.close();
    await chat.message.fill('');
  });

  it('each of two windows shows what happens in the other, and can answer, stop and continue', async () => {
    const chat = await workbench.newSession();
    await chat.send('read notes.txt');
    await answered(chat);
    const other = await workbench.window('same browser');
    const there = await other.openChat();
    await answered(there);
    // The first answer wins, and the request is gone in both.
    await chat.send('edit notes.txt one => two');
    await chat.dialog.waitFor();
    await there.conversation.getByText('edit notes.txt one => two').waitFor();
    await there.dialog.getByRole('button', { name: /Allow once/ }).click();
    await chat.dialog.waitFor({ state: 'hidden' });
    await workbench.page.locator('.part.statusbar').getByText('Answered in another window: Allow once').waitFor();
    await workbench.screenshot('windows-answered');
    await chat.conversation
      .getByRole('group', { name: /notes\.txt.*done/ })
      .last()
      .waitFor();
    await there.send('list');
    await chat.conversation.getByText('list', { exact: true }).waitFor();
    await idle(chat);
    await chat.send('long 1902');
    await there.conversation.getByText('How an agent and its host talk', { exact: true }).waitFor();
    await grows(there);
    await stopIn(there, chat);
    // A turn goes on although the window in which it began is closed.
    await there.send('long 1903');
    await there.stop.waitFor();
    await other.close();
    await chat.conversation.getByText('long 1903', { exact: true }).waitFor();
    await grows(chat);
    await stopIn(chat, chat);
  });

  it('a request is answered in a terminal while no window is open, and the next window tells what ended that nobody saw', async () => {
    const chat = await workbench.newSession();
    await chat.send('edit notes.txt two => three');
    await chat.dialog.waitFor();
    await workbench.page.close();
    // They would wait for hours for a window whose connection might only be interrupted.
    for (const { pid } of await workbench.processes(extensionHost)) process.kill(pid, 'SIGKILL');
    const attached = new CliProcess(place, ['attach', '--format', 'json']);
    await attached.event('request', (line) => line.event === 'permission' && line.phase === 'request');
    attached.writeLine({ permission: 'ask1', optionId: 'allow_once' });
    assert.equal((await attached.ended()).code, 0);
    const detached = new CliProcess(place, ['run', '--agent', 'demo', '--detach', 'list the rest']);
    assert.equal((await detached.ended()).code, 0);
    const watch = new CliProcess(place, ['status', '--watch', '--format', 'json']);
    await watch.until('the end', (text) => !(text.trimEnd().split('\n').at(-1) ?? 'running').includes('"state":"running"'));
    watch.child.kill('SIGINT');
    await watch.ended();
    workbench = await whole.window('same browser');
    await workbench.page.getByText('Demo agent: "list the rest" ended while you were away', { exact: true }).waitFor();
    await workbench.screenshot('windows-away');
    await workbench.page.getByRole('button', { name: 'Show', exact: true }).click();
    await (await workbench.pageIn('sidebar')).conversation.getByText('list the rest', { exact: true }).waitFor();
    await workbench.row(/^edit notes\.txt two => three/).click();
    await (await workbench.pageIn('sidebar')).conversation
      .getByRole('group', { name: /notes\.txt.*done/ })
      .last()
      .waitFor();
  });

  it('a conversation that is deleted in one window is closed in the other, and Undo brings it back', async () => {
    const chat = await workbench.newSession();
    await chat.send('think of both');
    await idle(chat);
    const other = await workbench.window('same browser');
    const there = await other.openChat();
    await there.conversation.getByText('think of both', { exact: true }).waitFor();
    await other.rows.menu(/^think of both/, 'Delete', other.page.getByText('Deleted "think of both"').first());
    await chat.conversation.getByText('think of both', { exact: true }).waitFor({ state: 'detached' });
    await other.page.getByRole('button', { name: 'Undo' }).click();
    await workbench.row(/^think of both/).waitFor();
    await other.close();
  });

  it('a conversation from the editor can be listed, shown and continued in a terminal, and then continued in the editor', {
    skip: noTerminal() ?? false,
  }, async () => {
    const cli = (...args: readonly string[]): Promise<CliResult> => new CliProcess(place, args, {}, { terminal: true }).ended();
    const listed = async (): Promise<SessionsLine['sessions'][number]> => {
      const { stdout } = await cli('sessions', '--format', 'json');
      const found = sessionsLine.parse(JSON.parse(stdout)).sessions.find(({ title }) => title === 'think of the editor');
      assert.ok(found !== undefined, stdout);
      return found;
    };
    const chat = await workbench.newSession();
    await chat.send('think of the editor');
    await workbench.row(/^think of the editor, Demo agent/).waitFor();
    await idle(chat);
    const { id, state: idleState } = await listed();
    assert.equal(idleState, 'idle');
    assert.match((await cli('show', id)).stdout, /think of the editor/);
    const run = await cli('run', '--agent', 'demo', '--session', id, 'read notes.txt');
    assert.equal(run.code, 0, run.stdout);
    await chat.conversation.getByText('read notes.txt').waitFor();
    await answered(chat);
    await idle(chat);

    // The editor shows what happens in the terminal, and can stop it.
    const terminal = new CliProcess(place, ['chat', '--agent', 'demo', '--session', id], {}, { terminal: true });
    await terminal.until('line', isAsked);
    terminal.child.stdin.write('long 1904\r');
    await chat.conversation.getByText('long 1904', { exact: true }).waitFor();
    await grows(chat);
    assert.equal((await listed()).state, 'running');
    await workbench.screenshot('windows-terminal');
    await stopIn(chat, chat);
    terminal.child.stdin.write('\x04');
    await terminal.ended();
    await chat.send('read notes.txt');
    await chat.conversation
      .getByRole('group', { name: /read.*done/i })
      .nth(1)
      .waitFor();
    await idle(chat);
    await workbench.row(/^think of the editor, Demo agent/).waitFor();
    assert.equal((await listed()).state, 'idle');
    const { stdout } = await cli('show', id);
    for (const words of ['think of the editor', 'long 1904']) assert.ok(stdout.includes(words), stdout);
  });
});

const isAsked = (text: string): boolean => /> (?:\x1b\[3G)?$/.test(text);
