/** Code blocks in an answer: their colors and buttons. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertOnScreen, widths } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView } from './views.js';

const host = hostForTests();

describe('a code block', () => {
  test('it is highlighted with ranges from the lazy chunk, under the content security policy', async () => {
    const opened = await host.openAnswer('```ts\nexport const answer: number = 42; // why\n```\n');
    await opened.page.waitForFunction(() => (CSS.highlights.get('code-keyword')?.size ?? 0) > 0);
    const coloured = await opened.page.evaluate(() =>
      Object.fromEntries(
        [...CSS.highlights.entries()].map(([name, ranges]) => [
          name,
          [...ranges].map((range) => range.startContainer.textContent?.slice(range.startOffset, range.endOffset)),
        ]),
      ),
    );
    assert.deepEqual(coloured['code-keyword'], ['export', 'const']);
    assert.deepEqual(coloured['code-number'], ['42']);
    assert.deepEqual(coloured['code-comment'], ['// why']);
    assert.equal(await opened.page.locator('pre code *:not(.code-piece)').count(), 0);
    await opened.assertClean();
    await opened.close();
  });

  test('it is copied exactly, even if it is long and was streamed', async () => {
    const lines = Array.from({ length: 200 }, (_, line) => `line ${line}`);
    const opened = await host.open({ view: emptyView({ items: [agentItem('a1', '```\n', true)] }) });
    for (const line of lines) await opened.patch({ op: 'append', id: 'a1', text: `${line}\n` });
    await opened.patch({ op: 'append', id: 'a1', text: '```\n' });
    await opened.page.getByText('line 199').waitFor();
    await opened.page.getByRole('button', { name: 'Copy code' }).click();
    assert.equal((await opened.message('copy')).text, lines.join('\n'));
    await opened.close();
  });

  test('it can be inserted into the editor', async () => {
    const opened = await host.openAnswer('```ts\nconst a = 1;\n```\n');
    const block = opened.page.locator('.agent .code-block');
    await block.hover();
    for (const [name, type] of [
      ['Insert into Editor', 'insertCode'],
      ['Compare with Editor', 'compareCode'],
      ['Apply to Editor', 'applyCode'],
    ] as const) {
      await assertOnScreen(block.getByRole('button', { name }));
      await block.getByRole('button', { name }).click();
      assert.deepEqual(await opened.message(type), { type, text: 'const a = 1;' });
    }
    await opened.assertClean();
    await opened.close();
  });

  for (const width of widths) {
    test(`the button that copies the answer covers no text at ${width} px`, async () => {
      const opened = await host.open({ width });
      for (const markdown of [
        '```\nx\n```\n',
        '```sh\n```\n',
        '```\nunfinished',
        'Text to the end of its line. '.repeat(30),
        '- a point to the end of its line '.repeat(30),
        '1. a\n\n   ```\n   x\n   ```\n',
        `| ${'a | '.repeat(40)}\n| ${'-- | '.repeat(40)}\n| ${'b | '.repeat(40)}\n`,
        '> a quote to the end of its line '.repeat(30),
        '<details open><summary>More</summary>',
      ]) {
        await opened.snapshot(emptyView({ items: [agentItem('a1', markdown)] }));
        const article = opened.page.getByRole('article', { name: 'agentao' });
        await article.hover();
        const copy = article.getByRole('button', { name: 'Copy message' });
        await copy.scrollIntoViewIfNeeded();
        await assertOnScreen(copy);
        assert.deepEqual(await copy.evaluate(readBehind), [], markdown);
      }
      await opened.close();
    });
  }
});

/** Runs in the browser. Returns the lines of text, code blocks and controls of an answer that a button covers. */
function readBehind(button: Element): string[] {
  const own = button.getBoundingClientRect();
  const covers = ({ left, right, top, bottom }: DOMRect): boolean =>
    right - own.left > 1 && own.right - left > 1 && bottom - own.top > 1 && own.bottom - top > 1;
  const article = button.closest('article');
  const covered = [...(article?.querySelectorAll('.code-block, .markdown button') ?? [])].filter((node) =>
    covers(node.getBoundingClientRect()),
  );
  const texts = document.createTreeWalker(article ?? button, NodeFilter.SHOW_TEXT);
  const lines: string[] = [];
  while (texts.nextNode() !== null) {
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const box = texts.currentNode.parentElement?.closest('.table')?.getBoundingClientRect();
    // A part of a table that is scrolled out of sight is not covered.
    if ([...range.getClientRects()].some((line) => covers(line) && (box === undefined || covers(box)))) lines.push(range.toString());
  }
  return [...covered.map((node) => node.className), ...lines];
}
