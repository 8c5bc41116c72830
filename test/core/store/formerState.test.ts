import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { nullLogger } from '../../../src/core/base/logger.js';
import { readConversation } from '../../../src/core/journal/journalStore.js';
import { journalFolder } from '../../../src/core/store/stateFolder.js';
import { type FormerStorage, moveFormerState } from '../../../src/core/store/formerState.js';
import { moveJournals } from '../../../src/core/store/moveJournals.js';
import { openStoreLab, place, writeJournal } from './storeLab.js';

/** The storage of the editor, which converts values to JSON and back. */
function storage(initial: Readonly<Record<string, unknown>>): FormerStorage & { readonly values: Map<string, string> } {
  const values = new Map(Object.entries(initial).map(([key, value]) => [key, JSON.stringify(value)]));
  return {
    values,
    keys: () => [...values.keys()],
    get: (key) => {
      const json = values.get(key);
      return json === undefined ? undefined : JSON.parse(json);
    },
    update(key) {
      values.delete(key);
      return Promise.resolve();
    },
  };
}

const content = [{ type: 'text', text: 'later' }] as const;

describe('window state of an earlier version', () => {
  it('it is moved: place, prompts, draft, the conversation on screen and the agent', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    const other = `${lab.workspace}/other`;
    const window = storage({
      [`conversation:${lab.workspace}`]: {
        place: { agentId: 'agent', sessionId: 's1', createdAt: 5, withContext: true },
        outbox: [{ id: 'p1', at: 1, content, held: 'may_hang' }],
        returned: [{ id: 'p2', at: 2, content }],
      },
      [`draft:${lab.workspace}`]: 'half a thought',
      [`draft:${other}`]: 'another',
      folder: lab.workspace,
      agent: 'chosen',
      somethingElse: 1,
    });
    await moveFormerState(window, store);
    assert.deepEqual([...window.values.keys()], ['somethingElse']);
    const { shown, agentId } = store.folders.at(lab.workspace);
    assert.deepEqual(await store.recall(shown ?? ''), {
      place: { ...place('s1'), withContext: true },
      outbox: [{ id: 'p1', at: 1, content, held: 'may_hang' }],
      returned: [{ id: 'p2', at: 2, content, held: undefined }],
    });
    assert.deepEqual([store.readDraft(shown ?? ''), agentId], ['half a thought', 'chosen']);
    assert.equal(store.readDraft(store.folders.at(other).shown ?? ''), 'another');
    assert.ok(store.folders.at(lab.workspace).shownAt > store.folders.at(other).shownAt);
  });

  it('the names of version 0.1 are understood', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    const window = storage({
      [`conversation:${lab.workspace}`]: { agentId: 'agent', sessionId: 's1', createdAt: 5, withContext: false },
      [`unsent:${lab.workspace}`]: ['turn_cut', 'window_closed', 'context_lost', 'freezes', undefined].map((held, at) => ({
        id: `p${at}`,
        at,
        content,
        held,
      })),
    });
    await moveFormerState(window, store);
    const record = await store.recall(store.folders.at(lab.workspace).shown ?? '');
    assert.deepEqual(record?.place, place('s1'));
    assert.deepEqual(
      record?.outbox.map(({ held }) => held),
      ['turn_interrupted', 'front_end_closed', 'context_lost', 'may_hang', undefined],
    );
  });

  it('if the old storage could not be emptied, it does not overwrite newer state', async (t) => {
    const lab = await openStoreLab(t);
    const store = lab.open();
    const values = {
      [`draft:${lab.workspace}`]: 'old',
      [`conversation:${lab.workspace}`]: { place: place('s1'), outbox: [{ id: 1 }], returned: 'x' },
    };
    await moveFormerState(storage(values), store);
    const { shown = '' } = store.folders.at(lab.workspace);
    store.writeDraft(shown, lab.workspace, 'new');
    store.folders.remember(lab.workspace, { shown: 'another' });
    await moveFormerState(storage(values), store);
    assert.deepEqual([store.readDraft(shown), store.folders.at(lab.workspace).shown], ['new', 'another']);
  });
});

describe('the journals of a window', () => {
  it('they are moved, and the conversation that was on screen gets its messages', async (t) => {
    const lab = await openStoreLab(t);
    const window = lab.open({ stateFolder: `${lab.state}-window` });
    await writeJournal(window, lab.workspace, 's1', 'hello');
    const from = journalFolder(`${lab.state}-window`);
    const store = lab.open({ prepare: () => moveJournals(from, journalFolder(lab.state), nullLogger) });
    await moveFormerState(storage({ [`conversation:${lab.workspace}`]: { place: place('s1'), outbox: [], returned: [] } }), store);
    await store.load();
    assert.deepEqual(await readdir(from), []);
    const [saved, ...others] = store.inFolders([lab.workspace]);
    assert.deepEqual([saved?.id, saved?.summary?.firstWords, others], [store.folders.at(lab.workspace).shown, 'hello', []]);
    const state = await readConversation(store.journals, 'agent', 's1');
    assert.equal(state?.items.length, 2);
  });

  it('however often the move is interrupted, all are kept, also beside another conversation with the same id', async (t) => {
    const lab = await openStoreLab(t);
    const window = lab.open({ stateFolder: `${lab.state}-window` });
    const store = lab.open();
    await writeJournal(store, lab.workspace, 's1', 'of the terminal', 4);
    await writeJournal(window, lab.workspace, 's1', 'of the window', 5);
    const from = journalFolder(`${lab.state}-window`);
    const [name = ''] = await readdir(from);
    const original = await readFile(join(from, name), 'utf8');
    await moveJournals(from, journalFolder(lab.state), nullLogger);
    // The first move was interrupted after the copy, and a window with the earlier version continued to write.
    await writeFile(join(from, name), `${original}{"type":"info","at":9,"title":"Added"}\n`);
    await Promise.all([1, 2].map(() => moveJournals(from, journalFolder(lab.state), nullLogger)));
    await moveJournals(from, journalFolder(lab.state), nullLogger);
    assert.deepEqual(await readdir(from), []);
    await rm(from, { recursive: true });
    await store.load();
    assert.deepEqual(store.all.map((saved) => saved.summary?.firstWords).sort(), ['of the terminal', 'of the window']);
    assert.equal((await readdir(journalFolder(lab.state))).length, 2);
    assert.equal((await readConversation(store.journals, 'agent', 's1', { createdAt: 5 }))?.title, 'Added');
  });
});
