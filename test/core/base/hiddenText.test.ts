import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { foldToOneLine, hidesText, revealHidden, revealOnOneLine } from '../../../src/core/base/hiddenText.js';
import { processorMs } from '../../processorTime.js';

const everyCodePoint = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code));
/** Parts of each range of characters that draw nothing or change their neighbors. */
const hidden = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0xad],
  [0x61c],
  [0x34f],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800],
  [0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff],
  [0xffa0],
  [0xfff9, 0xfffb],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
  [0xd800, 0xdfff],
] as const;
const anything = fc.string({
  unit: fc.oneof(fc.constantFrom('\u202e', '\r', '\n', '\t', '<', 'a'), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 })),
});

describe('hidden text', () => {
  it('includes every character that draws nothing, or changes how others are drawn', () => {
    for (const [first, last = first] of hidden)
      for (let code = first; code <= last; code++) assert.ok(hidesText(`a${everyCodePoint[code]}b`), `U+${code.toString(16)}`);
    const invisible = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}]/u;
    for (const character of everyCodePoint)
      if (invisible.test(character) && character !== '\t' && character !== '\n') assert.ok(hidesText(character), JSON.stringify(character));
  });

  it('is replaced with its code points, and visible text is unchanged', () => {
    assert.equal(revealHidden('a\x1b[31m\u202eb\r\nc\td'), 'a<U+001B>[31m<U+202E>b\nc\td');
    assert.equal(revealHidden('rm \u202e/pmt/ fr-\u202c ~/x\u{e0041}'), 'rm <U+202E>/pmt/ fr-<U+202C> ~/x<U+E0041>');
    assert.equal(revealOnOneLine('a\r\nb\tc'), 'a<U+000D><U+000A>b<U+0009>c');
    for (const text of ['plain', 'Zürich, 東京, עברית, ไทย', 'a  b\n\tc', '🚀 👍🏽', 'e\u0301', '\u00a0'])
      assert.equal(revealHidden(text), text);
  });

  it('is never left in revealed text, which keeps its lines or is folded to one', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const shown = revealHidden(text);
        assert.ok(!hidesText(shown) && !/[\ufe0f\u200d]/.test(shown));
        assert.ok(!/[\n\t]/.test(revealOnOneLine(text)) && !/\s\s|\n/.test(foldToOneLine(text).replace(/\u0085/g, '')));
        assert.equal(shown.split('\n').length, text.split('\n').length);
      }),
    );
  });

  it('includes joiners outside of emoji and stacked marks, but not emoji', () => {
    for (const text of ['⚠️ careful 👩‍💻', '👩🏽‍❤️‍💋‍👨🏿', '🏳️‍🌈', '☎︎', '1️⃣ #️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴‍☠️']) assert.equal(hidesText(text), false, text);
    for (const text of [
      'rm\u200d -rf\ufe0f',
      '🚀\u200d',
      '🚀\u200drm',
      '🚀\ufe0f\ufe0f',
      '🚀\u200d\u200d🚀',
      '1\ufe0f',
      '🏴\u{e0072}\u{e006d}\u{e007f}',
      // Three letters are a message, unless they are those of a flag.
      '🏴\u{e0067}\u{e0062}\u{e0072}\u{e006d}\u{e0078}\u{e007f}',
    ])
      assert.equal(hidesText(text), true, JSON.stringify(text));
    assert.equal(revealHidden(`a${'\u0301'.repeat(6)}b`), `a${'\u0301'.repeat(4)}<U+0301><U+0301>b`);
  });

  it('is folded and revealed in linear time', () => {
    const began = processorMs();
    for (const text of ['\u0301'.repeat(200_000), '\u202e'.repeat(200_000), ' \n'.repeat(200_000)])
      revealHidden(foldToOneLine(text) + text);
    assert.ok(processorMs() - began < 3_000);
  });
});
