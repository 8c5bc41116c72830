import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ChangesProblem, type LeftReason, unkeptReasons } from '../../src/core/index.js';
import { countText, leftText, linesText, problemText, uncountedText } from '../../src/text/changesText.js';

/** All of them: a missing one does not compile. */
const reasons: Readonly<Record<LeftReason, true>> = { changed: true, unkept: true, also_user: true, refused: true, failed: true };
const problems: Readonly<Record<ChangesProblem, true>> = { late: true, shared: true, interrupted: true };
const keysOf = <K extends string>(all: Readonly<Record<K, true>>): readonly K[] => Object.keys(all) as K[];

describe('what turns changed, in words', () => {
  it('counts files, and lines with the sign for minus', () => {
    assert.equal(countText({ fileCount: 3, added: 18, removed: 2, problems: ['late'] }), '3 files +18 \u22122');
    assert.equal(countText({ fileCount: 1, added: 1, removed: 0, problems: ['shared'] }), '1 file, shared +1 \u22120');
    assert.equal(linesText({ added: 0, removed: 7 }), '+0 \u22127');
  });

  it('has a sentence of its own for each reason why a file was left, and for each problem', () => {
    const texts = [...keysOf(reasons).map((why) => leftText({ path: 'a.txt', why })), ...keysOf(problems).map(problemText)];
    assert.equal(new Set(texts).size, texts.length);
    for (const text of texts) assert.match(text, /^[A-Z][^_]{10,}[^.]\.$/);
  });

  it('says for each reason why lines are not counted and why an undo left the file', () => {
    const notes = unkeptReasons.map((unkept) => uncountedText({ unkept }));
    const sentences = unkeptReasons.map((detail) => leftText({ path: 'a', why: 'unkept', detail }));
    assert.equal(new Set([...notes, ...sentences]).size, 2 * unkeptReasons.length);
    for (const text of sentences) assert.match(text, /^[A-Z][^_]{10,}[^.]\.$/);
    for (const text of notes) assert.match(text ?? '', /undone$/);
    assert.equal(uncountedText({ isBinary: true }), 'binary, lines are not counted');
    assert.equal(uncountedText({}), undefined);
  });

  it('passes on why the system refused', () => {
    assert.equal(leftText({ path: 'a.txt', why: 'refused', detail: 'permission denied' }), "It couldn't be changed: permission denied.");
    assert.match(leftText({ path: 'a.txt', why: 'refused', detail: 'editor_hangs' }), /^An editor does not respond/);
    assert.equal(
      leftText({ path: '../lib/a.txt', why: 'failed', detail: 'too_slow' }),
      'Nothing was undone in its folder. Git needed too long to look at the folder.',
    );
  });
});
