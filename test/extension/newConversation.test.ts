/** Where a new conversation begins. The editor is a fake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HostError } from '../../src/core/index.js';
import type { ActionScope } from '../../src/extension/actions/actionScope.js';
import { reached } from '../core/conversation/frontEnd.js';
import { editor } from '../fakes/vscodeFake.js';
import { openWindow } from './openWindow.js';
import { createNewConversationActions } from '../../src/extension/actions/newConversation.js';

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
