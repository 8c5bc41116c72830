import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fold, Pastes, type Typed, unfold } from '../../src/cli/input/typedInput.js';

const [begin, end] = ['\x1b[200~', '\x1b[201~'];
const keys = (text: string): Typed => ({ type: 'keys', text });
const paste = (text: string): Typed => ({ type: 'paste', text });

/** Keys that arrived apart are still the same keys. */
function joined(taken: readonly Typed[]): readonly Typed[] {
  const all: Typed[] = [];
  for (const one of taken) {
    const last = all.at(-1);
    if (one.type === 'keys' && last?.type === 'keys') all.splice(-1, 1, keys(last.text + one.text));
    else all.push(one);
  }
  return all;
}

describe('typed and pasted text', () => {
  test('they are told apart and stay in order, wherever the input is cut', () => {
    const word = fc.string({ unit: fc.constantFrom('a', '\r', '\n', 'é', '[', '2') });
    const part = fc.record({ isPaste: fc.boolean(), text: word.filter((text) => text !== '') });
    fc.assert(
      fc.property(fc.array(part), fc.array(fc.nat({ max: 40 })), (parts, sizes) => {
        const input = parts.map(({ isPaste, text }) => (isPaste ? begin + text + end : text)).join('');
        const pastes = new Pastes();
        const taken: Typed[] = [];
        let at = 0;
        for (const size of [...sizes, input.length]) {
          // Not behind an Escape, which is a key of its own.
          const until = at + size + (input[at + size - 1] === '\x1b' ? 1 : 0);
          taken.push(...pastes.take(input.slice(at, until)));
          at = until;
        }
        const expected = parts.map(({ isPaste, text }) => (isPaste ? paste(text) : keys(text)));
        assert.deepEqual(joined(taken), joined(expected));
      }),
    );
  });

  test('the beginning of another key is passed on at once', () => {
    const pastes = new Pastes();
    assert.deepEqual(pastes.take('\x1b'), [keys('\x1b')]);
    assert.deepEqual(pastes.take('\x1b[A'), [keys('\x1b[A')]);
  });

  test('Ctrl+C gets out of a paste that does not end', () => {
    const pastes = new Pastes();
    assert.deepEqual(pastes.take(`${begin}lost`), []);
    assert.deepEqual(pastes.take('more\x03x'), [keys('\x03x')]);
  });
});

describe('a text on one line', () => {
  test('it is the same text afterwards, without control characters', () => {
    assert.equal(fold('if a:\r\n\tb\r\x1b[31mc\x07'), 'if a:␤␉b␤[31mc');
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '\t', ' ', '–', '\u2028', '\u2029') }), (text) => {
        assert.equal(unfold(fold(text)), text.replaceAll(/[\u2028\u2029]/g, '\n'));
        assert.doesNotMatch(fold(text), /[\n\u2028\u2029]/);
      }),
    );
  });
});
