import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commentText, placeText, undoneText } from '../../src/text/changesText.js';

const lines = { path: 'src/x.js', firstLine: 13, lastLine: 14 };

describe('what the user noted while reviewing, in words', () => {
  it('names the lines', () => {
    assert.equal(placeText(lines), 'src/x.js 13–14');
    assert.equal(placeText({ ...lines, lastLine: 13 }), 'src/x.js 13');
    assert.equal(placeText({ path: 'a\nb.js', firstLine: 1, lastLine: 1 }).includes('\n'), false);
  });

  it('has what was undone as a change: the lines of the agent are gone, the earlier ones are back', () => {
    assert.equal(
      undoneText(lines, { now: ['const a = 2;'], earlier: ['const a = 1;', ''] }),
      'Undone by the user: src/x.js 13–14\n```diff\n-const a = 2;\n+const a = 1;\n+\n```',
    );
  });

  it('has a comment with the lines that it is about, in a fence that they do not end', () => {
    assert.equal(
      commentText(lines, 'Use ``, not this', ['````', 'x']),
      'Comment of the user on src/x.js 13–14: Use ``, not this\n`````\n````\nx\n`````',
    );
  });

  it('counts the lines that are too many', () => {
    const text = commentText(
      lines,
      'Too long',
      Array.from({ length: 200 }, (_, index) => `line ${index}`),
    );
    assert.match(text, /\nline 59\n… 140 more lines\n```$/);
  });
});
