import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { growthSince, noteGrowth, sharesText } from '../../../src/core/session/textGrowth.js';

interface Grown {
  readonly text: string;
}

describe('the growth of a text', () => {
  test('it is correct whenever it is known', () => {
    const steps = fc.array(fc.tuple(fc.nat(), fc.string({ maxLength: 4 }), fc.boolean()), { maxLength: 40 });
    fc.assert(
      fc.property(steps, (list) => {
        const texts: Grown[] = [{ text: '' }];
        for (const [from, added, isView] of list) {
          const before = texts[from % texts.length] ?? { text: '' };
          const after = { text: isView ? before.text : before.text + added };
          if (isView) sharesText(after, before);
          else noteGrowth(before, after, added);
          texts.push(after);
        }
        for (const before of texts) {
          for (const after of texts) {
            const growth = growthSince(before, after);
            if (growth !== undefined) assert.equal(before.text + growth, after.text);
          }
        }
      }),
    );
  });

  test('it is known from one frame to the next, and forgotten later', () => {
    const first = { text: '' };
    let last = first;
    let frame = first;
    for (let index = 0; index < 5_000; index++) {
      if (index % 100 === 0) frame = last;
      const next = { text: `${index}` };
      noteGrowth(last, next, `${index},`);
      last = next;
    }
    assert.equal(growthSince(frame, last), Array.from({ length: 100 }, (_, index) => `${4_900 + index},`).join(''));
    assert.equal(growthSince(first, last), undefined);
    assert.equal(growthSince(last, frame), undefined);
  });
});
