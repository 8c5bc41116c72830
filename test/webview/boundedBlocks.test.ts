/** Extreme Markdown: it costs no more than ordinary Markdown, and none of it is lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Token } from 'marked';
import { BlockStream, type BlockEvent } from '../../src/webview/markdown/blockStream.js';
import { processorMs } from '../processorTime.js';

const bytes = 40_000;
const many = (piece: string): string => piece.repeat(Math.ceil(bytes / piece.length));

const texts: Readonly<Record<string, string>> = {
  'emphasis in emphasis': many('_a **b'),
  'underscores in words': many('a_'),
  'bold that never ends': many('**a'),
  'exclamation marks': many('!'),
  brackets: many('['),
  'links in links': many('[a]('),
  'angle brackets': many('<'),
  'code without end': many('`a '),
  'quotes in quotes': many('> '),
  'lists in lists': many('1. '),
  'formulas that never end': many('\\[\n'),
  'formulas that end in the middle of a line': many('\\[a\\] b\n'),
  'environments that never end': many('\\begin{a}\n'),
  'headings without blank lines': many('a\n# b\n'),
  'lines of dollars': many('$$ a\n'),
  'deeper and deeper lists': Array.from({ length: 280 }, (_, level) => `${'  '.repeat(level)}- a`).join('\n'),
  'one long word': many('a'),
  'one long line': many('word '),
  'one long list': many('- item\n'),
  'one long table': `| a | b |\n|---|---|\n${many('| 1 | 2 |\n')}`,
  'a table of one row': `|${many('a|')}\n|${many('-|')}\n`,
};

function piecesOf(text: string): { readonly drawn: string; readonly longestMs: number } {
  const stream = new BlockStream();
  let longestMs = 0;
  let drawn = '';
  const take = (event: BlockEvent): void => {
    if (event.type === 'block') drawn += textOf(event.token);
    else if (event.type === 'codeText') drawn += event.text;
  };
  const step = (): void => {
    const startedAt = processorMs();
    stream.flush().events.forEach(take);
    longestMs = Math.max(longestMs, processorMs() - startedAt);
  };
  for (let at = 0; at < text.length; at += 2_000) {
    stream.append(text.slice(at, at + 2_000));
    step();
  }
  stream.end().events.forEach(take);
  return { drawn, longestMs };
}

const textOf = (token: Token): string => token.raw;
const letters = (text: string): string => text.replace(/[^a-z]/g, '');

for (const [name, text] of Object.entries(texts)) {
  test(`${name}: every step is fast, and no text is lost`, () => {
    piecesOf(text);
    const { drawn, longestMs } = piecesOf(text);
    assert.ok(longestMs < 150, `a step took ${Math.round(longestMs)} ms`);
    assert.ok(letters(drawn).length >= letters(text).length, 'something is missing');
  });
}

test('text after a part that is nested too deeply is rendered as Markdown again', () => {
  const stream = new BlockStream();
  stream.append(`${'> '.repeat(500)}deep\n\n# Head\n\nend`);
  const events = [...stream.flush().events, ...stream.end().events];
  assert.deepEqual(
    events.map((event) => (event.type === 'block' ? event.token.type : event.type)),
    ['html', 'heading', 'paragraph'],
  );
});

test('a long list continues in the next block, and a long table with its header', () => {
  const numbered = Array.from({ length: 1_500 }, (_, index) => `${index + 1}. the item number ${index + 1}\n`).join('');
  const rows = Array.from({ length: 1_500 }, (_, index) => `| ${index + 1} | a row |\n`).join('');
  for (const text of [numbered, `| n | what |\n|---|---|\n${rows}`]) {
    const stream = new BlockStream();
    const tokens: Token[] = [];
    for (let at = 0; at < text.length; at += 1_000) {
      stream.append(text.slice(at, at + 1_000));
      for (const event of stream.flush().events) if (event.type === 'block') tokens.push(event.token);
    }
    for (const event of stream.end().events) if (event.type === 'block') tokens.push(event.token);
    assert.ok(tokens.length > 1);
    assert.equal(new Set(tokens.map(({ type }) => type)).size, 1);
    const entries = tokens.flatMap((token) => (token.type === 'list' ? token.items : token.type === 'table' ? token.rows : []));
    assert.equal(entries.length, 1_500);
    assert.ok(tokens.filter((token) => token.type === 'list' && token.start === 1).length <= 1);
  }
});
