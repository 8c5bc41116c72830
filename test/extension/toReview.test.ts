/** What is to be reviewed of the changes of several turns. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangedFile, ChangeSet } from '../../src/core/index.js';
import { netChanges, partsOf, reviewOf } from '../../src/extension/chat/toReview.js';
import { changedFile as file, changeSet as set } from './changeSets.js';

const net = (...sets: readonly (readonly ChangedFile[])[]) =>
  netChanges(sets.map((files, index) => ({ id: `t${index + 1}`, files }))).map(({ path, set: of, from, isNew, isGone }) => [
    path,
    `${of}:${from}`,
    ...(isNew ? ['new'] : []),
    ...(isGone ? ['gone'] : []),
  ]);

test('a file is compared with what it was before its oldest change that is not reviewed', () => {
  const reviewed = file('a.ts', { isReviewed: true });
  assert.deepEqual(net([reviewed], [file('a.ts')], [file('a.ts'), file('b.ts', { status: 'added' })]), [
    ['a.ts', 't2:a.ts'],
    ['b.ts', 't3:b.ts', 'new'],
  ]);
});

test('a file is followed through its names', () => {
  const renamed = file('b.ts', { status: 'renamed', from: 'a.ts' });
  assert.deepEqual(net([file('a.ts')], [renamed], [file('b.ts', { status: 'deleted' })]), [['b.ts', 't1:a.ts', 'gone']]);
  assert.deepEqual(
    net([file('a.ts')], [file('a.ts', { status: 'added' }), renamed]),
    [
      ['a.ts', 't2:a.ts', 'new'],
      ['b.ts', 't1:a.ts'],
    ],
    'another file has taken the name',
  );
});

test('what was created and deleted again, and what was taken back, is not to be reviewed', () => {
  assert.deepEqual(net([file('a.ts', { status: 'added' })], [file('a.ts', { status: 'deleted' })]), []);
  assert.deepEqual(net([file('a.ts', { isUndone: true })]), []);
});

test('only turns that have ended count, and files that front ends do not have', () => {
  const changes: readonly ChangeSet[] = [
    set('t1', [file('a.ts', { isReviewed: true })]),
    set('t2', [file('a.ts'), file('b.ts')], { fileCount: 42 }),
    set('u1', [file('c.ts')], { kind: 'undo' }),
    set('t3', [file('d.ts')], { kind: 'running' }),
  ];
  const review = reviewOf(changes);
  assert.deepEqual([review.sets.map(({ id }) => id), review.fileCount], [['t2'], 42]);
  assert.equal(reviewOf(changes), review, 'it is remembered');
});

test('a file has the name that each of its turns gave it, the newest first', () => {
  const review = reviewOf([
    set('t1', [file('a.ts'), file('other.ts')]),
    set('t2', [file('a.ts', { isUndone: true })]),
    set('t3', [file('b.ts', { status: 'renamed', from: 'a.ts' })]),
    set('t4', [file('b.ts')]),
  ]);
  const found = review.files.find(({ path }) => path === 'b.ts');
  assert.ok(found !== undefined);
  assert.deepEqual(partsOf(review, found), [
    { set: 't4', path: 'b.ts' },
    { set: 't3', path: 'b.ts' },
    { set: 't1', path: 'a.ts' },
  ]);
});

test('the parts that are reviewed are those of the oldest change', () => {
  const parts = [file('a.ts', { reviewedHunks: ['one'] })];
  assert.deepEqual(
    netChanges([
      { id: 't1', files: parts },
      { id: 't2', files: [file('a.ts', { reviewedHunks: ['two'] })] },
    ]).map(({ reviewedHunks, last }) => [reviewedHunks, last]),
    [[['one'], 't2']],
  );
});
