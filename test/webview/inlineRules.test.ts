/** What looks like a sign of Markdown and is one of the text stays in the text. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Lexer, type Token } from 'marked';
import { emptyLinks, lex, lexBlocks } from '../../src/webview/markdown/boundedLexer.js';

/** The text as a reader sees it: `<strong>` and so on around what is set off. */
function read(markdown: string): string {
  return written(lex(markdown, emptyLinks()));
}

function written(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      const inner =
        'tokens' in token && token.tokens !== undefined ? written(token.tokens) : 'text' in token ? String(token['text']) : token.raw;
      return ['strong', 'em', 'del', 'codespan'].includes(token.type) ? `<${token.type}>${inner}</${token.type}>` : inner;
    })
    .join('');
}

function assertAllPlain(texts: readonly string[]): void {
  for (const text of texts) assert.equal(read(text), text);
}

describe('tildes', () => {
  test('one of them is a sign', () => {
    assertAllPlain([
      'about ~$40 per node and ~6 hours',
      'pages 10~20 and 30~40',
      '~/projects/a~ and ~/work',
      'H~2~O and CO~2~',
      'v1.2~rc1 versus v1.3~rc2 of the package',
      '3~5개 그리고 7~9개',
      'foo~, bar~ and ~baz',
      'A~B (see C~D)',
      'git HEAD~1 and HEAD~2 differ',
      '~a~ and ~ b ~',
    ]);
  });

  test('two of them strike out, also around one', () => {
    assert.equal(read('~~gone~~ and ~~10~20~~, a~~b~~c'), '<del>gone</del> and <del>10~20</del>, a<del>b</del>c');
    assert.equal(read('~~a **b**~~.'), '<del>a <strong>b</strong></del>.');
    assertAllPlain(['~~open', '~~ no ~~', 'a ~~~ b']);
  });
});

describe('dollars', () => {
  test('of variables, patterns and money are signs', () => {
    assertAllPlain([
      'quote it as $PATH or "$@" in the script',
      'lines matching $name or /end$/ are kept',
      'lines matching $name or end$ are kept',
      'pay in $USD ($) or €',
      'between $HOME and ~/x, $EDITOR (or $VISUAL)',
      'in make use $(CC) and $@, $< and $^.',
      'PHP $x="a$"; then $y',
      'Perl $! and $@ and $_',
      'costs 10$ or 20$, i.e. $$$',
      'jQuery $(".a").b() and $("#c")',
      'R$ 7,50 each, US$ 5, HK$8',
      '${A}-${B}, $1,$2 and $A/$B',
      'from $5 to $6, ($a,$)',
    ]);
  });

  test('of formulas are around them', () => {
    for (const formula of ['x', 'a+b', 'a_1 * b_2 * c', 'f(x) = x_1 + 2', 'x \\in A', "f'(x)", '|x|', '1/2', 'n^2 log n', 'α ≤ β'])
      for (const [before, after] of [
        ['So ', '.'],
        ['(', ')'],
        ['设', '为'],
        ['the ', '-th'],
      ])
        assert.equal(read(`${before}$${formula}$${after}`), `${before}<codespan>${formula}</codespan>${after}`);
    for (const [before, after] of [
      ['$$', '$$'],
      ['\\[', '\\]'],
    ])
      for (const formula of ['E = m_1 * c^2 * d', '\\frac{a_1}{b_1} * c * d'])
        assert.equal(read(`So ${before}${formula}${after}.`), `So <codespan>${formula}</codespan>.`);
    assert.equal(read('price $5 and $6, $a+b$ math'), 'price $5 and $6, <codespan>a+b</codespan> math');
  });
});

test('escaped brackets are brackets', () => {
  assert.equal(read('a\\[i_1\\] and \\[see *this*\\] or \\[1\\](x)'), 'a[i_1] and [see <em>this</em>] or [1](x)');
  assert.equal(read('\\[see foo_bar\\] and \\[ y = x_1 \\]'), '[see foo_bar] and <codespan> y = x_1 </codespan>');
  assert.equal(read('in \\[C:\\temp\\], \\[..\\a_b = c\\] and \\(C:\\temp\\)'), 'in [C:\\temp], [..\\a_b = c] and (C:\\temp)');
  assert.equal(read('kill $$ and $$; $$HOME and $$'), 'kill $$ and $$; $$HOME and $$');
});

describe('stars', () => {
  test('mark bold and italics next to Chinese, Japanese and Korean', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['**中文（说明）**之后', '<strong>中文（说明）</strong>之后'],
      ['**「引用」**です', '<strong>「引用」</strong>です'],
      ['이것은 **중요(important)**합니다', '이것은 <strong>중요(important)</strong>합니다'],
      ['请看**“引号”**和**`code`**后', '请看<strong>“引号”</strong>和<strong><codespan>code</codespan></strong>后'],
      ['这是**重要。**后面', '这是<strong>重要。</strong>后面'],
      ['文**(括号)**字', '文<strong>(括号)</strong>字'],
      ['これは*「斜体」*です', 'これは<em>「斜体」</em>です'],
      ['カタカナー**ー！**ー', 'カタカナー<strong>ー！</strong>ー'],
      ['共**50%**的和**+3**个', '共<strong>50%</strong>的和<strong>+3</strong>个'],
      ['**a**,**中**', '<strong>a</strong>,<strong>中</strong>'],
      ['***粗斜（x）***后', '<em><strong>粗斜（x）</strong></em>后'],
    ];
    for (const [markdown, expected] of cases) assert.equal(read(markdown), expected);
    assertAllPlain(['5 * 3 *', '中 * 文 * 字', '**未完', '文** 字**']);
  });

  test('are matched by the faster rules of marked in a text without those scripts', () => {
    const isMarked = (text: string): boolean =>
      lexBlocks(text, emptyLinks()).lexer.options.tokenizer?.rules.inline.emStrongRDelimAst === Lexer.rules.inline.gfm.emStrongRDelimAst;
    assert.ok(isMarked('Un **été** à “Šibenik” — 5 € · Привет'));
    for (const text of ['中', 'カ', '한', 'ㄅ', '。', '\u{20000}']) assert.ok(!isMarked(`a **b** ${text}`));
  });

  test('a text without those scripts, formulas and single tildes reads as in GFM', () => {
    const piece = fc.constantFrom(
      'a',
      'bc',
      ' ',
      '*',
      '**',
      '***',
      '_',
      '__',
      '~~',
      '(',
      ')',
      '"',
      '.',
      '-',
      '`',
      '\\',
      '[x](y)',
      '\n',
      '1',
      '€',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const text = pieces.join('');
        // A tilde beside an escaped one is single, too.
        const unescaped = text.replaceAll(/\\./gs, ' ');
        fc.pre(!/(?<!~)~(?:~~)*(?!~)/.test(unescaped) && !text.includes('\\('));
        assert.equal(read(text), written(new Lexer({ gfm: true }).lex(text)));
      }),
      { numRuns: 3_000 },
    );
  });

  test('a word between such letters is bold whatever is next to it inside', () => {
    const letter = fc.constantFrom('中', '文', 'の', 'カ', '한', '글', 'ㄅ', '。', '，', '（', '」');
    const inside = fc.array(fc.constantFrom('中', 'a', '(', ')', '"', '%', '。', '「', '」', ':', '1'), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(letter, inside, letter, (before, text, after) => {
        const bold = text.join('');
        assert.equal(read(`${before}**${bold}**${after}`), `${before}<strong>${bold}</strong>${after}`);
      }),
    );
  });
});
