/** The list of the history while conversations change. The editor is a fake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConversationListEntry } from '../../src/core/index.js';
import { editor } from '../fakes/vscodeFake.js';
import { pickConversation } from '../../src/extension/actions/pickers.js';

const row = (id: string, usedAt: number): ConversationListEntry => ({
  id,
  cwd: '/project',
  folder: '/project',
  title: id,
  agent: undefined,
  sessionId: undefined,
  firstWords: undefined,
  activity: 'saved',
  since: undefined,
  usedAt,
  isPinned: false,
  isArchived: false,
  isUnread: false,
  isOnHold: false,
  isBranch: false,
  leavesOutOpenFile: false,
});

/** Opens the history of three conversations, with the second row active. */
function openHistory() {
  let entries = [row('newest', 3), row('chosen', 2), row('oldest', 1)];
  let tell = (): void => assert.fail('nobody listens');
  const choice = pickConversation({
    entries: () => entries,
    currentId: undefined,
    onListChange(listener) {
      tell = listener;
      return { dispose() {} };
    },
  });
  const list = editor.list ?? assert.fail('there is no list');
  list.activeItems = list.items.slice(1, 2);
  const change = (...next: readonly ConversationListEntry[]): void => {
    entries = [...next];
    tell();
  };
  return { choice, list, change };
}

test('Enter opens the active conversation, even if the list was sorted anew', async () => {
  const { choice, list, change } = openHistory();
  change(row('oldest', 4), row('newest', 3), row('chosen', 2));
  list.accept();
  assert.deepEqual(await choice, { does: 'open', id: 'chosen' });
});

test('a change that no row shows does not touch the list', () => {
  const { list, change } = openHistory();
  const { items, activeItems } = list;
  change(row('newest', 3), row('chosen', 2), row('oldest', 1));
  assert.equal(list.items, items);
  assert.equal(list.activeItems, activeItems);
});
