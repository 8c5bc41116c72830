import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { joinChoices, splitChoices } from '../../../src/core/session/joinedChoices.js';

it('a text of joined choices is split, even if a choice contains the separator', () => {
  assert.deepEqual(splitChoices(['A', 'B, C', 'D'], 'A, B, C'), ['A', 'B, C']);
  assert.deepEqual(splitChoices(['A', 'B'], 'B, A'), ['B', 'A']);
  assert.deepEqual(splitChoices(['A', 'B'], 'A, A'), ['A']);
  for (const text of ['', 'A, D', 'A,B', 'A, ', 'a']) assert.equal(splitChoices(['A', 'B'], text), undefined, text);
});

it('for any choices, joining the parts gives the same text', () => {
  const choice = fc.string({ unit: fc.constantFrom('a', 'b', ',', ' '), minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.uniqueArray(choice, { minLength: 1, maxLength: 5 }), fc.nat(31), (choices, mask) => {
      const chosen = choices.filter((_, index) => (mask >> index) % 2 === 1);
      if (chosen.length === 0) return;
      const parts = splitChoices(choices, joinChoices(chosen));
      assert.ok(parts?.every((part) => choices.includes(part)));
    }),
  );
});

it('splitting a long text that does not match ends quickly', () => {
  const text = `${Array.from({ length: 2_000 }, () => 'a').join(', ')}, b`;
  assert.equal(splitChoices(['a', 'a, a', 'a, a, a'], text), undefined);
});
