import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isWithin } from '../../../src/core/transport/jsonDepth.js';

/** Counts the depth in a different way: by the number of open brackets. Strings are left out, because they may contain brackets. */
function levelsOf(value: unknown): number {
  let [open, most] = [0, 0];
  for (const bracket of JSON.stringify(value).replace(/"(?:\\.|[^"\\])*"/g, '')) {
    if (bracket === '[' || bracket === '{') most = Math.max(most, ++open);
    else if (bracket === ']' || bracket === '}') open--;
  }
  return most;
}

test('isWithin compares the depth of nested arrays and objects with the limit', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(7), (made, levels) => {
      const value: unknown = JSON.parse(JSON.stringify(made));
      assert.equal(isWithin(value, levels), levelsOf(value) <= levels);
    }),
  );
});

test('isWithin counts a member called __proto__ like any other', () => {
  assert.equal(isWithin(JSON.parse('{"__proto__":{"a":[]}}'), 2), false);
  assert.equal(isWithin(JSON.parse('{"__proto__":{"a":[]}}'), 3), true);
});
