/** The end of an output, whole characters only. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByteRing } from '../../../src/core/process/commandTerminal.js';

test('has the last bytes that fit, from the beginning of a character, whatever the pieces', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.nat(80), fc.array(fc.integer({ min: 1, max: 9 })), (text, limit, cuts) => {
      const bytes = Buffer.from(text);
      const ring = new ByteRing(limit);
      let at = 0;
      for (const length of [...cuts, bytes.length]) ring.push(bytes.subarray(at, (at += length)));
      assert.equal(ring.isTruncated, bytes.length > limit);
      const shown = ring.text;
      const whole = bytes.toString('utf8');
      assert.ok(whole.endsWith(shown));
      const size = Buffer.byteLength(shown);
      assert.ok(size <= limit || bytes.length <= limit);
      // At most the rest of one character is left out.
      assert.ok(size > Math.min(limit, bytes.length) - 4);
    }),
    { numRuns: 1000 },
  );
});

test('keeps no more than its limit and one piece', () => {
  const ring = new ByteRing(1000);
  const piece = Buffer.alloc(64, 'x');
  for (let count = 0; count < 100_000; count++) ring.push(piece);
  assert.equal(ring.text, 'x'.repeat(1000));
  assert.equal(ring.isTruncated, true);
});

test('the text so far has no part of a character, and invalid bytes as they are shown in the end', () => {
  const bytes = Buffer.concat([Buffer.from('a\u00e9\u{1f600}'), Buffer.from([0xff]), Buffer.from('z\u{1f600}').subarray(0, 3)]);
  const ring = new ByteRing(1000);
  const shown: string[] = [];
  for (const byte of bytes) {
    ring.push(Buffer.of(byte));
    shown.push(ring.textSoFar);
  }
  const so = 'a\u00e9\u{1f600}\ufffdz';
  assert.ok(shown.every((text) => so.startsWith(text)));
  assert.deepEqual([shown.at(-1), ring.text], [so, `${so}\ufffd`]);
});
