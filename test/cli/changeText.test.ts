import assert from 'node:assert/strict';
import { test } from 'node:test';
import { undoLines } from '../../src/cli/output/changeText.js';

test('an undo of very many files prints the first ones, and how many more there are', () => {
  const names = Array.from({ length: 1_002 }, (_, index) => `${index}.txt`);
  const left = names.slice(1).map((path) => ({ path, why: 'also_user' as const }));
  const lines = undoLines({ undone: names, left });
  assert.deepEqual([lines.undone.length, lines.undone[999], lines.undone[1_000]], [1_001, 'Undone 999.txt', 'Undone 2 more files']);
  assert.deepEqual([lines.left.length, lines.left[1_000]], [1_001, 'Left 1 more file']);
  assert.deepEqual(undoLines({ undone: names.slice(0, 2), left: [] }), { undone: ['Undone 0.txt', 'Undone 1.txt'], left: [] });
});
