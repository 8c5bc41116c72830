/** A Markdown text that is interrupted by a tool call, and goes on below it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { lexer, type Token, type Tokens } from 'marked';
import { openBlocksOf, openingOf } from '../../src/text/openMarkdown.js';

const opening = (before: string, rest: string): string => openingOf(openBlocksOf(before), rest);
const below = (before: string, rest: string): readonly Token[] =>
  lexer(opening(before, rest) + rest).filter(({ type }) => type !== 'space' && type !== 'def');
const typesBelow = (before: string, rest: string): readonly string[] => below(before, rest).map(({ type }) => type);

describe('what is open goes on', () => {
  const fences: Readonly<Record<string, readonly [before: string, rest: string, code: string]>> = {
    'a fence at the end of a line': [
      'Script:\n\n```sh\n# build\nmake all\n',
      '# test\nmake test\n```\n\nThen **commit** it.',
      '# test\nmake test',
    ],
    'a fence inside a line': ['```sh\nmake a', 'll\nmake test\n```\n\nThen', 'll\nmake test'],
    'a fence of tildes that contains backquotes': ['~~~md\n```\n', '# test\n```\n~~~\n\nThen', '# test\n```'],
    'a longer fence': ['````\n```\n', '# test\n````\n\nThen', '# test'],
    'an indented fence': ['  ```js\n  a\n', '  b\n  ```\n\nThen', 'b'],
  };
  for (const [what, [before, rest, code]] of Object.entries(fences)) {
    test(what, () => {
      const tokens = below(before, rest);
      assert.deepEqual(
        tokens.map(({ type }) => type),
        ['code', 'paragraph'],
      );
      assert.equal(tokens[0]?.type === 'code' && tokens[0]['text'], code);
    });
  }

  const isTable = (token: Token | undefined): token is Tokens.Table => token?.type === 'table';
  for (const [what, before] of [
    ['a table after its head', '| a | b |\n|---|---|\n'],
    ['a table after a row', 'Text\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n'],
  ] as const) {
    test(what, () => {
      const [table, after] = below(before, '| 3 | 4 |\n\nEnd.');
      assert.ok(isTable(table));
      assert.deepEqual(
        [table.header.map(({ text }) => text), table.rows.map((row) => row.map(({ text }) => text)), after?.type],
        [['a', 'b'], [['3', '4']], 'paragraph'],
      );
    });
  }

  test('a nested list, whose items would be code on their own', () => {
    for (const [before, rest] of [
      ['- a\n  - b\n', '    - c\n'],
      ['1. a\n   - b\n', '   - c\n'],
      ['- a\n\n', '  More of a.\n'],
    ] as const) {
      assert.deepEqual(typesBelow(before, rest), ['list'], JSON.stringify(before));
    }
  });

  test('code in an item of a list', () => {
    const [list] = below('1. Run:\n   ```sh\n   make\n', '   make test\n   ```\n2. Done\n');
    assert.ok(list?.type === 'list');
    assert.deepEqual(
      list['items'].map((item: Tokens.ListItem) => item.tokens.map(({ type }) => type)),
      [['code'], ['text']],
    );
  });

  test('code in a quote', () => {
    const [quote] = below('> ```\n> a\n', '> b\n> ```\n');
    assert.deepEqual(quote?.type === 'blockquote' && quote.tokens?.map(({ type }) => type), ['code']);
  });
});

describe('nothing is put before', () => {
  for (const [what, before, rest] of [
    ['what follows a paragraph', 'Some text', ' and more'],
    ['what follows a fence that was closed', '```\na\n```\n', '# Title'],
    ['the next item of a list', '- a\n- b\n', '- c\n'],
    ['a paragraph after a list', '- a\n\n', 'Text'],
    ['a paragraph after a table', '| a |\n|---|\n| 1 |\n\n', 'Text'],
    ['what follows inline code', 'Use `a', 'b` here'],
    ['what follows a rule', 'a\n\n---\n', 'b'],
  ] as const) {
    test(what, () => assert.equal(opening(before, rest), ''));
  }
});

test('code is open exactly where Markdown says so', () => {
  const line = fc.constantFrom('', 'text', '```', '```js', '```a`', '~~~', '~~~ x', '````', '  ```', '# a', '---');
  const isCode = (text: string): boolean => lexer(text).some((token) => token.type === 'code' && token['text'].includes('marker'));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 10 }), (lines) => {
      const before = lines.map((each) => `${each}\n`).join('');
      assert.equal(isCode(`${opening(before, 'marker')}marker`), isCode(`${before}marker`));
    }),
    { numRuns: 2_000 },
  );
});
