import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { HostMessage } from '../../src/contract/messages.js';
import { type ConversationPorts, HostError, isSettled } from '../../src/core/index.js';
import { createReturner } from '../../src/extension/chat/returnedPrompts.js';
import { execute } from '../../src/extension/conversation/execute.js';
import { FolderConversations } from '../../src/extension/conversation/folderConversations.js';
import { lines, openFrontEnd, reached, said, say, text } from '../core/conversation/frontEnd.js';

async function openWindow(t: TestContext, ports: Partial<ConversationPorts> = {}) {
  const [line] = lines;
  assert.ok(line);
  const frontEnd = await openFrontEnd(t, line, { ports });
  const shown = new Map<string, string>();
  const conversations = new FolderConversations(frontEnd.conversations, {
    shownIn: (path) => shown.get(path),
    show: (path, id) => void shown.set(path, id),
  });
  return { conversations, folder: { path: frontEnd.folder, name: 'folder' }, started: frontEnd.started };
}

describe('the conversations of a window', () => {
  it('are one per folder, of which one is on screen; a folder that is closed ends its agent', async (t) => {
    const { conversations, folder, started } = await openWindow(t);
    const conversation = conversations.show(folder);
    assert.equal(conversations.show(folder), conversation);
    const other = conversations.show({ path: `${folder.path}/other`, name: 'other' });
    assert.equal(conversations.current?.conversation, other);
    await say(conversation, 'say one');
    assert.deepEqual(said(conversation.state), ['user: say one', 'agent: one', 'end ended']);
    await conversations.close(folder.path);
    assert.deepEqual(
      conversations.all.map((one) => one.folder.name),
      ['other'],
    );
    await say(conversations.show(folder), 'say two');
    assert.equal(started.length, 2);
  });
});

describe('what the user asked for and was not done', () => {
  it('is an error where nothing else says so', async (t) => {
    const { conversations, folder } = await openWindow(t, { isTrusted: () => false });
    const conversation = conversations.show(folder);
    assert.equal(await execute(conversation, { type: 'open' }), false);
    assert.equal(conversation.state.blocker?.error.code, 'untrusted');
    assert.equal(await execute(conversation, { type: 'unqueue', promptId: 'gone' }), false);
    await conversations.close(folder.path);
    await assert.rejects(execute(conversation, { type: 'retry' }), (error) => error instanceof HostError && error.code === 'disposed');
  });
});

describe('prompts that will not be sent', () => {
  it('go into the composer once a page shows them, each once', async (t) => {
    const { conversations, folder } = await openWindow(t);
    const told: HostMessage[] = [];
    const pages = { visible: false, tell: (message: HostMessage) => void told.push(message) };
    const returnPrompts = createReturner({ conversations, pages });
    await returnPrompts();
    const conversation = conversations.show(folder);
    await execute(conversation, { type: 'send', content: text('say one') });
    await execute(conversation, { type: 'cancel', scope: 'everything' });
    await reached(conversation, isSettled);
    await returnPrompts();
    assert.deepEqual([told, conversation.state.returned.length], [[], 1]);
    pages.visible = true;
    await Promise.all([returnPrompts(), returnPrompts()]);
    assert.deepEqual([told, conversation.state.returned], [[{ type: 'insertText', text: 'say one' }], []]);
  });
});
