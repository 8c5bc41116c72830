import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { diffTexts, foldUnchanged, partsOf } from '../../../src/core/base/lineDiff.js';
import { processorMs } from '../../processorTime.js';

const shown = (before: string, after: string): readonly string[] =>
  diffTexts(before, after).lines.map(({ sign, number, text }) => `${number}${sign}${text}`);

describe('the lines of a change', () => {
  test('have their numbers in the old or new text, removed lines first', () => {
    assert.deepEqual(shown('a\nb\nc\n', 'a\nB\nd\nc\n'), ['1 a', '2-b', '2+B', '3+d', '4 c']);
    assert.deepEqual(shown('', 'a\nb'), ['1+a', '2+b']);
    assert.deepEqual(shown('a\n', ''), ['1-a']);
  });

  test('do not mention a missing newline at the end, which is reported only if nothing else changed', () => {
    assert.deepEqual(shown('return a', 'return b'), ['1-return a', '1+return b']);
    assert.deepEqual(diffTexts('a', 'a\nb\n').endings, undefined);
    assert.deepEqual({ ...diffTexts('a', 'a\n'), lines: [] }, { lines: [], added: 0, removed: 0, endings: 'last_changed' });
  });

  test('ignore a change of all line endings, but show each change in a file with mixed endings', () => {
    assert.deepEqual(diffTexts('a\r\nb\r\n', 'a\nB\n').endings, 'all_changed');
    assert.deepEqual(shown('a\r\nb\r\n', 'a\nB\n'), ['1 a', '2-b', '2+B']);
    assert.deepEqual(shown('a\r\nb\n', 'a\nb\n'), ['1-a\r', '1+a', '2 b']);
  });

  test('turn one text into the other, for any texts', () => {
    const line = fc.constantFrom('', 'a', 'b', 'c', ' ', 'a b');
    const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { lines, added, removed, endings } = diffTexts(before, after);
        const side = (left: string) =>
          lines
            .filter(({ sign }) => sign !== left)
            .map(({ text: one }) => one)
            .join('\n');
        assert.equal(side('+').trimEnd(), before.trimEnd());
        assert.equal(side('-').trimEnd(), after.trimEnd());
        assert.equal(added + removed > 0 || endings !== undefined, before !== after);
      }),
    );
  });

  test('contain only what changed, even if there are thousands of small changes', () => {
    const text = (word: string) => Array.from({ length: 20_000 }, (_, at) => (at % 10 === 5 ? `${word} ${at}` : `line ${at}`)).join('\n');
    const { added, removed } = diffTexts(text('old'), text('new'));
    assert.deepEqual([added, removed], [2_000, 2_000]);
  });

  test('turn one text into the other if a large change moves lines, and keep most lines', () => {
    const before = Array.from({ length: 5_000 }, (_, at) => (at % 3 === 0 ? '' : `line ${at}`));
    const after = [...before.slice(0, 1_000), ...before.slice(2_000), ...before.slice(1_000, 2_000)].flatMap((line, at) =>
      at % 7 === 0 ? [] : at % 11 === 0 ? [line, 'more'] : [line],
    );
    const { lines } = diffTexts(before.join('\n'), after.join('\n'));
    const side = (left: string) => lines.filter(({ sign }) => sign !== left).map(({ text }) => text);
    assert.deepEqual(side('+'), before);
    assert.deepEqual(side('-'), after);
    assert.ok(lines.length < before.length + after.length - 2_000, 'most lines stay');
  });

  test('are found quickly, even if nothing is left of a large text', () => {
    const text = (lines: number, word: string) => Array.from({ length: lines }, (_, at) => `${word} ${at % 7} ${at}`).join('\n');
    const startedAt = processorMs();
    const { added, removed } = diffTexts(text(20_000, 'old'), text(20_000, 'new'));
    assert.deepEqual([added, removed], [20_000, 20_000]);
    assert.ok(processorMs() - startedAt < 2_000, 'a quadratic comparison took 33 s');
  });
});

test('foldUnchanged skips the lines that are far from any change', () => {
  const text = (changed: string) => [...Array.from({ length: 20 }, (_, at) => `line ${at}`), changed, 'end', 'end'].join('\n');
  assert.deepEqual(
    foldUnchanged(diffTexts(text('a'), text('b')).lines, 2).map((row) => ('skipped' in row ? row.skipped : row.sign + row.text)),
    [18, ' line 18', ' line 19', '-a', '+b', ' end', ' end'],
  );
  assert.deepEqual(foldUnchanged(diffTexts('a\nb', 'a\nb').lines, 2), [{ skipped: 2 }]);
});

describe('the changed parts of a line', () => {
  const parts = (before: string, after: string) =>
    diffTexts(before, after).lines.map((line) =>
      partsOf(line)
        .map(({ text, changed }) => (changed ? `[${text}]` : text))
        .join(''),
    );

  test('are whole words', () => {
    assert.deepEqual(parts('const a = parse(text);', 'const a = parse(line);'), ['const a = parse([text]);', 'const a = parse([line]);']);
  });

  test('are not marked if the lines have little in common', () => {
    assert.deepEqual(parts('return fail(token);', 'import { a } from "b";'), ['return fail(token);', 'import { a } from "b";']);
  });
});
