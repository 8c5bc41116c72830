import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Lexer, type Token } from 'marked';
import { emptyLinks, lex } from '../../src/webview/markdown/boundedLexer.js';
import { BlockStream, type BlockEvent, type BlockUpdate } from '../../src/webview/markdown/blockStream.js';

/** The visible part of a token, without its source text, which may differ in trailing newlines. */
function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'raw')
      .map(([key, inner]) => [key, shape(inner)]),
  );
}

function oneShot(markdown: string): unknown {
  return shownOf(new Lexer().lex(markdown));
}

function shownOf(tokens: readonly Token[]): unknown {
  return shape(tokens.filter((token) => token.type !== 'space').map(normalised));
}

/** Code is passed on as text, so its token is compared by language and text. Blank lines at the end of an unclosed block are invisible. */
function normalised(token: Token): unknown {
  return token.type === 'code' && token.codeBlockStyle === undefined
    ? { type: 'code', lang: token.lang ?? '', text: token.text.replace(/\n+$/, '') }
    : token;
}

function streamed(pieces: readonly string[]): unknown {
  const stream = new BlockStream();
  let seen: unknown[] = [];
  let code: { type: 'code'; lang: string; text: string } | undefined;
  const take = (event: BlockEvent): void => {
    if (event.type === 'block') seen.push(normalised(event.token));
    else if (event.type === 'codeOpen') seen.push((code = { type: 'code', lang: event.language, text: '' }));
    else if (event.type === 'codeText' && code !== undefined) code.text += event.text;
  };
  const apply = (update: BlockUpdate): void => {
    if (update.reset) seen = [];
    update.events.forEach(take);
  };
  for (const piece of pieces) {
    stream.append(piece);
    apply(stream.flush());
  }
  apply(stream.end());
  for (const fence of seen)
    if (typeof fence === 'object' && fence !== null && 'lang' in fence && 'text' in fence)
      fence.text = String(fence.text).replace(/\n+$/, '');
  return shape(seen);
}

function cut(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size));
}

const documents: Readonly<Record<string, string>> = {
  'paragraphs and headings': '# One\n\nText *em* **strong**\nsecond line\n\nSetext\n---\n\n## Two\nmore\n',
  'a fence between text': 'Before\n```ts\nconst a = 1;\n\nconst b = 2;\n```\nAfter\n',
  'backticks that are inline code': 'text\n```js` inline ```\nmore\n\nend',
  'an open fence': 'Look:\n\n~~~python\nprint(1)\n\n',
  'an indented fence': '- item\n\n   ```js\n   a\n     b\n   ```\n\n  ~~~\n  x\n  ~~~\n',
  'a longer fence': '````md\n```js\na\n```\n````\ndone',
  lists: '- a\n- b\n  - c\n\n    d\n- [x] done\n- [ ] open\n\n1. one\n2. two\n\n\n* other\n',
  'loose and tight': '- a\n\n- b\n\ntext\n- c\n- d\n',
  tables: 'para\n\n| a | b |\n|---|:-:|\n| 1 | `2` |\n| 3 | 4 |\n\nafter\nx | y\n--|--\n1 | 2\n',
  'a table that is none': 'para\n| a | b |\n|---|---|x\nmore\n',
  quotes: '> a\n> b\nlazy\n\n> - c\n> - d\n>\n> ```\n> x\n> ```\n',
  html: 'a <b>bold</b>\n\n<div>\n<script>alert(1)</script>\n\nx\n</div>\n\n<!-- c\n\nd -->\nend\n',
  'definitions first': '[a]: http://x.example "t"\n\nsee [a] and [b]\n',
  'definitions last': 'see [a] and [b][a]\n\nmore\n\n[a]: http://x.example\n',
  'line ends': 'a\r\nb\r\n\r\n```\r\nc\r\n```\r\nd\r',
  'indented code': 'a\n\n    code\n\n    more\n\nb\n    joined\n',
  rules: 'a\n\n***\n---\n- - -\nb\n***\n',
};

for (const [name, markdown] of Object.entries(documents)) {
  for (const size of [1, 2, 3, 7, 1000]) {
    test(`${name}, in pieces of ${size}`, () => assert.deepEqual(streamed(cut(markdown, size)), oneShot(markdown)));
  }
}

const lines = [
  '',
  '',
  'text',
  'two *em* words',
  '# head',
  '---',
  '===',
  '- item',
  '  more',
  '1. one',
  '> quote',
  '```',
  '```ts',
  '~~~',
  '    code',
  '| a | b |',
  '|---|---|',
  '<div>',
  '</div>',
  '[x]: /u',
  'see [x]',
  '\ttab',
  '`',
  '*',
];
const formulaLines = [
  '$$',
  '$$',
  '  $$',
  '\\[',
  '\\]',
  '\\begin{a}',
  '\\end{a}',
  '$$ x $$',
  '$$ y',
  '* c',
  '',
  ' ',
  'a',
  'see [x]',
  '# h',
  '- i',
  '=',
  '```',
];

/** Compares texts of these lines, in pieces, with what `whole` makes of them at once. */
function assertSameInPieces(line: fc.Arbitrary<string>, whole: (markdown: string) => unknown): void {
  const markdown = fc.array(line, { maxLength: 25 }).map((all) => all.join('\n'));
  fc.assert(
    fc.property(markdown, fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (text, sizes) => {
      const pieces: string[] = [];
      for (let at = 0; at < text.length; ) {
        const size = sizes.next().value;
        pieces.push(text.slice(at, at + size));
        at += size;
      }
      assert.deepEqual(streamed(pieces), whole(text));
    }),
    { numRuns: 1500 },
  );
}

test('any text in any chunks produces the same blocks as the whole text', () => {
  assertSameInPieces(fc.constantFrom(...lines), oneShot);
});

test('so do formulas, which GFM does not know', () => {
  assertSameInPieces(fc.constantFrom(...formulaLines), (text) => shownOf(lex(text, emptyLinks())));
});

describe('a formula on lines of its own', () => {
  const blocks = (markdown: string): readonly (readonly [string, string])[] =>
    lex(markdown, emptyLinks()).flatMap(({ type, raw, ...token }) =>
      type === 'space' ? [] : [[type, 'text' in token && type === 'code' ? String(token['text']) : raw.trim()] as const],
    );

  test('may have lines that begin as those of lists and headings do', () => {
    for (const [begin, end] of [
      ['$$', '$$'],
      ['\\[', '\\]'],
    ])
      for (const line of ['* b', '- b', '+ b', '1. b', '# b', '> b']) {
        const text = `a\n${line}`;
        assert.deepEqual(blocks(`So\n  ${begin}\n${text}\n${end}\n- item\n`), [
          ['paragraph', 'So'],
          ['code', text],
          ['list', '- item'],
        ]);
        assert.deepEqual(streamed(cut(`${begin}\n${text}\n${end}\n`, 1)), [{ type: 'code', lang: 'math', text }]);
      }
    for (const line of ['=', '-']) {
      const text = `a\n${line}\nb`;
      const whole = `So\n$$\n${text}\n$$\n`;
      assert.deepEqual(blocks(whole), [
        ['paragraph', 'So'],
        ['code', text],
      ]);
      assert.deepEqual(streamed(cut(whole, 1)), shownOf(lex(whole, emptyLinks())));
    }
    const aligned = '\\begin{aligned}\n- a &= b\n\\end{aligned}';
    assert.deepEqual(blocks(`${aligned}\n`), [['code', aligned]]);
  });

  test('ends before a blank line, without which it is none', () => {
    assert.deepEqual(blocks('$$\n- a\n\n- b\n$$'), [
      ['paragraph', '$$'],
      ['list', '- a\n\n- b\n$$'],
    ]);
    assert.deepEqual(blocks('kill\n$$ and\n$$ twice\n'), [['paragraph', 'kill\n$$ and\n$$ twice']]);
  });

  test('is no path of Windows', () => {
    for (const text of ['\\[C:\\temp\\]', '\\[.\\src\\app\\]', '\\[..\\x\\]', '\\[\\\\server\\share\\]'])
      assert.deepEqual(
        [...blocks(text), ...blocks(`in ${text} too`)].map(([type]) => type),
        ['paragraph', 'paragraph'],
      );
  });
});

test('each block is passed on once, and the tail stays short', () => {
  const stream = new BlockStream();
  let events = 0;
  for (let index = 0; index < 50; index++) {
    stream.append(`paragraph ${index}\n\n`);
    const update = stream.flush();
    events += update.events.length;
    assert.ok(update.tail.length <= 1);
  }
  assert.equal(events + stream.end().events.length, 50);
});
