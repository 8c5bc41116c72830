/** What becomes of a conversation whose journal is removed because saved conversations exceed their limit. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { drafted, openStoreLab, place, record, summary, until, wordsOf, writeJournal } from './storeLab.js';

it('its entry is removed with its journal, unless something in it was not sent', async (t) => {
  const lab = await openStoreLab(t);
  const before = lab.open();
  for (const [id, words, draft] of [
    ['one', 'first', ''],
    ['two', 'second', 'half a thought'],
  ] as const) {
    await writeJournal(before, lab.workspace, id, words);
    before.remember(id, lab.workspace, record({ place: place(id), ...drafted(draft) }), summary(words));
  }
  const journals = join(lab.state, 'journal');
  const longAgo = new Date('2001-01-01');
  for (const file of await readdir(journals)) await utimes(join(journals, file), longAgo, longAgo);
  const store = lab.open({ limits: { totalBytes: 400 } });
  await store.load();
  await writeJournal(store, lab.workspace, 'three', 'third');
  await until(store, () => !existsSync(join(lab.state, 'conversations', 'one.json')));
  assert.deepEqual(wordsOf(store), ['third']);
  assert.ok(existsSync(join(lab.state, 'conversations', 'two.json')));
  assert.equal(store.recall('two')?.draft.text, 'half a thought');
});
