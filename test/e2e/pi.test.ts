import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { files, said, shellOutput } from '../realAgents/model/script.js';
import { type ScriptedModel, startScriptedModel } from '../realAgents/model/server.js';
import { makeRooms, type Rooms, writeAll } from '../real/launch.js';
import { homeWith, missingPi, piInRooms } from '../real/pi.js';
import type { Chat } from './support/chat.js';
import { reportFailures } from './support/failures.js';
import { root, Workbench } from './support/workbench.js';

/** The name that Pi gives its process. */
const piProcess = /^pi\s*$/;

describe('the real Pi in a workbench', { skip: missingPi('pi 0.74.2') }, () => {
  let workbench: Workbench;
  let model: ScriptedModel;
  let rooms: Rooms;
  reportFailures(() => workbench);
  before(async () => {
    model = await startScriptedModel();
    rooms = await makeRooms({ home: homeWith(model.origin) });
    const extensions = ['media/pi/askFirst.js', 'test/real/piDialogs.mjs'].flatMap((file) => ['--extension', path.join(root, file)]);
    const pi = { label: 'Pi', protocol: 'pi', ...piInRooms(extensions), env: { HOME: rooms.home, NO_PROXY: '127.0.0.1' } };
    workbench = await Workbench.open({
      machineSettings: { 'acpHost.agents': { pi }, 'acpHost.defaultAgent': 'pi' },
      prepare: (folder) => writeAll(folder, { [files.existing]: files.before }),
    });
  });
  after(async () => {
    await workbench.close();
    await model.close();
    await rooms.remove();
  });

  const send = (chat: Chat, name: string): Promise<void> => chat.send(`CASE:${name} DIR=${workbench.folder}`);
  const allow = async (chat: Chat, question: RegExp): Promise<void> => {
    await chat.dialog.getByText(question).first().waitFor();
    await chat.dialog.getByRole('button', { name: /^Yes/ }).click();
  };

  it('answers, edits a file when allowed, and accepts messages during a turn', async () => {
    const chat = await workbench.newSession();
    await send(chat, 'edit');
    await allow(chat, /Edit .*a\.txt\?/);
    await chat.conversation.getByText(said.done).waitFor();
    await chat.conversation.getByRole('group', { name: /edit .*a\.txt \(done\)/i }).waitFor();
    assert.equal(await readFile(path.join(workbench.folder, files.existing), 'utf8'), files.edited);
    await send(chat, 'shell');
    await chat.dialog.getByText('Run this command?').waitFor();
    const queue = chat.frame.getByRole('region', { name: 'Queued messages' });
    await chat.message.fill('into the turn');
    await chat.message.press('Alt+Enter');
    await queue.getByText('1 message queued').waitFor();
    await send(chat, 'text');
    await queue.getByText('2 messages queued').waitFor();
    await assert.rejects(access(path.join(workbench.folder, 'ran.txt')));
    await workbench.screenshot('pi-queue');
    await allow(chat, /Run this command/);
    await chat.conversation.getByText(shellOutput).first().waitFor();
    await chat.conversation.getByText('into the turn', { exact: true }).waitFor();
    await chat.conversation.getByText(said.text).waitFor();
    await queue.waitFor({ state: 'hidden' });
    await access(path.join(workbench.folder, 'ran.txt'));
  });

  it('shows every kind of dialog that an extension opens', async () => {
    const chat = await workbench.newSession();
    await chat.message.fill('/dialogs');
    // The Enter key would first select the entry in the list of commands, if the list is already open.
    await chat.button('Send').click();
    const submit = chat.dialog.getByRole('button', { name: 'Submit' });
    await chat.dialog.getByRole('radio', { name: 'Block' }).check();
    await submit.click();
    await allow(chat, /Sure\?/);
    await chat.dialog.getByText('Name?').waitFor();
    await chat.dialog.getByRole('textbox').fill('Ada');
    await submit.click();
    await chat.dialog.getByText('Edit', { exact: true }).waitFor();
    assert.equal(await chat.dialog.getByRole('textbox').inputValue(), 'Line 1\nLine 2');
    await chat.dialog.getByRole('textbox').fill('Line 3');
    await submit.click();
    // The last dialog times out.
    await chat.frame.getByText('["Block",true,"Ada","Line 3",false]').first().waitFor();
    await chat.dialog.waitFor({ state: 'hidden' });
  });

  it('stops, restarts after it was killed, and remembers the conversation after a reload of the window', async () => {
    const before = new Set((await workbench.processes(piProcess)).map(({ pid }) => pid));
    const chat = await workbench.newSession();
    await send(chat, 'endless');
    await chat.conversation.getByText(said.beginning).waitFor();
    await chat.stop.click();
    await chat.conversation.getByText(/^Stopped( ·|$)/).waitFor();
    await send(chat, 'endless');
    await chat.conversation.getByText(said.beginning).nth(1).waitFor();
    const [own, ...others] = (await workbench.processes(piProcess)).filter(({ pid }) => !before.has(pid));
    assert.ok(own !== undefined && others.length === 0, 'a conversation has one process');
    process.kill(own.pid, 'SIGKILL');
    await chat.conversation.getByText(/Interrupted: Pi lost its session/).waitFor();
    await workbench.statusSays(/ready/);
    await send(chat, 'recall');
    await chat.conversation.getByText(said.recall(3)).waitFor();
    await workbench.reload();
    const again = await workbench.openChat();
    await again.conversation.getByText(said.recall(3)).waitFor();
    await send(again, 'recall');
    await again.conversation.getByText(said.recall(4)).waitFor();
  });
});
