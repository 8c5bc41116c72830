/** Which conversations need input, whatever they are called. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PendingPrompts } from '../../src/extension/chat/pendingPrompts.js';
import { run, text } from '../core/conversation/frontEnd.js';
import { openWindow } from './openWindow.js';

test('two conversations with one name count as two', async (t) => {
  const { conversations, folder } = await openWindow(t);
  const pending = new PendingPrompts({ conversations, nameOf: () => 'one name' });
  t.after(() => pending.dispose());
  const entries = [conversations.open(folder), conversations.open(folder)];
  const bothAsk = new Promise<void>((resolve) => pending.onChange(() => pending.all.length === 2 && resolve()));
  for (const { conversation } of entries) await run(conversation, { type: 'send', content: text('ask') });
  await bothAsk;
  assert.deepEqual(new Set(pending.conversations), new Set(entries));
});
