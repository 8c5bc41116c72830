/** Drafts and unsent prompts: what a key press costs, and a disk that does not accept them. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { HostError } from '../../../src/core/base/errors.js';
import { errorCause } from '../../../src/text/errorCause.js';
import { drafted, openStoreLab, record } from './storeLab.js';

const picture = { type: 'image', data: 'A'.repeat(1_000_000), mimeType: 'image/png' } as const;
const prompt = { id: 'p1', at: 1, content: [{ type: 'text', text: 'look' }, picture], held: undefined } as const;

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

it('a changed draft does not rewrite pictures of unsent prompts and chips', async (t) => {
  const lab = await openStoreLab(t);
  const store = lab.open();
  const chips = [{ id: 'shot', label: 'shot', title: 'shot', content: picture }];
  const type = (text: string): void =>
    store.remember('one', lab.workspace, record({ outbox: [prompt], draft: { text, chips } }), undefined);
  type('');
  const written = bytesMoved(t, () => ['a', 'ab', 'abc'].forEach(type));
  assert.ok(written > 0 && written < 10_000, `${written} bytes`);
  assert.deepEqual(lab.open().recall('one'), record({ outbox: [prompt], draft: { text: 'abc', chips } }));
  store.remember('one', lab.workspace, record(drafted('abc')), undefined);
  assert.deepEqual(lab.open().recall('one'), record(drafted('abc')));
});

it('it is reported once that drafts, chips and unsent prompts cannot be saved, and again when it happens again', async (t) => {
  const lab = await openStoreLab(t);
  const told: HostError[] = [];
  const store = lab.open({ onError: (error) => told.push(error) });
  const all = (text: string) =>
    record({ outbox: [{ ...prompt, id: text }], draft: { text, chips: [{ id: text, label: text, title: text, content: picture }] } });
  const change = (text: string): void => {
    store.remember('one', lab.workspace, all(text), undefined);
    store.remember('two', lab.workspace, record(drafted(text)), undefined);
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
    const later = lab.open();
    assert.deepEqual([later.recall('one'), later.recall('two')], [all(`${attempt} saved`), record(drafted(`${attempt} saved`))]);
  }
  assert.deepEqual(
    told.map((error) => errorCause(error.toData(), 'agent')),
    told.map(() => `Drafts and unsent messages can't be saved right now: the path is not a folder (${lab.state}).`),
  );
  assert.equal(told.length, 2);
});
