import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stillAlive } from '../../scripts/processes.mjs';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { root, Workbench } from './support/workbench.js';

const demoAgent = /demo-agent\.js/;
const engine = /engine\.mjs/;
const extensionHost = /type=extensionHost/;

describe('recovery after an agent, a window or an extension host ends', () => {
  let workbench: Workbench;
  reportFailures(() => workbench);
  before(async () => {
    workbench = await Workbench.open({
      files: { 'notes.txt': 'one\n' },
      machineSettings: {
        'acpHost.agents': {
          forgetful: {
            label: 'Forgetful',
            command: process.execPath,
            args: [path.join(root, 'test/agents/obedient.mjs')],
            env: { OBEDIENT_FORGETS: '1', OBEDIENT_UNIQUE_IDS: '1' },
          },
        },
      },
    });
  });
  after(() => workbench.close());

  /** Begins a turn that streams for as long as the test needs, with a message queued behind it. */
  async function midStream(): Promise<Chat> {
    const chat = await workbench.newSession();
    await chat.send('long 2000');
    await chat.stop.waitFor();
    await chat.conversation.getByText('How an agent and its host talk', { exact: true }).waitFor();
    await chat.send('read notes.txt');
    await chat.frame.getByText('1 message queued').waitFor();
    return chat;
  }

  /** Waits for the interrupted turn with its buttons, and for the message on hold behind it. */
  async function seesTheCut(chat: Chat, how: RegExp): Promise<void> {
    await chat.conversation.getByText(how).waitFor();
    await chat.conversation.getByText('How an agent and its host talk', { exact: true }).waitFor();
    await chat.frame.getByText('1 message on hold after the interrupted turn').waitFor();
    for (const name of ['Edit and Resend', 'Skip']) await chat.button(name).waitFor();
  }

  it('an agent that is killed during a turn restarts; the turn says how it ended, and the queued message is sent when the user skips the turn', async () => {
    const chat = await midStream();
    await workbench.kill(demoAgent);
    await seesTheCut(chat, /Interrupted: Demo agent was killed \(SIGKILL\)/);
    await workbench.statusSays(/ready/);
    for (const theme of ['Light Modern', 'Dark Modern']) {
      await workbench.theme(theme);
      await workbench.screenshot(`recovery-interrupted-${theme.split(' ')[0]?.toLowerCase()}`);
    }
    assert.equal(await chat.conversation.getByRole('group', { name: /notes\.txt/ }).count(), 0);
    await chat.button('Skip').click();
    await chat.conversation.getByRole('group', { name: /read.*done/i }).waitFor();
  });

  it('the prompt of an interrupted turn can be edited and sent again', async () => {
    const chat = await workbench.newSession();
    await chat.send('fail crash');
    await chat.conversation.getByText(/Interrupted: Demo agent exited \(code 70\)/).waitFor();
    await chat.button('Edit and Resend').click();
    await chat.frame.locator('textarea:focus').waitFor();
    assert.equal(await chat.message.inputValue(), 'fail crash');
    await workbench.statusSays(/ready/);
    await chat.send('read notes.txt');
    await chat.conversation.getByRole('group', { name: /read.*done/i }).waitFor();
  });

  it('killing an agent closes its open permission request and says why', async () => {
    const chat = await workbench.newSession();
    await chat.send('run echo never');
    await chat.dialog.waitFor();
    await workbench.kill(demoAgent);
    await chat.dialog.waitFor({ state: 'hidden' });
    await chat.conversation.getByText('The agent exited before it was answered.').waitFor();
    await chat.conversation.getByText(/Interrupted: Demo agent was killed/).waitFor();
    await workbench.statusSays(/ready/);
  });

  /** Sees the turn go on, stops it, and sends the queued message, which Stop returns. */
  async function seesItGoOn(chat: Chat): Promise<void> {
    await chat.conversation.getByText('How an agent and its host talk', { exact: true }).waitFor();
    await chat.frame.getByText('1 message queued').waitFor();
    await chat.stop.click();
    await chat.messageIs('read notes.txt');
    await chat.button('Send').click();
    await chat.conversation.getByRole('group', { name: /read.*done/i }).waitFor();
  }

  it('reloading the window during a turn lets it go on, with the queued message', async () => {
    await midStream();
    const agents = await workbench.processes(demoAgent);
    await workbench.reload();
    const chat = await workbench.openChat();
    await seesItGoOn(chat);
    assert.deepEqual(await stillAlive(agents), agents);
  });

  it('killing the extension host lets the turn go on, with the queued message', async () => {
    await midStream();
    const agents = await workbench.processes(demoAgent);
    await workbench.kill(extensionHost);
    // Until the next one has registered the commands, running one fails.
    await workbench.status.waitFor({ state: 'detached' });
    await workbench.status.waitFor();
    const chat = await workbench.openChat();
    await seesItGoOn(chat);
    assert.deepEqual(await stillAlive(agents), agents);
  });

  it('killing the engine during a turn interrupts it, holds the queued message, and leaves no agent running', async () => {
    const chat = await midStream();
    const agents = await workbench.processes(demoAgent);
    await workbench.kill(engine);
    await workbench.gone(agents);
    await seesTheCut(chat, /Interrupted/);
    await chat.button('Skip').click();
    await chat.conversation.getByRole('group', { name: /read.*done/i }).waitFor();
  });

  it('an engine that does not respond is told, and a restart brings another one, with the conversation', async () => {
    const chat = await workbench.newSession();
    await chat.send('read notes.txt');
    await chat.conversation.getByRole('group', { name: /read.*done/i }).waitFor();
    const [hanging] = await workbench.processes(engine);
    assert.ok(hanging !== undefined);
    process.kill(hanging.pid, 'SIGSTOP');
    await chat.send('list');
    await chat.banner.getByText("Your agents can't be reached").waitFor();
    await workbench.screenshot('recovery-engine-hangs');
    await chat.banner.getByRole('button', { name: 'Restart Engine' }).click();
    await chat.banner.getByText("Your agents can't be reached").waitFor({ state: 'hidden' });
    // Nobody knows whether the agent has got it, so it is not sent again.
    await chat.messageIs('list');
    await chat.send('read notes.txt');
    await chat.conversation
      .getByRole('group', { name: /read.*done/i })
      .nth(1)
      .waitFor();
    assert.notEqual((await workbench.processes(engine))[0]?.pid, hanging.pid);
  });

  it('if the agent forgot the conversation, the user chooses how to continue, and can read the context before it is sent', async () => {
    const chat = await workbench.withAgent('Forgetful');
    await chat.send('say the first answer');
    await chat.conversation.getByText('the first answer', { exact: true }).waitFor();
    await chat.send('die 1');
    await chat.banner.getByText("Forgetful can't resume this conversation").waitFor();
    await workbench.statusSays(/needs input/);
    await workbench.screenshot('recovery-choice');
    await chat.button('Continue with Context').click();
    await chat.conversation.getByText('Forgetful continued here').waitFor();
    const chip = chat.frame.getByRole('button', { name: /^Open Earlier conversation · 2 turns/ });
    await chip.press('Enter');
    await workbench.page.getByRole('tab', { name: /Earlier conversation/ }).waitFor();
    await workbench.page.locator('.view-lines').getByText('> say the first answer').waitFor();
    await workbench.closeTab(/Earlier conversation/);
    await chat.send('say the second answer');
    await chat.conversation.getByText('the second answer', { exact: true }).waitFor();
    await chip.waitFor({ state: 'hidden' });
    await chat.conversation.getByText('Earlier conversation', { exact: true }).waitFor();
    await chat.conversation.getByText('the first answer', { exact: true }).waitFor();
    await workbench.screenshot('recovery-with-context');
  });
});
