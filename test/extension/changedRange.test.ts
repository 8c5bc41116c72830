/** The part of a text that an edit replaces. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { changedRange, inLineEndings } from '../../src/extension/editor/openTexts.js';

const pieces = fc.array(fc.constantFrom('a', 'b', '\n', '\r\n', '😀', '😁', '\ud83d', '\r'), { maxLength: 8 }).map((all) => all.join(''));

test('replacing it gives the other text, and it cuts no line break and no character', () => {
  fc.assert(
    fc.property(pieces, pieces, (before, after) => {
      const change = changedRange(before, after);
      if (change === undefined) return assert.equal(before, after);
      const { start, end, text } = change;
      assert.equal(before.slice(0, start) + text + before.slice(end), after);
      assert.ok(start <= end);
      for (const at of [start, end])
        assert.doesNotMatch(before.slice(Math.max(0, at - 1), at + 1), /^(?:\r\n|[\ud800-\udbff][\udc00-\udfff])$/);
    }),
    { numRuns: 2_000 },
  );
});

test('it is as small as possible', () => {
  assert.deepEqual(changedRange('one\ntwo\nthree\n', 'one\n2\nthree\n'), { start: 4, end: 7, text: '2' });
  assert.deepEqual(changedRange('aa', 'aaa'), { start: 2, end: 2, text: 'a' });
});

test('line endings become those of the document', () => {
  assert.equal(inLineEndings('a\nb\r\nc\rd', '\r\n'), 'a\r\nb\r\nc\r\nd');
});
