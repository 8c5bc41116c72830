/** Pictures that were pasted into messages belong to a conversation, as long as it is saved. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { emptyDraft } from '../../../src/core/conversation/draft.js';
import { messageFilesIn } from '../../../src/core/store/messageFiles.js';
import { messageFolder } from '../../../src/core/store/stateFolder.js';
import { drafted, openStoreLab, record, summary, writeJournal } from './storeLab.js';

describe('the files of pasted pictures', () => {
  it('they are removed with their conversation, however old they are', async (t) => {
    const { workspace, state, open } = await openStoreLab(t);
    const directory = messageFolder(state);
    const write = messageFilesIn(directory);
    const store = open();
    for (const id of ['kept', 'deleted']) {
      await writeJournal(store, workspace, id, 'hello');
      store.remember(id, workspace, record(), summary('hello'));
      assert.equal((await write(id, Buffer.from('picture'), 'png')).name, (await write(id, Buffer.from('picture'), 'png')).name);
    }
    store.delete('deleted');
    assert.deepEqual((await readdir(directory)).sort(), ['deleted', 'kept'], 'the user may restore it');
    await store.end();
    assert.deepEqual(await readdir(directory), ['kept']);
  });

  it('they stay as long as a branch shows them, also of a branch of it', async (t) => {
    const { workspace, state, open } = await openStoreLab(t);
    const directory = messageFolder(state);
    const first = open();
    await writeJournal(first, workspace, 'one', 'hello');
    first.remember('one', workspace, record(), summary('hello'));
    await messageFilesIn(directory)('one', Buffer.from('picture'), 'png');
    for (const [of, id] of [
      ['one', 'two'],
      ['two', 'three'],
    ] as const) {
      await first.branch({ id, cwd: workspace, of, turnId: 'later', fork: undefined });
      first.remember(id, workspace, record(), summary('hello'));
    }
    for (const id of ['one', 'two']) {
      first.delete(id);
      await first.end();
      assert.deepEqual(await readdir(directory), ['one']);
    }
    first.dispose();
    const later = open();
    await later.load();
    later.delete('three');
    await later.end();
    assert.deepEqual(await readdir(directory), []);
  });

  it('they are removed when nothing is left of a draft that was never sent', async (t) => {
    const { workspace, state, open } = await openStoreLab(t);
    const directory = messageFolder(state);
    const store = open();
    store.remember('one', workspace, record(drafted('look at this')), undefined);
    await messageFilesIn(directory)('one', Buffer.from('picture'), 'png');
    store.remember('one', workspace, record({ draft: emptyDraft }), undefined);
    while ((await readdir(directory)).length > 0);
  });
});
