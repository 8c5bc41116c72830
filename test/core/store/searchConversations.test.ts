/** Finds what was said, run and touched in saved conversations. */
import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Redactor } from '../../../src/core/base/redact.js';
import { searchConversations } from '../../../src/core/store/searchConversations.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { openWithClosed } from './engineLab.js';
import { openStoreLab } from './storeLab.js';
import { chunk, ended, header, openLab, started } from '../journal/journalLab.js';

const call: SessionEvent = {
  type: 'tool',
  at: 2,
  id: 'tool1',
  toolCallId: 'call1',
  patch: {
    title: 'Works',
    toolKind: 'execute',
    status: 'completed',
    rawInput: { command: 'make Everything' },
    locations: [{ path: '/workspace/src/planet.ts' }],
  },
};
const turn = [started('t1', 'Paint the Fence'), chunk('The col'), chunk('or is green'), call, chunk('Done', 3), ended('t1')];
const live = new AbortController().signal;

const finds = {
  'fence paint': 'user: Paint the Fence',
  'COLOR IS': 'agent: The color is green',
  'make every': 'command: make Everything',
  'planet.ts': 'file: /workspace/src/planet.ts',
  'paint green': undefined,
  t1: undefined,
  ' ': undefined,
};

test('each text is found in any case, and only as a whole item', async (t) => {
  const { store, directory } = await openLab(t);
  const journal = store.open('c', header('s'), true);
  journal.append(turn);
  await journal.close();
  await appendFile(`${directory}/c.jsonl`, '{"type":"message","at":9,"ro');
  for (const [text, expected] of Object.entries(finds)) {
    const [hit] = await searchConversations(store, { text, ids: ['gone', 'c'], signal: live });
    assert.equal(hit && `${hit.by}: ${hit.text}`, expected, text);
    if (hit !== undefined) assert.equal(hit.sessionId, header('s').id);
  }
});

test('a secret is not found', async (t) => {
  const redactor = new Redactor();
  const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
  const { store } = await openLab(t, { redactor });
  const journal = store.open('c', header('s'), true);
  journal.append([started('t1', `the key is ${secret}`), ended('t1')]);
  await journal.close();
  const search = (text: string) => searchConversations(store, { text, ids: ['c'], signal: live });
  assert.deepEqual(await search(secret), []);
  assert.equal((await search('the key')).length, 1);
});

test('a search that is over reads no further conversation', async (t) => {
  const { store } = await openLab(t);
  const aborter = new AbortController();
  const read: string[] = [];
  const journals = {
    read(id: string) {
      read.push(id);
      if (id === 'b') aborter.abort();
      return store.read(id);
    },
  };
  await searchConversations(journals, { text: 'x', ids: ['a', 'b', 'c'], signal: aborter.signal });
  assert.deepEqual(read, ['a', 'b']);
});

test('a part of a long text begins with a word and has the place', async (t) => {
  const { store } = await openLab(t);
  const journal = store.open('c', header('s'), true);
  journal.append([started('t1', `${'word '.repeat(500)}needle${' after'.repeat(500)}`), ended('t1')]);
  await journal.close();
  const [hit] = await searchConversations(store, { text: 'needle', ids: ['c'], signal: live });
  assert.match(hit?.text ?? '', /^ word .*word needle after/);
  assert.ok(hit?.isCut === true && hit.text.length <= 200);
});

test('a front end finds a conversation that is closed, and a deleted one no longer', async (t) => {
  const lab = await openStoreLab(t);
  const { client, one } = await openWithClosed(t, lab);
  const search = async () => (await client.call('search', { text: 'SAY ONE', ids: [one.id] })).map(({ id, by, text }) => [id, by, text]);
  assert.deepEqual(await search(), [[one.id, 'user', 'say one']]);
  await client.call('execute_list', { command: { type: 'delete', id: one.id } });
  assert.deepEqual(await search(), []);
});
