/** The context chips of a draft are saved like the draft: for every process, until they are sent. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import type { Chip } from '../../../src/core/store/savedFormat.js';
import type { ConversationStore } from '../../../src/core/store/conversationStore.js';
import { openStoreLab, place, type StoreLab, summary, writeJournal } from './storeLab.js';

const nothing = { outbox: [], returned: [] };

function chip(id: string, content: Chip['content'] = { type: 'text', text: `From ${id}` }): Chip {
  return { id, label: `${id}:1–4`, title: `src/${id}:1–4`, content };
}

const picture = chip('shot', { type: 'image', data: 'aaaa', mimeType: 'image/png' });

function attach({ workspace }: StoreLab, store: ConversationStore, id: string, ...added: readonly Chip[]): void {
  store.changeChips(id, workspace, (chips) => [...chips, ...added]);
}

it('chips are available to the next process, only their owner can read the file, and it is removed with the last chip', async (t) => {
  const lab = await openStoreLab(t);
  const store = lab.open();
  attach(lab, store, 'one', chip('a.ts'), picture);
  assert.deepEqual(lab.open().readChips('one'), [chip('a.ts'), picture]);
  assert.deepEqual(lab.open().readChips('two'), []);
  const file = join(lab.state, 'chips', 'one.json');
  assert.equal(((await stat(file)).mode & 0o777).toString(8), '600');
  store.changeChips('one', lab.workspace, () => []);
  assert.equal(existsSync(file), false);
});

it('if two processes show the same conversation, one that sends its chips keeps those of the other', async (t) => {
  const lab = await openStoreLab(t);
  const [first, second] = [lab.open(), lab.open()];
  attach(lab, first, 'one', chip('a.ts'));
  attach(lab, second, 'one', chip('b.ts'));
  first.changeChips('one', lab.workspace, (chips) => chips.filter(({ id }) => id !== 'a.ts'));
  assert.deepEqual(lab.open().readChips('one'), [chip('b.ts')]);
});

it('a conversation without text is listed by the label of its first chip', async (t) => {
  const lab = await openStoreLab(t);
  const store = lab.open();
  const words = (): readonly unknown[] => store.inFolders([lab.workspace]).map(({ unsentWords }) => unsentWords);
  await store.load();
  attach(lab, store, 'one', chip('a.ts'), chip('b.ts'));
  assert.deepEqual(words(), ['a.ts:1–4']);
  store.writeDraft('one', lab.workspace, 'half a thought');
  assert.deepEqual(words(), ['half a thought']);
  store.writeDraft('one', lab.workspace, ' ');
  assert.deepEqual(words(), ['a.ts:1–4']);
  store.changeChips('one', lab.workspace, () => []);
  assert.deepEqual(words(), []);
});

it('chips are deleted with their conversation, unless another process has it on screen', async (t) => {
  const lab = await openStoreLab(t);
  const [one, two] = [lab.open(), lab.open()];
  for (const id of ['seen', 'gone']) {
    await writeJournal(one, lab.workspace, id, id);
    one.remember(id, lab.workspace, { place: place(id), ...nothing }, summary(id));
    attach(lab, one, id, picture);
  }
  await Promise.all([one.load(), two.load()]);
  assert.deepEqual(two.readChips('seen'), [picture]);
  for (const id of ['seen', 'gone']) one.delete(id);
  await one.end();
  await new Promise<void>((resolve) => {
    // A file watcher does not keep the process alive.
    const alive = setInterval(() => {}, 60_000);
    const look = (): void => {
      if (two.get('seen') !== undefined || two.isDeleted('seen')) return;
      clearInterval(alive);
      resolve();
    };
    two.onChange(look);
    look();
  });
  assert.deepEqual([lab.open().readChips('seen'), lab.open().readChips('gone')], [[picture], []]);
});

it('the chips of a second entry for the same session return to the composer', async (t) => {
  const lab = await openStoreLab(t);
  const store = lab.open();
  await writeJournal(store, lab.workspace, 's1', 'hello');
  store.remember('twin', lab.workspace, { place: place('s1'), ...nothing }, summary('hello'));
  attach(lab, store, 'twin', picture);
  attach(lab, store, 'one', chip('a.ts'));
  store.remember('one', lab.workspace, { place: place('s1'), ...nothing }, summary('hello'));
  const later = lab.open();
  assert.deepEqual(
    (await later.recall('one'))?.returned.map(({ content }) => content),
    [[picture.content]],
  );
  assert.deepEqual([later.readChips('one'), later.readChips('twin')], [[chip('a.ts')], []]);
});

it('an incomplete, invalid or newer file of chips is left unchanged', async (t) => {
  const lab = await openStoreLab(t);
  const store = lab.open();
  attach(lab, store, 'one', chip('a.ts'));
  const file = join(lab.state, 'chips', 'one.json');
  const good = await readFile(file, 'utf8');
  for (const bad of [good.slice(0, -4), good.replace('"version":1', '"version":99'), good.replace('"type":"text"', '"type":"strange"')]) {
    await writeFile(file, bad);
    const other = lab.open();
    assert.deepEqual(other.readChips('one'), []);
    attach(lab, other, 'one', chip('b.ts'));
    assert.equal(await readFile(file, 'utf8'), bad);
  }
});
