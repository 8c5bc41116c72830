/** Small files, some of which cannot be read or written. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { type Logger, nullLogger } from '../../../src/core/base/logger.js';
import { JsonFolder } from '../../../src/core/store/jsonFolder.js';
import { openStoreLab } from './storeLab.js';

const open = (directory: string, log: Logger = nullLogger): JsonFolder<string> =>
  new JsonFolder({ directory, parse: (text) => text, format: (value) => value, log });

it('a file that cannot be read is left unchanged, and changed once it can be read', async (t) => {
  const directory = join((await openStoreLab(t)).state, 'things');
  const before = open(directory);
  before.update('one', () => 'words of the user');
  before.dispose();
  const folder = open(directory);
  t.after(() => folder.dispose());
  const { openSync } = fs;
  const unreadable = t.mock.method(fs, 'openSync', (path: string, ...rest: [number]) => {
    if (path.endsWith('one.json')) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    return openSync(path, ...rest);
  });
  syncBuiltinESMExports();
  const change = (there = 'nothing'): string => `${there}, and more`;
  assert.equal(folder.update('one', change), 'nothing, and more');
  unreadable.mock.restore();
  syncBuiltinESMExports();
  assert.equal(open(directory).get('one'), 'words of the user');
  assert.equal(folder.get('one'), 'words of the user, and more');
  assert.equal(folder.update('one', change), 'words of the user, and more, and more');
  assert.equal(open(directory).get('one'), 'words of the user, and more, and more');
});

it('a file that is too large to be read is left unchanged', async (t) => {
  const directory = join((await openStoreLab(t)).state, 'things');
  const folder = open(directory);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'one.json'), 'words of the user');
  await truncate(join(directory, 'one.json'), 1024 ** 3);
  folder.update('one', () => 'other words');
  assert.equal(fs.statSync(join(directory, 'one.json')).size, 1024 ** 3);
  folder.dispose();
});

it('a file with many pictures is read', async (t) => {
  const directory = join((await openStoreLab(t)).state, 'things');
  const [first, second] = [open(directory), open(directory)];
  const pictures = 'picture '.repeat(10_000_000);
  first.update('one', () => pictures);
  assert.equal(
    second.update('one', (before) => `${before?.length} and more`),
    `${pictures.length} and more`,
  );
  for (const folder of [first, second]) folder.dispose();
});

it('a folder that cannot be read is reported', async (t) => {
  const { state } = await openStoreLab(t);
  await writeFile(state, '');
  const folder = open(join(state, 'things'));
  await folder.load();
  assert.deepEqual([folder.values, folder.unreadable?.code], [[], 'storage_failed']);
  folder.dispose();
});

it('reading creates no folder, and what is written from then on is told', async (t) => {
  const { state } = await openStoreLab(t);
  const folder = open(join(state, 'things'));
  await folder.load();
  assert.deepEqual([folder.values, folder.get('one'), folder.unreadable, fs.existsSync(state)], [[], undefined, undefined, false]);
  const told: unknown[] = [];
  folder.onChange((name) => told.push([name, ...folder.values]));
  for (const words of ['words', 'words', 'other words', undefined]) folder.update('one', () => words);
  assert.deepEqual(told, [['one', 'words'], ['one', 'other words'], ['one']]);
  folder.dispose();
});

it('a change that could not be written is available at once and written later', async (t) => {
  const directory = join((await openStoreLab(t)).state, 'things');
  // A folder cannot be created in the place of a file.
  await mkdir(dirname(directory), { recursive: true });
  await writeFile(directory, '');
  const [first, last] = [open(directory), open(directory)];
  first.update('one', () => 'words');
  assert.equal(
    first.update('one', (before) => `${before} of the user`),
    'words of the user',
  );
  last.update('two', () => 'the last words');
  assert.deepEqual([first.get('one'), first.values], ['words of the user', ['words of the user']]);
  await rm(directory);
  // The timer of the next attempt does not keep the process alive.
  const alive = setInterval(() => {}, 60_000);
  await new Promise<void>((resolve) => first.onChange(() => resolve()));
  clearInterval(alive);
  last.dispose();
  const other = open(directory);
  assert.deepEqual([other.get('one'), other.get('two')], ['words of the user', 'the last words']);
  for (const folder of [first, other]) folder.dispose();
});

it('of the changes that a full disk does not accept, only the outcome waits, and the first failure is reported', async (t) => {
  const directory = join((await openStoreLab(t)).state, 'things');
  const logged: string[] = [];
  const folder = open(directory, { ...nullLogger, error: (message) => logged.push(message) });
  const full = t.mock.method(fs, 'writeFileSync', () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  syncBuiltinESMExports();
  let made = 0;
  for (let count = 0; count < 200; count++)
    folder.update('one', (before = '') => {
      made++;
      return `${before}d`;
    });
  made = 0;
  assert.equal(folder.get('one'), 'd'.repeat(200));
  assert.deepEqual([made, logged.length], [0, 1]);
  full.mock.restore();
  syncBuiltinESMExports();
  folder.dispose();
  assert.equal(open(directory).get('one'), 'd'.repeat(200));
});
