/** Small files of several processes, some of which cannot be read or written. */
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { mkdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { type Logger, nullLogger } from '../../../src/core/base/logger.js';
import { JsonFolder } from '../../../src/core/store/jsonFolder.js';
import { openStoreLab } from './storeLab.js';

const open = (directory: string): JsonFolder<string> =>
  new JsonFolder({ directory, parse: (text) => text, format: (value) => value, log: nullLogger });

it('a file that cannot be read is left unchanged, and changed once it can be read', async (t) => {
  const directory = join((await openStoreLab(t)).state, 'things');
  const [first, second] = [open(directory), open(directory)];
  first.update('one', () => 'words of the user');
  const { openSync } = fs;
  const unreadable = t.mock.method(fs, 'openSync', (path: string, ...rest: [number]) => {
    if (path.endsWith('one.json')) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    return openSync(path, ...rest);
  });
  syncBuiltinESMExports();
  const change = (before = 'nothing'): string => `${before}, and more`;
  assert.equal(second.update('one', change), 'nothing, and more');
  unreadable.mock.restore();
  syncBuiltinESMExports();
  assert.equal(first.get('one'), 'words of the user');
  assert.equal(second.get('one'), 'words of the user, and more');
  assert.equal(second.update('one', change), 'words of the user, and more, and more');
  assert.equal(first.get('one'), 'words of the user, and more, and more');
  first.dispose();
  second.dispose();
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

it('a folder that cannot be read is reported, and watched again once it can be read', async (t) => {
  const { state } = await openStoreLab(t);
  const [directory, aside] = [join(state, 'things'), `${state}-aside`];
  t.after(() => rm(aside, { recursive: true, force: true }));
  await mkdir(directory, { recursive: true });
  const folder = open(directory);
  t.after(() => folder.dispose());
  folder.update('one', () => 'words');
  await folder.load();
  assert.equal(folder.unreadable?.code, undefined);
  const alive = setInterval(() => {}, 60_000);
  t.after(() => clearInterval(alive));
  const changed = (): Promise<void> => new Promise((resolve) => folder.onChange(resolve));

  const gone = changed();
  await rename(state, aside);
  await writeFile(state, '');
  await gone;
  assert.deepEqual([folder.values, folder.unreadable?.code], [[], 'storage_failed']);
  const other = open(directory);
  await other.load();
  assert.equal(other.unreadable?.code, 'storage_failed');
  other.dispose();

  const back = changed();
  await rm(state);
  await rename(aside, state);
  await back;
  assert.deepEqual([folder.values, folder.unreadable?.code], [['words'], undefined]);
});

it('reading creates no folder, and one that another process creates is watched from then on', async (t) => {
  const { state } = await openStoreLab(t);
  const directory = join(state, 'things');
  const [folder, other] = [open(directory), open(directory)];
  t.after(() => {
    for (const one of [folder, other]) one.dispose();
  });
  await folder.load();
  assert.deepEqual([folder.values, folder.get('one'), folder.unreadable, fs.existsSync(state)], [[], undefined, undefined, false]);
  const alive = setInterval(() => {}, 60_000);
  t.after(() => clearInterval(alive));
  for (const words of ['words', 'other words']) {
    const changed = new Promise<void>((resolve) => {
      const listening = folder.onChange(() => {
        listening.dispose();
        resolve();
      });
    });
    other.update('one', () => words);
    await changed;
    assert.deepEqual(folder.values, [words]);
  }
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
  const alive = setInterval(() => {}, 60_000);
  await new Promise<void>((resolve) => first.onChange(resolve));
  clearInterval(alive);
  last.dispose();
  const other = open(directory);
  assert.deepEqual([other.get('one'), other.get('two')], ['words of the user', 'the last words']);
  for (const folder of [first, other]) folder.dispose();
});

it('of changes that replace each other only the last one waits, and the first failure is reported', async (t) => {
  const directory = join((await openStoreLab(t)).state, 'things');
  await mkdir(dirname(directory), { recursive: true });
  await writeFile(directory, '');
  const logged: string[] = [];
  const log: Logger = { ...nullLogger, error: (message) => logged.push(message) };
  const folder = new JsonFolder<string>({ directory, parse: (text) => text, format: (value) => value, log });
  let made = 0;
  const setTo = (text: string) => (): string => {
    made++;
    return text;
  };
  folder.update('one', (before = '') => `${before}something else`);
  for (let length = 1; length <= 200; length++) folder.update('one', setTo('d'.repeat(length)), 'draft');
  made = 0;
  assert.equal(folder.get('one'), 'd'.repeat(200));
  assert.deepEqual([made, logged.length], [1, 1]);
  await rm(directory);
  folder.dispose();
  assert.equal(open(directory).get('one'), 'd'.repeat(200));
});
