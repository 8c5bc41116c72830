/** Which journals are removed when saved conversations exceed their limit. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { nothing, openStoreLab, place, summary, until, wordsOf, writeJournal } from './storeLab.js';

describe('a journal that exceeds the limit', () => {
  it('its entry is removed with it, unless something in it was not sent', async (t) => {
    const lab = await openStoreLab(t);
    const before = lab.open();
    for (const [id, words] of [
      ['one', 'first'],
      ['two', 'second'],
    ] as const) {
      await writeJournal(before, lab.workspace, id, words);
      before.remember(id, lab.workspace, { place: place(id), ...nothing }, summary(words));
    }
    before.writeDraft('two', lab.workspace, 'half a thought');
    const journals = join(lab.state, 'journal');
    const longAgo = new Date('2001-01-01');
    for (const file of await readdir(journals)) await utimes(join(journals, file), longAgo, longAgo);
    const store = lab.open({ limits: { totalBytes: 400 } });
    await store.load();
    await writeJournal(store, lab.workspace, 'three', 'third');
    await until(store, () => !existsSync(join(lab.state, 'conversations', 'one.json')));
    assert.deepEqual(wordsOf(store), ['third']);
    assert.ok(existsSync(join(lab.state, 'conversations', 'two.json')));
    assert.equal(store.readDraft('two'), 'half a thought');
  });

  it('it is kept while another process works in the conversation', async (t) => {
    const lab = await openStoreLab(t);
    const other = lab.open();
    for (const id of ['one', 'two']) {
      await writeJournal(other, lab.workspace, id, id);
      other.remember(id, lab.workspace, { place: place(id), ...nothing }, summary(id));
    }
    await other.seats.claim('one', { stopsTurn: false, signal: new AbortController().signal });
    const journals = join(lab.state, 'journal');
    const longAgo = new Date('2001-01-01');
    for (const file of await readdir(journals)) await utimes(join(journals, file), longAgo, longAgo);
    const store = lab.open({ limits: { totalBytes: 400 } });
    // Like a command line, which lists no conversations when it starts one.
    await writeJournal(store, lab.workspace, 'three', 'third');
    assert.equal((await readdir(journals)).length, 2);
    await until(store, () => !existsSync(join(lab.state, 'conversations', 'two.json')));
    assert.deepEqual(wordsOf(store), ['one', 'third']);
  });

  it('nothing is removed by a process that is ending and no longer knows what others work in', async (t) => {
    const lab = await openStoreLab(t);
    const other = lab.open();
    await writeJournal(other, lab.workspace, 'one', 'one');
    other.remember('one', lab.workspace, { place: place('one'), ...nothing }, summary('one'));
    await other.seats.claim('one', { stopsTurn: false, signal: new AbortController().signal });
    const journals = join(lab.state, 'journal');
    const [file = ''] = await readdir(journals);
    await copyFile(join(journals, file), join(journals, file.replace('.jsonl', '.2.jsonl')));
    const longAgo = new Date('2001-01-01');
    for (const name of await readdir(journals)) await utimes(join(journals, name), longAgo, longAgo);
    const store = lab.open({ limits: { totalBytes: 400 } });
    const writing = writeJournal(store, lab.workspace, 'two', 'second');
    store.dispose();
    await writing;
    assert.ok(existsSync(join(journals, file)));
  });
});
