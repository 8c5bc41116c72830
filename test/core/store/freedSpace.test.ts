/** What becomes of a conversation whose journal is removed because saved conversations exceed their limit. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { ConversationStore } from '../../../src/core/store/conversationStore.js';
import { drafted, openStoreLab, place, record, type StoreLab, summary, until, writeJournal } from './storeLab.js';

const idsIn = (store: ConversationStore): readonly string[] => store.listed.map(({ id }) => id).sort();

/** Loads a new store. */
async function reopened(lab: StoreLab): Promise<ConversationStore> {
  const store = lab.open();
  await store.load();
  return store;
}

interface Freed {
  readonly lab: StoreLab;
  /** In use since before the removal. */
  readonly store: ConversationStore;
  /** Resolves with the id of the conversation of which everything else is removed, too. */
  readonly removed: Promise<string>;
}

/** The journals of two conversations are removed: of `sent`, and of `drafted`, which has a draft. `new` stays. */
async function freed(t: TestContext): Promise<Freed> {
  const lab = await openStoreLab(t);
  const before = lab.open();
  for (const [id, draft] of [
    ['sent', ''],
    ['drafted', 'half a thought'],
  ] as const) {
    // Each of them exceeds the limit below, and `new` does not.
    await writeJournal(before, lab.workspace, id, `words of ${id}`.padEnd(3_000, '.'));
    before.remember(id, lab.workspace, record({ place: place('s1'), ...drafted(draft) }), summary(`words of ${id}`));
  }
  const journals = join(lab.state, 'journals');
  const longAgo = new Date('2001-01-01');
  for (const file of await readdir(journals)) await utimes(join(journals, file), longAgo, longAgo);
  let onRemoved = (_: string): void => {};
  const removed = new Promise<string>((resolve) => (onRemoved = resolve));
  const store = lab.open({ limits: { totalBytes: 2_000 }, onRemove: async (id) => onRemoved(id) });
  await store.load();
  assert.deepEqual(idsIn(store), ['drafted', 'sent']);
  await writeJournal(store, lab.workspace, 'new', 'words of new');
  store.remember('new', lab.workspace, record({ place: place('s1') }), summary('words of new'));
  await until(store, () => !existsSync(join(lab.state, 'conversations', 'sent.json')));
  assert.deepEqual(await readdir(journals), ['new.jsonl']);
  return { lab, store, removed };
}

it('it vanishes from the list and from disk', async (t) => {
  const { lab, store, removed } = await freed(t);
  for (const one of [store, await reopened(lab)]) assert.deepEqual([one.get('sent'), idsIn(one).includes('sent')], [undefined, false]);
  assert.equal(await removed, 'sent');
});

it('if something in it is unsent, that stays, and it stays in the list', async (t) => {
  const { lab, store } = await freed(t);
  for (const one of [store, await reopened(lab)]) {
    assert.equal(one.recall('drafted')?.draft.text, 'half a thought');
    assert.deepEqual(idsIn(one), ['drafted', 'new']);
  }
});

it('it comes back when something new is said in it', async (t) => {
  const { lab } = await freed(t);
  const store = await reopened(lab);
  for (const id of ['sent', 'drafted']) {
    await writeJournal(store, lab.workspace, id, 'said later', { createdAt: 6 });
    store.remember(id, lab.workspace, record({ place: place('s1') }), summary('said later'));
  }
  for (const one of [store, await reopened(lab)]) {
    assert.deepEqual(idsIn(one), ['drafted', 'new', 'sent']);
    for (const id of ['sent', 'drafted']) assert.equal(one.get(id)?.summary?.firstWords, 'said later');
  }
});

it('so it is with one whose journal is gone for another reason when the next engine begins', async (t) => {
  const lab = await openStoreLab(t);
  const before = lab.open();
  await writeJournal(before, lab.workspace, 'one', 'hello');
  before.remember('one', lab.workspace, record({ place: place('s1') }), summary('hello'));
  await rm(join(lab.state, 'journals'), { recursive: true });
  const store = await reopened(lab);
  assert.deepEqual(idsIn(store), []);
  await writeJournal(store, lab.workspace, 'one', 'said later', { createdAt: 6 });
  store.remember('one', lab.workspace, record({ place: place('s1') }), summary('said later'));
  for (const one of [store, await reopened(lab)]) assert.deepEqual(idsIn(one), ['one']);
});
