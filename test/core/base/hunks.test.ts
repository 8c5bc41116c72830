/** The places where two versions of a text differ, and how they are taken back. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { type Hunk, hunksOfChange, undoHunk } from '../../../src/core/base/hunks.js';
import { assertLinear } from '../../linearTime.js';

const hunksOf = (earlier: string, now: string): readonly Hunk[] => hunksOfChange({ earlier, after: now, now });

const places = (earlier: string, now: string) =>
  hunksOf(earlier, now).map((hunk) => [hunk.line, hunk.earlier.join('|'), hunk.now.join('|')] as const);

const line = fc.constantFrom('', 'a', 'b', 'c', ' ', 'a b');
const ending = fc.constantFrom('\n' as const, '\r\n' as const);
/** With and without an ending at the end. */
const lines = fc.array(line, { minLength: 1, maxLength: 30 });

/** The hunk in a text in which those above it have been taken back. */
function moved(hunk: Hunk, undone: readonly Hunk[]): Hunk {
  const above = undone.filter((one) => one.line < hunk.line);
  return { ...hunk, line: above.reduce((sum, one) => sum + one.earlier.length - one.now.length, hunk.line) };
}

describe('the hunks of a change', () => {
  test('have the lines on both sides, and where they are', () => {
    assert.deepEqual(places('a\nb\nc\nd\n', 'a\nB\nc\nd\ne\n'), [
      [1, 'b', 'B'],
      [4, '', 'e'],
    ]);
    assert.deepEqual(places('a\nb\nc\n', 'a\nc\n'), [[1, 'b', '']]);
    assert.deepEqual(places('', 'a\n'), [[0, '', 'a']]);
  });

  test('include the line ending at the end, and no other difference in line endings', () => {
    assert.deepEqual(places('a\nb', 'a\nb\n'), [[2, '', '']]);
    assert.equal(undoHunk('a\nb\n', { line: 2, earlierLine: 2, earlier: [], now: [''] }, '\n'), 'a\nb');
    assert.deepEqual(places('a\r\nb\r\n', 'a\nb\n'), []);
    assert.deepEqual(places('a\r\nb\n', 'a\nB\n'), [[1, 'b', 'B']]);
  });

  test('taken back, any of them in any order, leave the others', () => {
    fc.assert(
      fc.property(lines, lines, ending, fc.infiniteStream(fc.nat()), (earlier, now, eol, random) => {
        const hunks = hunksOf(earlier.join(eol), now.join(eol));
        const order = hunks
          .map((hunk) => ({ hunk, key: random.next().value }))
          .sort((one, other) => one.key - other.key)
          .map(({ hunk }) => hunk);
        const chosen = order.slice(0, random.next().value % (order.length + 1));
        let text = now.join(eol);
        const undone: Hunk[] = [];
        for (const hunk of chosen) {
          text = undoHunk(text, moved(hunk, undone), eol);
          undone.push(hunk);
        }
        // Copies what is between the hunks, and of each hunk one side.
        const wanted: string[] = [];
        let at = 0;
        for (const hunk of hunks) {
          wanted.push(...now.slice(at, hunk.line), ...(chosen.includes(hunk) ? hunk.earlier : hunk.now));
          at = hunk.line + hunk.now.length;
        }
        wanted.push(...now.slice(at));
        assert.equal(text, wanted.join(eol));
        if (chosen.length === hunks.length) assert.equal(text, earlier.join(eol));
      }),
    );
  });

  test('taken back one after the other, found again each time, give the earlier text', () => {
    fc.assert(
      fc.property(lines, lines, ending, fc.nat(), (earlier, now, eol, which) => {
        let text = now.join(eol);
        for (let hunks = hunksOf(earlier.join(eol), text); hunks.length > 0; hunks = hunksOf(earlier.join(eol), text)) {
          const hunk = hunks[which % hunks.length];
          assert.ok(hunk !== undefined);
          const before = text;
          text = undoHunk(text, hunk, eol);
          assert.notEqual(text, before);
        }
        assert.equal(text, earlier.join(eol));
      }),
    );
  });

  test('of a change that was made earlier are without what was changed elsewhere since', () => {
    const [earlier, after] = ['a\nb\nc\nd\ne\n', 'a\nB\nnew\nc\ne\n'];
    const rows = (now: string) =>
      hunksOfChange({ earlier, after, now }).map(({ line: at, now: lines, isMixed }) => [at, lines.join('|'), isMixed]);
    assert.deepEqual(rows(after), [
      [1, 'B|new', false],
      [4, '', false],
    ]);
    assert.deepEqual(rows('x\na\ny\nB\nnew\nz\nc\nE\n'), [
      [3, 'B|new', false],
      [7, '', false],
    ]);
    assert.deepEqual(rows('a\nB\nnewer\nc\ne\n'), [
      [1, 'B|newer', true],
      [4, '', false],
    ]);
    assert.deepEqual(rows(earlier), []);
    assert.deepEqual(rows('a\nb\nx\nc\nd\ne\n'), [], 'what the other one added stays when the change is taken back');
  });

  test('of a change that was made earlier, taken back, leave everything that was changed since', () => {
    const edits = fc.array(fc.record({ at: fc.nat(40), removes: fc.nat(3), adds: fc.nat(2) }), { maxLength: 6 });
    const edited = (all: readonly string[], by: string, made: readonly { at: number; removes: number; adds: number }[]) => {
      const result = [...all];
      for (const [index, { at, removes, adds }] of made.entries())
        result.splice(at % (result.length + 1), removes, ...Array.from({ length: adds }, (_, one) => `${by}${index}.${one}`));
      return result.length === 0 ? [''] : result;
    };
    fc.assert(
      fc.property(lines, edits, edits, fc.boolean(), (any, agent, user, isDistinct) => {
        const earlier = isDistinct ? any.map((one, index) => `${index} ${one}`) : any;
        const after = edited(earlier, 'agent', agent);
        const now = edited(after, 'user', user);
        const [before, between, text] = [earlier, after, now].map((all) => all.join('\n'));
        assert.ok(before !== undefined && between !== undefined && text !== undefined);
        const clean = hunksOfChange({ earlier: before, after: between, now: text }).filter(({ isMixed }) => !isMixed);
        const result = clean.toReversed().reduce((left, hunk) => undoHunk(left, hunk, '\n'), text);
        const ofUser = (all: readonly string[]) => all.filter((one) => one.startsWith('user'));
        assert.deepEqual(ofUser(result.split('\n')), ofUser(now));
        const left = hunksOfChange({ earlier: before, after: between, now: result });
        // Of equal lines, nobody knows which ones are gone.
        if (isDistinct)
          assert.deepEqual(
            left.filter(({ isMixed }) => !isMixed),
            [],
          );
        if (user.length === 0) assert.equal(result, before);
      }),
    );
  });

  test('are where both texts say', () => {
    fc.assert(
      fc.property(lines, lines, (earlier, now) => {
        for (const hunk of hunksOf(earlier.join('\n'), now.join('\n'))) {
          assert.deepEqual(now.slice(hunk.line, hunk.line + hunk.now.length), hunk.now);
          assert.deepEqual(earlier.slice(hunk.earlierLine, hunk.earlierLine + hunk.earlier.length), hunk.earlier);
        }
      }),
    );
  });

  test('can have more lines than a call can have arguments', () => {
    const now = Array.from({ length: 300_000 }, (_, index) => index).join('\n');
    const [hunk] = hunksOf('', now);
    assert.ok(hunk !== undefined);
    assert.equal(undoHunk('', { ...hunk, earlier: hunk.now, now: [''] }, '\n'), now);
  });

  const text = (count: number, by: string): string =>
    Array.from({ length: count }, (_, index) => `${by} ${index}\nsame ${index}\n`).join('');
  const kinds: Readonly<Record<string, (count: number) => Parameters<typeof hunksOfChange>[0]>> = {
    'as they were made': (count) => ({ earlier: text(count, 'user'), after: text(count, 'agent'), now: text(count, 'agent') }),
    'in a text that was written again': (count) => ({ earlier: text(count, 'user'), after: text(count, 'agent'), now: 'one line' }),
  };
  for (const [name, changeOf] of Object.entries(kinds))
    test(`cost the same for each, however many there are, ${name}`, () =>
      assertLinear((count) => {
        const change = changeOf(count);
        return () => hunksOfChange(change);
      }));
});
