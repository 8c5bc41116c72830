/** Drafts and unsent prompts: what a key press costs. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { HostError } from '../../../src/core/base/errors.js';
import { errorCause } from '../../../src/text/errorCause.js';
import { openStoreLab } from './storeLab.js';

const picture = { type: 'image', data: 'A'.repeat(1_000_000), mimeType: 'image/png' } as const;
const prompt = { id: 'p1', at: 1, content: [{ type: 'text', text: 'look' }, picture], held: undefined } as const;
const waiting = { place: undefined, outbox: [prompt], returned: [] };
const nothing = { place: undefined, outbox: [], returned: [] };

/** Returns the number of bytes that are read and written during the action. */
function bytesMoved(t: TestContext, during: () => void): number {
  const { readSync, writeFileSync } = fs;
  let bytes = 0;
  const reading = t.mock.method(fs, 'readSync', (...args: Parameters<typeof readSync>) => {
    const count = readSync(...args);
    bytes += count;
    return count;
  });
  const writing = t.mock.method(fs, 'writeFileSync', (...args: Parameters<typeof writeFileSync>) => {
    bytes += typeof args[1] === 'string' ? args[1].length : args[1].byteLength;
    writeFileSync(...args);
  });
  syncBuiltinESMExports();
  during();
  for (const mocked of [reading, writing]) mocked.mock.restore();
  syncBuiltinESMExports();
  return bytes;
}

it('a changed draft does not rewrite pictures of unsent prompts', async (t) => {
  const lab = await openStoreLab(t);
  const store = lab.open();
  store.remember('one', lab.workspace, waiting, undefined);
  const type = (text: string): void => store.writeDraft('one', lab.workspace, text);
  assert.ok(bytesMoved(t, () => ['a', 'ab', 'abc'].forEach(type)) < 10_000);
  assert.ok(bytesMoved(t, () => store.remember('one', lab.workspace, nothing, undefined)) > 0);
  const later = lab.open();
  assert.deepEqual([later.readDraft('one'), await later.recall('one')], ['abc', nothing]);
});

it('it is reported once that drafts, chips and unsent prompts cannot be saved, and again when it happens again', async (t) => {
  const lab = await openStoreLab(t);
  const told: HostError[] = [];
  const chipOf = (id: string) => ({ id, label: id, title: id, content: picture });
  const store = lab.open({ onError: (error) => told.push(error) });
  const change = (text: string): void => {
    store.writeDraft('one', lab.workspace, text);
    store.remember('one', lab.workspace, { ...waiting, outbox: [{ ...prompt, id: text }] }, undefined);
    store.writeDraft('two', lab.workspace, text);
    store.changeChips('one', lab.workspace, () => [chipOf(text)]);
  };
  // A folder cannot be created in the place of a file.
  const blocked = ['drafts', 'unsent', 'chips'].map((name) => join(lab.state, name));
  await mkdir(lab.state, { recursive: true });
  for (const attempt of ['first', 'second']) {
    for (const path of blocked) await rm(path, { recursive: true, force: true });
    for (const path of blocked) await writeFile(path, '');
    change(attempt);
    change(`${attempt} again`);
    for (const path of blocked) await rm(path);
    change(`${attempt} saved`);
    assert.equal(lab.open().readDraft('two'), `${attempt} saved`);
    assert.deepEqual(lab.open().readChips('one'), [chipOf(`${attempt} saved`)]);
  }
  assert.deepEqual(
    told.map((error) => errorCause(error.toData(), 'agent')),
    told.map(() => `Drafts and unsent messages can't be saved right now: the path is not a folder (${lab.state}).`),
  );
  assert.equal(told.length, 2);
});
