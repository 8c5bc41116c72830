/** Where a new conversation begins. The editor is a fake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../../src/core/index.js';
import type { ActionScope } from '../../src/extension/actions/actionScope.js';
import { reached, say } from '../core/conversation/frontEnd.js';
import { editor } from '../fakes/vscodeFake.js';
import { openEngine, openWindow, windowOf } from './openWindow.js';
import { createNewConversationActions } from '../../src/extension/actions/newConversation.js';
import type { OpenConversation } from '../../src/extension/conversation/openConversations.js';

test('without an open folder, the user learns why no conversation begins', async () => {
  const scope = { target: () => undefined, ask: <T>(question: () => T) => question() };
  const { newSession, newSessionWithAgent } = createNewConversationActions(scope as never);
  for (const begin of [newSession, newSessionWithAgent])
    await assert.rejects(begin(), (error) => error instanceof HostError && error.code === 'usage');
});

test('it continues with an empty conversation that no page shows, unless something is attached there', async (t) => {
  const { conversations, sources, folder } = await openWindow(t);
  editor.folders = [folder.path];
  t.after(() => (editor.folders = []));
  const focused: (string | undefined)[] = [];
  const parts: Pick<ActionScope['parts'], 'conversations' | 'sources'> & { readonly pages: object } = {
    conversations,
    sources,
    pages: {
      hasTab: () => false,
      openInPlaceOf: () => Promise.resolve(),
      focus: (entry: { readonly id: string }) => Promise.resolve(void focused.push(entry.id)),
    },
  };
  const scope = { parts, target: () => undefined, ask: <T>(question: () => T) => question() };
  const { newSession } = createNewConversationActions(scope as never);
  const spare = conversations.open(folder);
  await reached(spare.conversation, ({ isRestored }) => isRestored);
  await newSession();
  sources.of(spare).addChip({ id: 'c', label: 'a.ts', title: 'a.ts', content: { type: 'text', text: 'let x;' } });
  await newSession();
  assert.equal(focused.length, 2);
  assert.equal(focused[0], spare.id);
  assert.notEqual(focused[1], spare.id);
});

test('a chosen agent starts for the new conversation, and not for the one in which it was chosen', async (t) => {
  const lab = await openEngine(t);
  const { folder, definition } = lab;
  const { conversations: earlier } = await windowOf(t, lab);
  const { id, conversation } = earlier.open(folder);
  await say(conversation, 'say one');
  await lab.restart();
  const { conversations, sources } = await windowOf(t, lab);
  const before = conversations.open(folder, { id });
  await reached(before.conversation, ({ isRestored, agent }) => isRestored && agent !== undefined);
  Object.assign(editor, { folders: [folder.path], picked: `$(check) ${definition.label}` });
  t.after(() => Object.assign(editor, { folders: [], picked: undefined }));
  const opened: OpenConversation[] = [];
  const settings = { agents: new Map([[definition.id, definition]]), agentSettings: new Map(), registryUrl: '', startWhenComposing: true };
  const parts = {
    conversations,
    sources,
    agents: {
      settings: () => settings,
      baseEnv: () => Promise.resolve({ HOME: folder.path }),
      bundleFolder: folder.path,
      stateFolder: folder.path,
    },
    engine: { facts: { state: { agents: {} } } },
    pages: {
      hasTab: () => false,
      openInPlaceOf: (_: unknown, entry: OpenConversation) => Promise.resolve(void opened.push(entry)),
      focus: () => Promise.resolve(),
    },
  };
  const scope = { parts, target: () => before, ask: <T>(question: () => T) => question() };
  await createNewConversationActions(scope as never).newSessionWithAgent();
  assert.deepEqual(
    [before, ...opened].map((entry) => entry.conversation.state.status.state),
    ['stopped', 'ready'],
  );
});
