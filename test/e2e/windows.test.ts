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
const stopping = 'Stop and Continue Here';

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

  async function takeOverTurn(window: Workbench, chat: Chat): Promise<void> {
    const stopped = chat.conversation.getByText(/^Stopped|Interrupted/);
    const before = await stopped.count();
    await chat.button('Continue Here').click();
    const question = window.page.locator('.monaco-dialog-box');
    await question.getByText(/Stop the turn in the (other window|terminal)\?/).waitFor();
    await question.getByRole('button', { name: stopping }).click();
    await stopped.nth(before).waitFor();
  }

  it('when the browser is reopened during a turn while the old extension host still runs, the turn is shown, streams, and can be taken over', async () => {
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
    await chat.frame.getByText('Demo agent is working in another window').waitFor();
    await workbench.row(/^long 1901, open elsewhere/).waitFor();
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
    assert.equal(await chat.button('Stop').count(), 0, 'a turn in another window cannot be stopped here');
    await workbench.screenshot('windows-elsewhere');
    await takeOverTurn(workbench, chat);
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
    assert.equal(await there.message.inputValue(), 'begun in the first browser');
    await there.frame.getByText('This conversation is open in another window').waitFor();
    await other.close();
    await chat.message.fill('');
  });

  it('each of two windows shows what happens in the other, and can continue the conversation', async () => {
    const chat = await workbench.newSession();
    await chat.send('read notes.txt');
    await answered(chat);
    const other = await workbench.window('same browser');
    const there = await other.openChat();
    await there.frame.getByText('This conversation is open in another window').waitFor();
    await chat.send('edit notes.txt one => two');
    await chat.dialog.waitFor();
    await there.conversation.getByText('edit notes.txt one => two').waitFor();
    await there.banner.getByText('Demo agent needs your input in another window').waitFor();
    await there.dialog.waitFor({ state: 'hidden' });
    await chat.dialog.getByRole('button', { name: /Allow once/ }).click();
    await there.conversation
      .getByRole('group', { name: /notes\.txt.*done/ })
      .last()
      .waitFor();
    await there.frame.getByText('This conversation is open in another window').waitFor();
    await there.button('Continue Here').click();
    await chat.frame.getByText('This conversation is open in another window').waitFor();
    await there.frame.getByText('This conversation is open in another window').waitFor({ state: 'hidden' });
    await there.send('list');
    await chat.conversation.getByText('list', { exact: true }).waitFor();
    await idle(there);
    // Sending a message is enough to continue here.
    await chat.send('long 1902');
    await there.conversation.getByText('How an agent and its host talk', { exact: true }).waitFor();
    await there.frame.getByText('Demo agent is working in another window').waitFor();
    await takeOverTurn(other, there);
    await chat.frame.getByText('This conversation is open in another window').waitFor();
    await there.send('read notes.txt');
    await answered(there);
    await other.close();
    await chat.frame.getByText('This conversation is open in another window').waitFor({ state: 'hidden' });
    await chat.send('read notes.txt');
    await idle(chat);
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
    const { id, state: idleState, openIn } = await listed();
    assert.deepEqual([idleState, openIn], ['idle', 'editor']);
    assert.match((await cli('sessions')).stdout, /\[open in the editor\] think of the editor/);
    assert.match((await cli('show', id)).stdout, /think of the editor/);

    // If no turn is running, the terminal continues at once, and the editor shows it.
    const run = await cli('run', '--agent', 'demo', '--session', id, 'read notes.txt');
    assert.equal(run.code, 0, run.stdout);
    await chat.conversation.getByText('read notes.txt').waitFor();
    await answered(chat);
    await idle(chat);

    // A turn that runs in the editor is stopped only on request.
    await chat.send('long 1903');
    await chat.stop.waitFor();
    await chat.conversation.getByText('How an agent and its host talk', { exact: true }).waitFor();
    assert.deepEqual([(await listed()).state, (await listed()).openIn], ['running', 'editor']);
    const refused = new CliProcess(place, ['run', '--agent', 'demo', '--session', id, 'list'], {}, { terminal: true });
    await refused.until('question', (text) =>
      text.includes('working on this conversation in the editor. Stop it and continue here? [y/N]'),
    );
    refused.child.stdin.write('n\r');
    assert.equal((await refused.ended()).code, 2);
    assert.ok(await chat.stop.isVisible());
    const terminal = new CliProcess(place, ['chat', '--agent', 'demo', '--session', id, '--take-over'], {}, { terminal: true });
    await terminal.until('line', isAsked);
    await chat.conversation.getByText(/^Stopped|Interrupted/).waitFor();
    await chat.frame.getByText('This conversation is open in a terminal').waitFor();

    // Then back: the editor shows what happens in the terminal, and takes over the conversation.
    terminal.child.stdin.write('long 1904\r');
    await chat.frame.getByText('Demo agent is working in a terminal').waitFor();
    await chat.conversation.getByText('long 1904', { exact: true }).waitFor();
    await workbench.screenshot('windows-terminal');
    await takeOverTurn(workbench, chat);
    await terminal.until('word of it', (text) => text.includes('continues in an editor window'));
    await terminal.until('the question', (text) => text.includes('Press Enter to continue here, Ctrl+D to exit: '));
    terminal.child.stdin.write('\x04');
    await terminal.ended();
    await chat.send('read notes.txt');
    await chat.conversation
      .getByRole('group', { name: /read.*done/i })
      .nth(1)
      .waitFor();
    await idle(chat);
    await workbench.row(/^think of the editor, Demo agent/).waitFor();
    assert.deepEqual([(await listed()).state, (await listed()).openIn], ['idle', 'editor']);
    const { stdout } = await cli('show', id);
    for (const words of ['think of the editor', 'long 1903', 'long 1904']) assert.ok(stdout.includes(words), stdout);
  });
});

const isAsked = (text: string): boolean => /> (?:\x1b\[3G)?$/.test(text);
