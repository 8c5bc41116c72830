/** A proposed change is shown where the agent will make it, or nowhere. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type ChangeFit, fitOf } from '../../../src/core/request/changeFit.js';

const line = fc.constantFrom('', 'a', 'b', '\tc', '  d', 'a b', '}', '漢');
const lines = (minLength: number) => fc.array(line, { minLength, maxLength: 12 });
/** A text as editors and agents write it. */
const text = fc
  .tuple(lines(0), fc.constantFrom('\n', '\r\n'), fc.boolean(), fc.boolean())
  .map(([all, ending, endsLine, hasMark]) => (hasMark ? '\uFEFF' : '') + all.join(ending) + (endsLine ? ending : ''));

/** A part of the text that halves no line ending. @param ends any two numbers */
function partOf(file: string, ends: readonly [number, number]): readonly [number, number] {
  const [start = 0, end = 0] = ends
    .map((at) => at % (file.length + 1))
    .map((at) => (file[at] === '\n' && file[at - 1] === '\r' ? at - 1 : at))
    .toSorted((one, other) => one - other);
  return [start, end];
}
const ends = fc.tuple(fc.nat(), fc.nat());
const plain = (whole: string): string => whole.replaceAll('\r\n', '\n');

const hunkOf = (fit: ChangeFit) => (fit.type === 'part' ? fit.hunk : assert.fail(fit.type));
const numbered = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('the place of a change in its file', () => {
  it('a part of the file has its line and three lines around it', () => {
    const fit = fitOf(numbered(20), { oldText: 'line 10\n', newText: 'ten\nand more\n' });
    assert.deepEqual(hunkOf(fit), {
      oldText: 'line 7\nline 8\nline 9\nline 10\nline 11\nline 12\nline 13\n',
      newText: 'line 7\nline 8\nline 9\nten\nand more\nline 11\nline 12\nline 13\n',
      firstLine: 7,
    });
  });

  it('a change inside a line, at the beginning, at the end and of nothing is shown in whole lines', () => {
    assert.deepEqual(hunkOf(fitOf('one two\nthree', { oldText: 'two', newText: '2' })), {
      oldText: 'one two\nthree',
      newText: 'one 2\nthree',
      firstLine: 1,
    });
    assert.deepEqual(hunkOf(fitOf(numbered(6), { oldText: 'line 1\n', newText: '' })), {
      oldText: 'line 1\nline 2\nline 3\nline 4\n',
      newText: 'line 2\nline 3\nline 4\n',
      firstLine: 1,
    });
    assert.deepEqual(hunkOf(fitOf(`${numbered(6)}last`, { oldText: '\nlast', newText: '\nlast\n' })), {
      oldText: 'line 4\nline 5\nline 6\nlast',
      newText: 'line 4\nline 5\nline 6\nlast\n',
      firstLine: 4,
    });
    assert.deepEqual(hunkOf(fitOf(numbered(9), { oldText: 'line 5\n', newText: 'line 5\n' })).firstLine, 3);
  });

  it('a text in several places fits nowhere, and the first places are named', () => {
    const file = numbered(50).replaceAll('0\n', '0\nsame\n');
    assert.deepEqual(fitOf(file, { oldText: 'same', newText: 'x' }), { type: 'several', count: 5, lines: [11, 22, 33] });
  });

  it('a text that is gone is said to be gone, or changed already', () => {
    assert.equal(fitOf('one\n', { oldText: 'two', newText: 'three' }).type, 'mismatch');
    assert.equal(fitOf('one\r\nthree\r\n', { oldText: 'two', newText: 'one\nthree' }).type, 'applied');
    assert.equal(fitOf('one\n', { oldText: 'two', newText: '' }).type, 'mismatch');
    assert.equal(fitOf(null, { oldText: 'two', newText: '' }).type, 'no_file');
  });

  it('a new text that the file already has in that place is named', () => {
    const change = { oldText: 'b\n', newText: 'a\nb\nc\n' };
    const repeats = (file: string) => {
      const fit = fitOf(file, change);
      return fit.type === 'part' && fit.repeats;
    };
    assert.equal(repeats('0\na\nb\nc\n1\n'), true);
    assert.equal(repeats('0\na\r\nb\nc\n1\n'), false);
    assert.equal(repeats('0\nb\n1\n'), false);
  });

  it('a new file is new, replaces the one that is there, or goes to its end', () => {
    assert.equal(fitOf(null, { newText: 'x' }).type, 'new');
    assert.equal(fitOf('', { oldText: null, newText: 'x' }).type, 'new');
    assert.deepEqual(fitOf('old\n', { oldText: '', newText: 'new\n' }), { type: 'replaces', before: 'old\n', after: 'new\n' });
    assert.equal(fitOf('new\n', { newText: 'new\n' }).type, 'applied');
    const appended = fitOf('old\n', { oldText: null, newText: 'new\n' }, 'append');
    assert.equal(appended.type === 'part' && appended.after, 'old\nnew\n');
  });

  it('line endings may differ; the file keeps its own', () => {
    const fit = fitOf('one\r\ntwo\r\nthree\r\n', { oldText: 'one\ntwo\n', newText: 'one\n2\n' });
    assert.equal(fit.type === 'part' && fit.after, 'one\r\n2\r\nthree\r\n');
    assert.equal(fitOf('one\r\ntwo\r\n', { oldText: 'one\ntwo\n', newText: '' }).type, 'whole');
    const mixed = fitOf('a\nb\r\nc\n', { oldText: 'b\nc', newText: 'B\nc' });
    assert.equal(mixed.type === 'part' && mixed.after, 'a\nB\r\nc\n');
  });

  it('whatever the file, a replaced part gives what an agent would write', () => {
    fc.assert(
      fc.property(text, ends, text, (file, places, newText) => {
        const [start, end] = partOf(file, places);
        const oldText = file.slice(start, end);
        fc.pre(oldText !== '' && !oldText.startsWith('\uFEFF') && !newText.startsWith('\uFEFF'));
        const fit = fitOf(file, { oldText, newText });
        const isOnce = plain(file).indexOf(plain(oldText)) === plain(file).lastIndexOf(plain(oldText));
        // Of places that overlap, agents take the first.
        if (!isOnce) assert.match(fit.type, /^(?:several|part)$/);
        else if (fit.type !== 'whole') assert.equal(fit.type, 'part');
        if (isOnce && fit.type === 'part') assert.equal(plain(fit.after), plain(file.slice(0, start) + newText + file.slice(end)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('the shown lines are those of the file, from the named line on, and contain the whole change', () => {
    fc.assert(
      fc.property(text, ends, text, (file, places, newText) => {
        const fit = fitOf(file, { oldText: file.slice(...partOf(file, places)), newText });
        if (fit.type !== 'part') return;
        const { hunk } = fit;
        const isMarked = fit.before.startsWith('\uFEFF') && !hunk.oldText.startsWith('\uFEFF');
        const [before, after] = [fit.before, fit.after].map((whole) => (isMarked ? whole.replace(/^\uFEFF/, '') : whole));
        assert.ok(before !== undefined && after !== undefined);
        const from = before
          .split('\n')
          .slice(0, (hunk.firstLine ?? 0) - 1)
          .map((row) => `${row}\n`)
          .join('').length;
        assert.equal(before.slice(from, from + hunk.oldText.length), hunk.oldText);
        assert.equal(before.slice(0, from) + hunk.newText + before.slice(from + hunk.oldText.length), after);
        assert.ok(from === 0 || before[from - 1] === '\n');
      }),
      { numRuns: 2_000 },
    );
  });

  it('a text with other line endings is found in the same place', () => {
    fc.assert(
      fc.property(lines(3), fc.nat(), fc.nat(), (all, one, other) => {
        const [start, end] = [one % all.length, other % all.length].toSorted((a, b) => a - b);
        const part = all.slice(start, (end ?? 0) + 1).join('\n');
        const fit = fitOf(all.join('\r\n'), { oldText: part, newText: 'X\nY' });
        // A part of empty lines is at the first place.
        if (fit.type !== 'part' || part.trim() === '') return;
        assert.equal(
          fit.after,
          all
            .join('\n')
            .replace(part, () => 'X\nY')
            .replaceAll('\n', '\r\n'),
        );
      }),
    );
  });

  it('a search takes linear time', () => {
    const file = 'ab\r\n'.repeat(200_000);
    assert.equal(fitOf(file, { oldText: 'b\na', newText: 'x' }).type, 'several');
    assert.equal(fitOf(file, { oldText: `${'ab\n'.repeat(100_000)}c`, newText: 'x' }).type, 'mismatch');
  });
});
