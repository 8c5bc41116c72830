/** The list of the history while conversations change. The editor is a fake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConversationHit, ConversationListEntry } from '../../src/core/index.js';
import { editor } from '../fakes/vscodeFake.js';
import { type HistoryOptions, pickConversation } from '../../src/extension/actions/pickers.js';

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
function openHistory(search: HistoryOptions['search'] = () => Promise.resolve([])) {
  let entries = [row('newest', 3), row('chosen', 2), row('oldest', 1)];
  let tell = (): void => assert.fail('nobody listens');
  const choice = pickConversation({
    entries: () => entries,
    currentId: undefined,
    search,
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

test('rows keep their places while the list is open, and new ones come last', async () => {
  const { choice, list, change } = openHistory();
  change(row('new', 5), { ...row('oldest', 4), activity: 'busy' }, row('newest', 3), row('chosen', 2));
  assert.deepEqual(
    list.items.map(({ label }) => label.replace(/^\$\(.*?\) /, '')),
    ['newest', 'chosen', 'oldest', 'new'],
  );
  list.accept();
  assert.deepEqual(await choice, { does: 'open', id: 'chosen', hit: undefined });
});

test('a change that no row shows does not touch the list', () => {
  const { list, change } = openHistory();
  const { items, activeItems } = list;
  change(row('newest', 3), row('chosen', 2), row('oldest', 1));
  assert.equal(list.items, items);
  assert.equal(list.activeItems, activeItems);
});

test('what was found in a conversation stands in its row, which is opened there and keeps its place', async () => {
  const hit: ConversationHit = { id: 'newest', sessionId: 's', itemId: 'i', by: 'command', text: 'npm run $(build)', isCut: true };
  const asked: (readonly string[])[] = [];
  const { choice, list } = openHistory((text, ids) => {
    asked.push([text, ...ids]);
    return Promise.resolve(text === 'run build' ? [hit] : []);
  });
  list.type('ru');
  list.type(' run build ');
  await new Promise(setImmediate);
  assert.deepEqual(
    list.items.map(({ label, detail, alwaysShow }) => [label, detail, alwaysShow]),
    [
      ['$(comment) newest', 'Command: …npm run $ (build)', true],
      ['$(comment) chosen', undefined, undefined],
      ['$(comment) oldest', undefined, undefined],
    ],
  );
  assert.deepEqual(
    list.activeItems.map(({ label }) => label),
    ['$(comment) chosen'],
  );
  list.activeItems = list.items.slice(0, 1);
  list.accept();
  assert.deepEqual(await choice, { does: 'open', id: 'newest', hit });
  const shown = ['newest', 'chosen', 'oldest'];
  assert.deepEqual(asked, [[''], ['run build', ...shown], ['']], 'a short text and the end of the list end a search');
});

test('what was found for a text before is not shown', async () => {
  let find = (_: readonly ConversationHit[]): void => {};
  const first = new Promise<readonly ConversationHit[]>((resolve) => (find = resolve));
  const { list } = openHistory((text) => (text === 'first' ? first : Promise.resolve([])));
  list.type('first');
  list.type('second');
  find([{ id: 'oldest', sessionId: 's', itemId: 'i', by: 'user', text: 'first', isCut: false }]);
  await new Promise(setImmediate);
  assert.ok(list.items.every(({ detail }) => detail === undefined));
});
