/** An agent's Markdown in a real browser: it streams in blocks, and nothing in it can act. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertOnScreen, nextFrames } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView, userItem } from './views.js';

const host = hostForTests();

describe('Markdown in answers', () => {
  test('headings, lists, tables, tasks and code are rendered', async () => {
    const opened = await host.openAnswer(
      '# Head\n\n- a\n- [x] b\n\n1. one\n\n| h |\n|---|\n| c |\n\n> q\n\n```ts\nconst a = 1;\n```\n\n**b** *i* ~~d~~ `c`\n',
    );
    const article = opened.page.getByRole('article', { name: 'agentao' });
    await article.getByRole('heading', { name: 'Head' }).waitFor();
    assert.equal(await article.getByRole('listitem').count(), 3);
    assert.equal(await article.getByRole('checkbox', { name: 'Done' }).isChecked(), true);
    assert.equal(await article.getByRole('columnheader', { name: 'h' }).count(), 1);
    assert.equal(await article.locator('pre code').textContent(), 'const a = 1;');
    assert.equal(await article.locator('strong, em, del, blockquote, p > code').count(), 5);
    await opened.assertClean();
    await opened.close();
  });

  test('a collapsible section is rendered with Markdown in it, in one or many chunks', async () => {
    const text =
      'Before.\n\n<details>\n<summary>The <b>log</b> &amp; more</summary>\n\n- one\n- two\n\n```\ncode\n```\n\n</details>\n\nAfter.\n\n<details open><summary>Short</summary>inside</details>\n';
    const opened = await host.open({ view: emptyView({ items: [agentItem('whole', text), agentItem('pieces', '', true)] }) });
    for (let at = 0; at < text.length; at += 9) {
      await opened.patch({ op: 'append', id: 'pieces', text: text.slice(at, at + 9) });
      await opened.page.evaluate(() => new Promise(requestAnimationFrame));
    }
    await opened.patch({ op: 'item', item: agentItem('pieces', text) });
    const [whole, pieces] = await opened.page.locator('.agent .markdown').evaluateAll((nodes) => nodes.map((node) => node.outerHTML));
    assert.equal(pieces, whole);
    const article = opened.page.getByRole('article', { name: 'agentao' }).first();
    assert.equal(await article.getByText('two').isVisible(), false);
    assert.equal(await article.getByText('inside').isVisible(), true);
    assert.equal(await article.getByText('After.').isVisible(), true);
    await article.getByText('The log & more').click();
    await assertOnScreen(article.getByText('two'));
    assert.equal(await article.locator('details').first().locator('pre').textContent(), 'code');
    assert.equal(await article.locator('.raw-html').count(), 0);
    await opened.assertClean();
    await opened.close();
  });

  test('a collapsible section in a list, a quote or a line is rendered, and stays expanded while text streams', async () => {
    const text =
      '- first\n  <details><summary>In a list</summary>\n\n  inside *one*\n\n  </details>\n- <details>\n  <summary>Alone</summary>\n  inside two\n  </details>\n\n> <details><summary>In a quote</summary>\n>\n> inside three\n>\n> </details>\n\nIn a line <details><summary>Inline</summary>inside four</details> and on.\n\nThe <details> tag is a word.\n';
    const opened = await host.open({ view: emptyView({ items: [agentItem('whole', text), agentItem('pieces', '', true)] }) });
    const pieces = opened.page.getByRole('article', { name: 'agentao' }).last();
    for (let at = 0; at < text.length; at += 9) {
      await opened.patch({ op: 'append', id: 'pieces', text: text.slice(at, at + 9) });
      await opened.page.evaluate(() => new Promise(requestAnimationFrame));
      if (at === 54) await pieces.getByText('In a list').click();
    }
    await opened.patch({ op: 'item', item: agentItem('pieces', text) });
    for (const article of [pieces, opened.page.getByRole('article', { name: 'agentao' }).first()]) {
      assert.deepEqual(await article.locator('summary').allTextContents(), ['In a list', 'Alone', 'In a quote', 'Inline']);
      assert.equal(await article.locator('li details').count(), 2);
      assert.equal(await article.getByText('inside two').isVisible(), false);
      assert.equal(await article.locator('.raw-html').count(), 0);
      await assertOnScreen(article.getByText('The <details> tag is a word.'));
    }
    await assertOnScreen(pieces.getByText('inside one'));
    await opened.assertClean();
    await opened.close();
  });

  test('formulas and diagrams are named code blocks that can be copied', async () => {
    const opened = await host.openAnswer(
      '$$\n\\frac{a_1}{b_2}\n* c\n$$\n\n\\[\nx^2\n\\]\n\n```mermaid\ngraph TD;\n```\n\nIt costs $$ or $5.\n\nSo it is:\n$$ y = 1 $$\nand so on.\n',
    );
    const blocks = opened.page.locator('.agent .code-block');
    assert.deepEqual(await blocks.locator('code').allTextContents(), ['\\frac{a_1}{b_2}\n* c', 'x^2', 'graph TD;', 'y = 1']);
    assert.deepEqual(await blocks.locator('.code-language').allTextContents(), ['Math', 'Math', 'Mermaid diagram', 'Math']);
    await blocks.first().hover();
    await blocks.first().getByRole('button', { name: 'Copy code' }).click();
    assert.equal((await opened.message('copy')).text, '\\frac{a_1}{b_2}\n* c');
    await opened.assertClean();
    await opened.close();
  });

  test('inline formulas are shown as source, and amounts of money and variables as text', async () => {
    const opened = await host.openAnswer(
      'So $a_1 * b_2 * c$ and \\(x^2 \\ne y\\), each *once*.\n\nIt costs $5 or $10, not 20$ or $PATH and $HOME, nor $a$b.\n\n`$x$` and \\$y\\$\n',
    );
    const paragraphs = opened.page.locator('.agent p');
    assert.deepEqual(await paragraphs.locator('code').allTextContents(), ['a_1 * b_2 * c', 'x^2 \\ne y', '$x$']);
    assert.deepEqual(await paragraphs.allTextContents(), [
      'So a_1 * b_2 * c and x^2 \\ne y, each once.',
      'It costs $5 or $10, not 20$ or $PATH and $HOME, nor $a$b.',
      '$x$ and $y$',
    ]);
    await opened.assertClean();
    await opened.close();
  });

  test('a remote image is not loaded, and its description and address are shown', async () => {
    const opened = await host.openAnswer(
      '![a chart](https://evil.example/x.png?secret) ![](docs/a.png) ![dot](data:image/gif;base64,R0lGODlhAQABAAAAACw=)',
    );
    await assertOnScreen(opened.page.getByText('Image: a chart'));
    await assertOnScreen(opened.page.getByText('(evil.example)'));
    await assertOnScreen(opened.page.getByText('(docs/a.png)'));
    assert.equal(await opened.page.getByRole('img', { name: 'dot' }).count(), 1);
    assert.equal(await opened.page.locator('.agent img').count(), 1);
    await opened.assertClean();
    await opened.close();
  });

  test('a picture in the folder is shown once the host has read it, and opens the file', async () => {
    const opened = await host.openAnswer('![a dot](docs/dot.gif) and ![nothing](docs/none.gif)');
    assert.equal((await opened.message('loadImage')).path, 'docs/dot.gif');
    await opened.post({ type: 'image', path: 'docs/none.gif', data: 'data:image/svg+xml;base64,AAAA' });
    await opened.post({ type: 'image', path: 'docs/dot.gif', data: 'data:image/gif;base64,R0lGODlhAQABAAAAACw=' });
    const picture = opened.page.getByRole('img', { name: 'Image: a dot' });
    await picture.waitFor();
    assert.equal(await opened.page.locator('.agent img').count(), 1);
    await opened.page.getByRole('link', { name: 'Image: a dot' }).press('Enter');
    assert.deepEqual(await opened.message('openLocation'), { type: 'openLocation', path: 'docs/dot.gif' });
    await assertOnScreen(opened.page.getByText('Image: nothing'));
    await opened.assertClean();
    await opened.close();
  });

  test('a table that is wider than the page shows that it can be scrolled', async () => {
    const columns = (cell: string): string => `| ${Array.from({ length: 8 }, () => cell).join(' | ')} |\n`;
    const opened = await host.open({
      view: emptyView({
        items: [agentItem('a1', `${columns('a column')}${columns('---')}${columns('cell')}\nWords\n\n| a |\n|---|\n| b |\n`)],
      }),
      width: 260,
    });
    const table = opened.page.getByRole('region', { name: 'Table' }).first();
    /** Whether its right edge looks other than without its background. */
    const isShaded = async (one = table): Promise<boolean> => {
      await nextFrames(opened.page);
      const { x, y, width, height } = (await one.boundingBox()) ?? assert.fail('it is not drawn');
      const clip = { x: x + width - 20, y, width: 20, height };
      const shown = await opened.page.screenshot({ clip });
      await one.evaluate((node) => (node.style.background = 'none'));
      const plain = await opened.page.screenshot({ clip });
      await one.evaluate((node) => (node.style.background = ''));
      return !shown.equals(plain);
    };
    assert.deepEqual([await isShaded(), await isShaded(opened.page.getByRole('region').last())], [true, false]);
    await table.evaluate((node) => (node.scrollLeft = node.scrollWidth));
    assert.equal(await isShaded(), false);
    await opened.page.setViewportSize({ width: 1_200, height: 700 });
    assert.equal(await isShaded(), false);
    await opened.close();
  });

  test('the numbers of a long list have space, also in a list that grows', async () => {
    const lines = (from: number, to: number): string => Array.from({ length: to - from }, (_, at) => `${from + at}. entry\n`).join('');
    const opened = await host.open({ view: emptyView({ items: [agentItem('a1', lines(1, 99), true)] }) });
    const list = opened.page.locator('.markdown ol');
    const spaceFor = (number: string): Promise<number> =>
      list.evaluate((node, text) => {
        const sample = document.createElement('span');
        sample.style.whiteSpace = 'pre';
        sample.textContent = `${text}. `;
        node.querySelector('li')?.append(sample);
        const left = parseFloat(getComputedStyle(node).paddingInlineStart) - sample.getBoundingClientRect().width;
        sample.remove();
        return left;
      }, number);
    await opened.patch({ op: 'append', id: 'a1', text: lines(99, 121) });
    await list.getByText('entry').nth(119).waitFor();
    assert.ok((await spaceFor('120')) >= 0);
    await opened.patch({ op: 'item', item: agentItem('a1', lines(1, 1_003)) });
    await list.getByText('entry').nth(1_001).waitFor();
    assert.ok((await spaceFor('1002')) >= 0);
    for (const first of [2, 12, 60]) {
      await opened.patch({ op: 'item', item: agentItem('a1', lines(first, first + 3)) });
      const continued = opened.page.locator(`ol[start="${first}"]`);
      assert.equal(await continued.evaluate((node) => getComputedStyle(node).paddingInlineStart), '22px', `at ${first}, as at 1`);
    }
    for (const first of [98, 500, 998, 123_456]) {
      await opened.patch({ op: 'item', item: agentItem('a1', lines(first, first + 3)) });
      await opened.page.locator(`ol[start="${first}"]`).waitFor();
      const left = await spaceFor(String(first + 2));
      assert.ok(left >= 0 && left < 16, `${left} px beside ${first + 2}`);
    }
    await opened.assertClean();
    await opened.close();
  });

  test('the result is the same for streamed and for complete text', async () => {
    const text =
      '# One\n\nText with **bold** and `code`\n\n- a\n- b\n  - c\n\n```js\nlet a;\n\nlet b;\n```\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\nend &lt;b&gt; &amp; done\n';
    const opened = await host.open({ view: emptyView({ items: [agentItem('whole', text), agentItem('pieces', '', true)] }) });
    for (let at = 0; at < text.length; at += 11) {
      await opened.patch({ op: 'append', id: 'pieces', text: text.slice(at, at + 11) });
      await opened.page.evaluate(() => new Promise(requestAnimationFrame));
    }
    await opened.patch({ op: 'item', item: agentItem('pieces', text) });
    const [whole, pieces] = await opened.page.locator('.agent .markdown').evaluateAll((nodes) => nodes.map((node) => node.outerHTML));
    assert.equal(pieces, whole);
    await opened.close();
  });

  test('code is kept if its opening line was rendered before the line was complete', async () => {
    for (const info of ['', 'json', 'json title']) {
      const opened = await host.open({ view: emptyView({ items: [agentItem('a1', `Like this:\n\n\`\`\`${info}`, true)] }) });
      await opened.page.getByText('Like this:').waitFor();
      await opened.page.evaluate(() => new Promise(requestAnimationFrame));
      await opened.patch({ op: 'append', id: 'a1', text: '\n{ "a": 1 }\n```\n\nEnd.' });
      await opened.page.getByText('End.').waitFor();
      assert.deepEqual(await opened.page.locator('.agent .code-block code').allTextContents(), ['{ "a": 1 }'], info);
      await opened.close();
    }
  });

  test('text appears while it streams, and completed blocks are not rendered again', async () => {
    const opened = await host.open({
      view: emptyView({ items: [userItem('u1', 'go'), agentItem('a1', 'First paragraph.\n\nSecond', true)] }),
    });
    const first = opened.page.getByText('First paragraph.');
    await first.waitFor();
    const node = await first.elementHandle();
    for (let index = 0; index < 40; index++) await opened.patch({ op: 'append', id: 'a1', text: ` word${index}\n\n` });
    await opened.page.getByText('word39').waitFor();
    assert.equal(await node?.evaluate((kept) => kept.isConnected && kept.textContent), 'First paragraph.');
    await opened.close();
  });

  test('a selection is kept in the open block and in completed ones', async () => {
    const opened = await host.open({ view: emptyView({ items: [agentItem('a1', 'Finished block.\n\n- first item\n- second', true)] }) });
    await opened.page.getByText('first item').waitFor();
    for (const part of ['Finished', 'first item']) {
      await opened.page.getByText(part).evaluate((node) => document.getSelection()?.selectAllChildren(node));
      await opened.patch({ op: 'append', id: 'a1', text: ' and more\n- next' });
      await opened.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      assert.match(await opened.page.evaluate(() => String(document.getSelection())), new RegExp(part));
    }
    await opened.close();
  });

  test('links send a message to the host on click or key, never by themselves', async () => {
    const opened = await host.openAnswer('[site](https://example.org/a?b=1&amp;c) [mail](mailto:a@b.c) [file](src/a.ts#L7)');
    await opened.page.getByRole('link', { name: 'site' }).click();
    assert.deepEqual(await opened.message('openLink'), { type: 'openLink', href: 'https://example.org/a?b=1&c' });
    await opened.page.getByRole('link', { name: 'file' }).focus();
    await opened.page.keyboard.press('Enter');
    assert.deepEqual(await opened.message('openLocation'), { type: 'openLocation', path: 'src/a.ts', line: 7 });
    assert.equal(await opened.page.locator('a[href]').count(), 0);
    await opened.close();
  });
});

/** Each must stay what it is: text. */
const payloads: readonly string[] = [
  '<script>window.pwned = 1</script>',
  '<img src=x onerror="window.pwned = 1">',
  '<svg/onload=window.pwned=1>',
  '<svg><script>window.pwned=1</script></svg>',
  '<iframe src="javascript:window.pwned=1"></iframe>',
  '<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>',
  '<math><mi xlink:href="javascript:window.pwned=1">x</mi></math>',
  '<details open ontoggle=window.pwned=1>x</details>',
  '<input autofocus onfocus=window.pwned=1>',
  '<form action="javascript:window.pwned=1"><button>go</button></form>',
  '<style>* { display: none }</style>',
  '<link rel=stylesheet href=https://evil.example/x.css>',
  '<meta http-equiv=refresh content="0;url=https://evil.example">',
  '<base href="https://evil.example/">',
  '<object data="javascript:window.pwned=1"></object>',
  '<div style="position:fixed;inset:0">overlay</div>',
  '<a href="javascript:window.pwned=1">x</a>',
  '[x](javascript:window.pwned=1)',
  '[x](JaVaScRiPt:window.pwned=1)',
  '[x](java&#115;cript:window.pwned=1)',
  '[x](javascript&colon;window.pwned=1)',
  '[x](&#x6A;avascript:window.pwned=1)',
  '[x](<java\tscript:window.pwned=1>)',
  '[x](data:text/html,<script>window.pwned=1</script>)',
  '[x](vbscript:x)',
  '[x](vscode:extension/evil.example)',
  '[x](command:workbench.action.terminal.new)',
  '[x](//evil.example/share)',
  '<javascript:window.pwned=1>',
  '![x](javascript:window.pwned=1)',
  '![x](https://evil.example/track.png?secret)',
  '![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)',
  '![x](data:text/html;base64,PHNjcmlwdD4=)',
  '![<img src=x onerror=window.pwned=1>](x.png)',
  '[<img src=x onerror=window.pwned=1>](https://example.org)',
  '[x]: javascript:window.pwned=1\n\n[x]',
  '`<img src=x onerror=window.pwned=1>`',
  '```html\n<script>window.pwned=1</script>\n```',
  '```"><img src=x onerror=window.pwned=1>\nx\n```',
  '| <img src=x onerror=window.pwned=1> |\n|---|\n| <script>window.pwned=1</script> |',
  '- <img src=x onerror=window.pwned=1>\n  - <svg onload=window.pwned=1>',
  '> <img src=x onerror=window.pwned=1>',
  '# <img src=x onerror=window.pwned=1>',
  '&lt;img src=x onerror=window.pwned=1&gt;',
  '<!--[if IE]><script>window.pwned=1</script><![endif]-->',
  '<![CDATA[<img src=x onerror=window.pwned=1>]]>',
  '<noscript><p title="</noscript><img src=x onerror=window.pwned=1>">',
  '*<img src=x onerror=window.pwned=1>*',
  '<x><y',
  '\u202e<script>window.pwned=1</script>',
];

const allowed = new Set([
  'DIV',
  'P',
  'SPAN',
  'STRONG',
  'EM',
  'DEL',
  'CODE',
  'PRE',
  'UL',
  'OL',
  'LI',
  'BLOCKQUOTE',
  'H1',
  'H2',
  'H3',
  'H4',
  'H5',
  'H6',
  'TABLE',
  'THEAD',
  'TBODY',
  'TR',
  'TH',
  'TD',
  'HR',
  'BR',
  'A',
  'BUTTON',
  'INPUT',
  'ARTICLE',
  'DETAILS',
  'SUMMARY',
]);
const allowedAttributes = new Set([
  'class',
  'dir',
  'role',
  'tabindex',
  'title',
  'type',
  'aria-label',
  'aria-hidden',
  'aria-expanded',
  'aria-controls',
  'data-language',
  'disabled',
  'start',
  'id',
  'hidden',
  'open',
]);

test('active content from an agent never runs, wherever it is shown', async () => {
  const opened = await host.open({ view: emptyView() });
  for (const [index, payload] of payloads.entries()) {
    await opened.patch(
      { op: 'item', item: agentItem(`a${index}`, '', true) },
      { op: 'append', id: `a${index}`, text: payload.slice(0, 9) },
      { op: 'append', id: `a${index}`, text: payload.slice(9) },
      { op: 'item', item: agentItem(`a${index}`, payload) },
      { op: 'item', item: userItem(`u${index}`, payload) },
      { op: 'item', item: { kind: 'thought', id: `t${index}`, text: payload, open: true, startedAt: 0 } },
      {
        op: 'item',
        item: { kind: 'notice', id: `n${index}`, severity: 'error', title: payload, description: payload, buttons: [], at: 0 },
      },
      {
        op: 'item',
        item: {
          kind: 'tool',
          id: `x${index}`,
          toolKind: 'other',
          title: payload,
          verb: payload,
          target: payload,
          status: 'failed',
          statusText: payload,
          input: payload,
          output: payload,
          rawInput: payload,
          caveat: payload,
          diffs: [{ path: payload, oldText: payload, newText: payload, added: 0, removed: 0 }],
          locations: [
            { path: payload, label: payload },
            { path: 'b', label: payload },
          ],
          attachments: [
            { kind: 'link', label: payload, uri: payload },
            { kind: 'image', label: payload, mimeType: 'image/svg+xml', data: 'PHN2Zy8+' },
          ],
          startedAt: 0,
        },
      },
    );
  }
  await opened.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const found = await opened.page
    .locator('.transcript *')
    // The page itself sets numbers in custom properties.
    .evaluateAll((nodes) =>
      nodes.map((node) => {
        const isOurs = /^(?:--[a-z]+: \d+; ?)+$/.test(node.getAttribute('style') ?? '');
        return [node.tagName, ...node.getAttributeNames().filter((name) => name !== 'style' || !isOurs)];
      }),
    );
  assert.ok(found.length > payloads.length * 5);
  assert.deepEqual(
    found.filter(([tag = '']) => !allowed.has(tag)),
    [],
  );
  assert.deepEqual(
    found.flatMap(([, ...names]) => names).filter((name) => !allowedAttributes.has(name)),
    [],
  );
  for (const link of await opened.page.locator('.transcript a').all()) await link.dispatchEvent('click');
  const intents = (await opened.messages()).filter((message) => message.type === 'openLink');
  assert.deepEqual(
    intents.filter(({ href }) => !/^(?:https?|mailto|file):/i.test(href)),
    [],
  );
  assert.equal(await opened.page.evaluate(() => 'pwned' in window), false);
  await opened.assertClean();
  await opened.close();
});
