/** The diffs of omp's edits, in the format of its results: that of `generateDiffString` in omp 14.9.9. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { PiTools } from '../../src/core/backends/pi/piTools.js';

const cwd = path.resolve('/work');

function contentOf(input: Readonly<Record<string, unknown>>, details: unknown, isError = false) {
  const tools = new PiTools(cwd, 'p');
  tools.start({ toolCallId: 'e', toolName: 'edit', args: input }, 1);
  const [event] = tools.end('e', 'edit', { content: [], details, isError }, 2);
  return event?.patch.content;
}
const diff = (file: string, oldText: string, newText: string) => ({ type: 'diff', path: path.join(cwd, file), oldText, newText });

test('for a patch with anchors, the file is named above it, and the result has the changes', () => {
  const details = { diff: ' 3|...\n 7|one\n-8|two\n+8|TWO\n+9|more\n 9|three\n 10|...\n-20|a|b\n+21|', op: 'update' };
  assert.deepEqual(contentOf({ input: '@@ src/a.ts\n= 8ab..8ab\n~TWO' }, details), [
    diff('src/a.ts', 'one\ntwo\nthree\n', 'one\nTWO\nmore\nthree\n'),
    diff('src/a.ts', 'a|b\n', '\n'),
  ]);
});

test('several files have one diff each', () => {
  const perFileResults = [
    { path: 'a.ts', diff: '-1|x\n+1|y' },
    { path: '/else/b.ts', diff: '+1|new' },
  ];
  const [a, b] = contentOf({ input: '@@ a.ts\n@@ /else/b.ts' }, { diff: '', perFileResults }) ?? [];
  assert.deepEqual(a, diff('a.ts', 'x\n', 'y\n'));
  assert.deepEqual(b, { type: 'diff', path: path.resolve('/else/b.ts'), oldText: '', newText: 'new\n' });
});

test('other lines, other shapes, a missing file and a failure have no diff', () => {
  const input = { path: 'a.ts' };
  for (const details of [{ diff: '--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-x\n+y' }, { diff: '-1|x\nwhat' }, { diff: 7 }, { diff: '' }, null, 'x'])
    assert.deepEqual(contentOf(input, details), []);
  assert.deepEqual(contentOf({}, { diff: '-1|x' }), []);
  assert.deepEqual(contentOf(input, { diff: '-1|x' }, true), []);
});
