import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oneLine, promptLine, shorten } from '../../src/text/plainText.js';

describe('a text that is shortened', () => {
  it('ends between characters as people see them, at any length', () => {
    // A family, a flag, a letter with an accent of its own, an ideograph outside the basic plane.
    for (const sign of ['👨‍👩‍👧‍👦', '🇩🇪', 'e\u0301', '𠮷'])
      for (let most = sign.length + 1; most < 4 * sign.length; most++) {
        const short = shorten(sign.repeat(4), most);
        assert.ok(short.length <= most);
        assert.equal(short, `${sign.repeat(Math.floor((most - 1) / sign.length))}…`);
      }
  });

  it('is cut within a character that is too long', () => {
    const accents = `a${'\u0301'.repeat(100)}`;
    assert.equal(shorten(accents, 10), `a${'\u0301'.repeat(8)}…`);
    assert.equal(shorten('👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 5), '👨‍…');
  });

  it('stays as it is if it fits', () => {
    assert.equal(shorten('👨‍👩‍👧‍👦', 11), '👨‍👩‍👧‍👦');
    assert.equal(oneLine('a\nb ', 3), 'a b');
  });
});

it('a prompt on one line names the files in it, without their addresses', () => {
  const file = { type: 'resource_link', uri: 'file:///home/me/project/src/a.js', name: 'a.js' } as const;
  assert.equal(promptLine([{ type: 'text', text: 'explain\nthis' }, file]), 'explain this @a.js');
  assert.equal(promptLine([{ type: 'text', text: 'a long prompt' }], 7), 'a long…');
});
