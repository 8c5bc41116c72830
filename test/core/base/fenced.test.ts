/** A text in a code block of Markdown. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fenced } from '../../../src/core/base/fenced.js';

describe('a text in a code block', () => {
  test('cannot break out of it', () => {
    assert.equal(fenced('a\n```\nb'), '````\na\n```\nb\n````');
    assert.equal(fenced('a', 'json'), '```json\na\n```');
    assert.equal(fenced('a\n'), '```\na\n```');
  });

  test('may have any number of backquotes', () => {
    const text = '` '.repeat(300_000);
    assert.equal(fenced(text), `\`\`\`\n${text}\n\`\`\``);
  });
});
