import assert from 'node:assert/strict';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { HostError } from '../../src/core/index.js';
import { commandTarget } from '../../src/extension/actions/actionScope.js';
import { conversationName } from '../../src/extension/list/listRow.js';
import { execute, isUntouched, keepShown, type OpenConversations } from '../../src/extension/conversation/openConversations.js';
import type { Folder } from '../../src/extension/window/workspace.js';
import { isWaiting, reached, run, said, say, settled, text } from '../core/conversation/frontEnd.js';
import { openWindow, windowOf } from './openWindow.js';

/** Resolves when the list of the window is as it should be. */
function listed(conversations: OpenConversations, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!holds()) return;
      subscription.dispose();
      resolve();
    };
    const subscription = conversations.onListChange(look);
    look();
  });
}

describe('the conversations of a window', () => {
  it('there may be any number per folder, and one that leaves the view continues its turn', async (t) => {
    const { conversations, folder, lab } = await openWindow(t);
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
    assert.equal(lab.started, 1);
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
    assert.equal(commandTarget('acpHost.chatView.restartAgent', conversations, undefined), shown);
    assert.equal(commandTarget('acpHost.restartAgent', conversations, undefined), inTab);
    const group = { id: shown.id, label: 'a conversation', resourceStates: [] };
    assert.equal(commandTarget('acpHost.markReviewed', conversations, group), shown);
  });

  it('they are closed with their folder, and what runs in them goes on', async (t) => {
    const { conversations, folder, lab, client } = await openWindow(t);
    const other = conversations.open({ path: `${folder.path}/other`, name: 'other' });
    const closed: string[] = [];
    conversations.onClosed(({ id }) => closed.push(id));
    const entry = conversations.open(folder);
    conversations.show(entry);
    await run(entry.conversation, { type: 'send', content: text('wait') });
    await reached(entry.conversation, isWaiting);
    await conversations.closeFolder(folder.path);
    assert.deepEqual([conversations.all, conversations.shown, closed], [[other], undefined, [entry.id]]);
    const again = client.open({ cwd: folder.path, id: entry.id });
    await reached(again, isWaiting);
    assert.equal(lab.started, 1);
    await settled(again, { type: 'cancel', scope: 'everything' });
  });

  it('they are named by their first line until their agent sends a title', async (t) => {
    const { conversations, folder } = await openWindow(t);
    const { conversation } = conversations.open(folder);
    assert.equal(isUntouched(conversation.state), false, 'what was saved is not here yet');
    await reached(conversation, ({ isRestored }) => isRestored);
    assert.deepEqual([conversationName(conversation.state), isUntouched(conversation.state)], ['New conversation', true]);
    await say(conversation, `say ${'long '.repeat(30)}\npasted`);
    assert.match(conversationName(conversation.state), /^say (long )+long…$/);
    assert.equal(isUntouched(conversation.state), false);
  });
});

describe('conversations of other windows', () => {
  it('the list has those of the folders of the window, whichever path leads there', async (t) => {
    const { conversations, folder, lab } = await openWindow(t);
    const link = join(folder.path, '../link');
    await symlink(folder.path, link);
    const elsewhere = { path: join(folder.path, '../elsewhere'), name: 'elsewhere' };
    await mkdir(elsewhere.path);
    const other = await windowOf(t, lab, () => [{ path: link, name: 'link' }]);
    const [here, there] = [conversations.open(folder), conversations.open(elsewhere)];
    await Promise.all([here, there].map(({ conversation }) => say(conversation, 'say one')));
    await listed(other.conversations, () => other.conversations.listed(here.id)?.firstWords !== undefined);
    assert.deepEqual(
      other.conversations.list.map(({ id, cwd }) => [id, cwd]),
      [[here.id, link]],
    );
    const opened = other.conversations.openListed(here.id);
    assert.deepEqual(opened?.folder, { path: link, name: 'link' });
    assert.equal(conversations.list.length, 2, 'also what is open here in another folder');
  });

  it('one that runs is open in every window of its folder, so that its requests are seen, and is closed when it ends', async (t) => {
    const { conversations, folder, lab } = await openWindow(t);
    const other = await windowOf(t, lab);
    const { id, conversation } = conversations.open(folder);
    await run(conversation, { type: 'send', content: text('wait') });
    await listed(other.conversations, () => other.conversations.get(id) !== undefined);
    const there = other.conversations.get(id)?.conversation ?? assert.fail('not open');
    await reached(there, isWaiting);
    other.conversations.closeIdle(() => false);
    assert.ok(other.conversations.get(id));
    await settled(there, { type: 'cancel', scope: 'everything' });
    await listed(other.conversations, () => other.conversations.listed(id)?.activity === 'idle');
    // What was not sent returns to a composer.
    await run(there, { type: 'take_returned', promptIds: there.state.returned.map((prompt) => prompt.id) });
    other.conversations.closeIdle(() => true);
    assert.ok(other.conversations.get(id), 'a tab shows it');
    other.conversations.closeIdle(() => false);
    assert.equal(other.conversations.get(id), undefined);
    assert.ok(other.conversations.listed(id));
  });

  it('one that is deleted in another window is closed here, and stays so when the window is reloaded', async (t) => {
    const { conversations, folder, lab } = await openWindow(t);
    const other = await windowOf(t, lab);
    const { id, conversation } = conversations.open(folder);
    await say(conversation, 'say one');
    other.conversations.open(folder, { id });
    await other.conversations.delete(id);
    assert.deepEqual([conversations.get(id), conversations.isDeleted(id), conversations.listed(id)], [undefined, true, undefined]);
    const reloaded = await windowOf(t, lab);
    const closed = new Promise<void>((resolve) => reloaded.conversations.onClosed(() => resolve()));
    reloaded.conversations.open(folder, { id });
    await closed;
    assert.equal(reloaded.conversations.isDeleted(id), true);
    await other.conversations.change({ type: 'restore', id });
    await listed(conversations, () => conversations.listed(id) !== undefined);
    assert.equal(conversations.isDeleted(id), false);
    const restored = conversations.openListed(id) ?? assert.fail('not listed');
    await reached(restored.conversation, ({ session }) => session !== undefined);
    assert.deepEqual(said(restored.conversation.state), ['user: say one', 'agent: one', 'end ended']);
  });

  it('one whose agent was not found looks for it again when a window opens it', async (t) => {
    let isInstalled = false;
    const { conversations, folder, lab } = await openWindow(t, { isInstalled: () => isInstalled });
    const { id, conversation } = conversations.open(folder);
    await reached(conversation, ({ blocker }) => blocker !== undefined);
    isInstalled = true;
    const reloaded = await windowOf(t, lab);
    await reached(
      reloaded.conversations.open(folder, { id }).conversation,
      ({ agent, blocker }) => agent !== undefined && blocker === undefined,
    );
  });

  it('a session of an agent is opened in the conversation that has it', async (t) => {
    const { conversations, folder } = await openWindow(t);
    const { id, conversation } = conversations.open(folder);
    await say(conversation, 'say one');
    const sessionId = conversation.state.session?.sessionId ?? assert.fail('no session');
    await conversations.close(id);
    const opened = await conversations.openSession(folder, { agentId: 'obedient', sessionId });
    assert.equal(opened.id, id);
    assert.equal(conversations.hasAgent(folder, 'obedient'), true);
  });

  it('a session that no conversation has begins one, which continues in it and is found by it', async (t) => {
    const { conversations, folder } = await openWindow(t);
    const key = { agentId: 'obedient', sessionId: 'of another program' };
    const { id, conversation } = await conversations.openSession(folder, key);
    await reached(conversation, ({ agent }) => agent !== undefined);
    assert.equal(conversation.state.agent?.label, 'Obedient');
    assert.equal((await conversations.openSession(folder, key)).id, id);
    await say(conversation, 'say one');
    assert.equal(conversation.state.session?.sessionId, key.sessionId);
    await conversations.close(id);
    assert.equal((await conversations.openSession(folder, key)).id, id);
  });
});

/** What is remembered about the folders of a window. */
function memoryOf(folders: readonly Folder[]) {
  const shownIn = new Map<string, string>();
  const order: string[] = [];
  const memory: Parameters<typeof keepShown>[1] & { folders: readonly Folder[] } = {
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
    conversations.onShown(() => keepShown(conversations, memory));
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
    conversations.onShown(() => keepShown(conversations, memory));
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
    let isTrusted = false;
    const { conversations, folder, lab } = await openWindow(t, { isTrusted: () => isTrusted });
    const { conversation } = conversations.open(folder);
    assert.equal(await execute(conversation, { type: 'open' }), false);
    assert.equal(conversation.state.blocker?.error.code, 'untrusted');
    isTrusted = true;
    assert.equal(await execute(conversation, { type: 'refresh_agent' }), true);
    assert.equal(conversation.state.blocker, undefined, 'it is over once the workspace is trusted');
    assert.equal(await execute(conversation, { type: 'unqueue', promptId: 'gone' }), false);
    const command = { type: 'set_option', optionId: 'mode', value: 'none' } as const;
    await lab.lose(() =>
      assert.rejects(execute(conversation, command), (error) => error instanceof HostError && error.code === 'disposed'),
    );
  });
});
