/** The context chips of a draft are saved like the draft, until they are sent. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import type { Chip } from '../../../src/core/conversation/draft.js';
import type { ConversationStore } from '../../../src/core/store/conversationStore.js';
import { openStoreLab, record, type StoreLab } from './storeLab.js';

function chip(id: string, content: Chip['content'] = { type: 'text', text: `From ${id}` }): Chip {
  return { id, label: `${id}:1–4`, title: `src/${id}:1–4`, content };
}

const picture = chip('shot', { type: 'image', data: 'aaaa', mimeType: 'image/png' });

function keep({ workspace }: StoreLab, store: ConversationStore, id: string, chips: readonly Chip[], text = ''): void {
  store.remember(id, workspace, record({ draft: { text, chips } }), undefined);
}

const chipsIn = (store: ConversationStore, id: string): readonly Chip[] => store.recall(id)?.draft.chips ?? [];

it('chips come back after a restart, only their owner can read the file, and it is removed with the last chip', async (t) => {
  const lab = await openStoreLab(t);
  const store = lab.open();
  const note: Chip = { ...chip('note'), comment: { path: 'a.ts', firstLine: 1, lastLine: 4, text: 'Why?' } };
  keep(lab, store, 'one', [chip('a.ts'), picture, note]);
  const later = lab.open();
  assert.deepEqual(chipsIn(later, 'one'), [chip('a.ts'), picture, note]);
  assert.deepEqual(chipsIn(later, 'two'), []);
  const file = join(lab.state, 'chips', 'one.json');
  assert.equal(((await stat(file)).mode & 0o777).toString(8), '600');
  keep(lab, store, 'one', []);
  assert.equal(existsSync(file), false);
});

it('a conversation without text is listed by the label of its first chip', async (t) => {
  const lab = await openStoreLab(t);
  const store = lab.open();
  const words = (): readonly unknown[] => store.listed.map(({ unsentWords }) => unsentWords);
  await store.load();
  const chips = [chip('a.ts'), chip('b.ts')];
  keep(lab, store, 'one', chips);
  assert.deepEqual(words(), ['a.ts:1–4']);
  keep(lab, store, 'one', chips, 'half a thought');
  assert.deepEqual(words(), ['half a thought']);
  keep(lab, store, 'one', chips, ' ');
  assert.deepEqual(words(), ['a.ts:1–4']);
  keep(lab, store, 'one', [], ' ');
  assert.deepEqual(words(), []);
  keep(lab, store, 'one', [], `${'a'.repeat(199)}🙂 and more`);
  assert.deepEqual(words(), [`${'a'.repeat(199)}🙂`], 'what is shortened ends with a whole character');
});

it('chips are deleted with their conversation', async (t) => {
  const lab = await openStoreLab(t);
  const store = lab.open();
  await store.load();
  for (const id of ['stays', 'gone']) keep(lab, store, id, [picture]);
  store.delete('gone');
  await store.end();
  const later = lab.open();
  assert.deepEqual([chipsIn(later, 'stays'), chipsIn(later, 'gone')], [[picture], []]);
});

it('an incomplete, invalid or newer file of chips is left unchanged', async (t) => {
  const lab = await openStoreLab(t);
  keep(lab, lab.open(), 'one', [chip('a.ts')]);
  const file = join(lab.state, 'chips', 'one.json');
  const good = await readFile(file, 'utf8');
  for (const bad of [good.slice(0, -4), good.replace('"version":1', '"version":99'), good.replace('"type":"text"', '"type":"strange"')]) {
    await writeFile(file, bad);
    const other = lab.open();
    assert.deepEqual(chipsIn(other, 'one'), []);
    keep(lab, other, 'one', [chip('b.ts')]);
    assert.equal(await readFile(file, 'utf8'), bad);
  }
});
