import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type ConversationPorts, HostError } from '../../src/core/index.js';
import { commandTarget } from '../../src/extension/actions/commandTarget.js';
import { execute } from '../../src/extension/conversation/execute.js';
import { conversationName } from '../../src/extension/conversation/conversationName.js';
import { keepShown, type KeepShownOptions } from '../../src/extension/conversation/keepShown.js';
import { OpenConversations } from '../../src/extension/conversation/openConversations.js';
import { isUntouched } from '../../src/extension/conversation/untouched.js';
import type { Folder } from '../../src/extension/window/folders.js';
import { lines, openFrontEnd, reached, run, said, say, settled, text } from '../core/conversation/frontEnd.js';

async function openWindow(t: TestContext, ports: Partial<ConversationPorts> = {}) {
  const [line] = lines;
  assert.ok(line);
  const frontEnd = await openFrontEnd(t, line, { ports });
  const conversations = new OpenConversations(frontEnd.conversations, (path) => ({ path, name: basename(path) }));
  return { conversations, folder: { path: frontEnd.folder, name: 'folder' }, started: frontEnd.started };
}

describe('the conversations of a window', () => {
  it('there may be any number per folder, and one that leaves the view continues its turn', async (t) => {
    const { conversations, folder, started } = await openWindow(t);
    const first = conversations.open(folder);
    conversations.show(first);
    await run(first.conversation, { type: 'send', content: text('wait') });
    await reached(first.conversation, ({ status }) => status.state === 'busy');
    const second = conversations.open(folder);
    conversations.show(second);
    assert.equal(conversations.current, second);
    await say(second.conversation, 'say two');
    assert.deepEqual(said(second.conversation.state), ['user: say two', 'agent: two', 'end ended']);
    assert.equal(first.conversation.state.session?.turn.type, 'running');
    assert.equal(started.length, 1);
    assert.notEqual(first.id, second.id);
    assert.equal(conversations.open(folder, { id: first.id }), first);
    await settled(first.conversation, { type: 'cancel', scope: 'everything' });
  });

  it('commands apply to the one of the active tab, else to the one in the view', async (t) => {
    const { conversations, folder } = await openWindow(t);
    const [shown, inTab] = [conversations.open(folder), conversations.open(folder)];
    conversations.show(shown);
    conversations.activate(inTab.id);
    assert.equal(conversations.current, inTab);
    conversations.activate(undefined);
    assert.equal(conversations.current, shown);
    conversations.activate(inTab.id);
    await conversations.close(inTab.id);
    assert.equal(conversations.current, shown);
  });

  it('the title bar of the chat view applies to the one in the view, even with an active tab', async (t) => {
    const { conversations, folder } = await openWindow(t);
    const [shown, inTab] = [conversations.open(folder), conversations.open(folder)];
    conversations.show(shown);
    conversations.activate(inTab.id);
    assert.equal(commandTarget('acpHost.chatView.restartAgent', conversations), shown);
    assert.equal(commandTarget('acpHost.restartAgent', conversations), inTab);
  });

  it('they end with their folder', async (t) => {
    const { conversations, folder, started } = await openWindow(t);
    const other = conversations.open({ path: `${folder.path}/other`, name: 'other' });
    const closed: string[] = [];
    conversations.onClosed(({ id }) => closed.push(id));
    const entry = conversations.open(folder);
    conversations.show(entry);
    await say(entry.conversation, 'say one');
    await conversations.closeFolder(folder.path);
    assert.deepEqual([conversations.all, conversations.shown, closed], [[other], undefined, [entry.id]]);
    await say(conversations.open(folder).conversation, 'say two');
    assert.equal(started.length, 2);
  });

  it('they are named by their first words until their agent sends a title', async (t) => {
    const { conversations, folder } = await openWindow(t);
    const { conversation } = conversations.open(folder);
    assert.deepEqual([conversationName(conversation.state), isUntouched(conversation.state)], ['New conversation', true]);
    await say(conversation, `say\n  ${'long '.repeat(30)}`);
    assert.match(conversationName(conversation.state), /^say (long )+l…$/);
    assert.equal(isUntouched(conversation.state), false);
  });
});

/** What is remembered about the folders of a window. */
function memoryOf(folders: readonly Folder[]) {
  const shownIn = new Map<string, string>();
  const order: string[] = [];
  const memory: KeepShownOptions['memory'] & { folders: readonly Folder[] } = {
    folders,
    shownIn: (path) => shownIn.get(path),
    show(path, id) {
      shownIn.set(path, id);
      order.unshift(path);
    },
    lastShown: () => memory.folders.toSorted((a, b) => order.indexOf(a.path) - order.indexOf(b.path))[0],
  };
  return memory;
}

describe('without a conversation in the chat view', () => {
  it('after its folder was closed, the one that was last shown in another folder comes back', async (t) => {
    const { conversations, folder } = await openWindow(t);
    const other = { path: `${folder.path}/other`, name: 'other' };
    const memory = memoryOf([folder, other]);
    conversations.onShown(() => keepShown({ conversations, memory }));
    const remembered = conversations.open(other);
    for (const entry of [remembered, conversations.open(other), remembered, conversations.open(folder)]) conversations.show(entry);
    memory.folders = [other];
    await conversations.closeFolder(folder.path);
    assert.equal(conversations.shown?.id, remembered.id);
    assert.equal(memory.shownIn(other.path), remembered.id);
  });

  it('one that was deleted does not come back, unless the user undid that', async (t) => {
    const { conversations, folder } = await openWindow(t);
    const memory = memoryOf([folder]);
    conversations.onShown(() => keepShown({ conversations, memory }));
    const deleted = conversations.open(folder);
    conversations.show(deleted);
    await conversations.delete(deleted.id);
    assert.ok(conversations.shown !== undefined && conversations.shown.id !== deleted.id);
    memory.show(folder.path, deleted.id);
    await conversations.change({ type: 'restore', id: deleted.id });
    await conversations.close(conversations.shown.id);
    assert.equal(conversations.shown.id, deleted.id);
  });
});

describe('a user action that was not executed', () => {
  it('it is an error unless the conversation shows why', async (t) => {
    const { conversations, folder } = await openWindow(t, { isTrusted: () => false });
    const conversation = conversations.open(folder).conversation;
    assert.equal(await execute(conversation, { type: 'open' }), false);
    assert.equal(conversation.state.blocker?.error.code, 'untrusted');
    assert.equal(await execute(conversation, { type: 'unqueue', promptId: 'gone' }), false);
    await conversations.closeFolder(folder.path);
    await assert.rejects(execute(conversation, { type: 'retry' }), (error) => error instanceof HostError && error.code === 'disposed');
  });
});
