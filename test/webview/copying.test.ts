/** What a document or a mail gets when the user copies from the conversation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenPage } from './harness.js';
import { hostForTests } from './pageTests.js';
import { agentItem, changesView, emptyView, turnEndItem, userItem } from './views.js';

const host = hostForTests();
const answer = '## The parser\n\nIt is **tolerant**:\n\n- one\n- two\n\n```ts\nconst a = 1;\nconst b = 2;\n```\n';

/** Copies what is selected. @returns what the clipboard gets */
async function copied({ page }: OpenPage): Promise<{ readonly html: string; readonly text: string }> {
  const got = await page.evaluateHandle(() => ({
    data: new Promise<{ readonly html: string; readonly text: string }>((resolve) =>
      window.addEventListener(
        'copy',
        ({ clipboardData }) =>
          resolve({ html: clipboardData?.getData('text/html') ?? '', text: clipboardData?.getData('text/plain') ?? '' }),
        { once: true },
      ),
    ),
  }));
  await page.keyboard.press('Control+c');
  return got.evaluate(({ data }) => data);
}

/** Selects from the beginning of one text to the end of another one, once what copies is loaded. */
async function select(opened: OpenPage, from: string, to: string): Promise<void> {
  const loaded = opened.page.waitForResponse('**/copyRich-*.js');
  // The first selection of the user.
  await opened.page.getByText(from, { exact: true }).dblclick();
  await (await loaded).finished();
  await selectWords(opened, from, to);
}

async function selectWords({ page }: OpenPage, from: string, to: string): Promise<void> {
  await page.evaluate(
    ([first, last]) => {
      const find = (words: string): Text => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
          if (node instanceof Text && node.data.includes(words)) return node;
        throw new Error(`no ${words}`);
      };
      const [start, end] = [find(first), find(last)];
      getSelection()?.setBaseAndExtent(start, start.data.indexOf(first), end, end.data.indexOf(last) + last.length);
    },
    [from, to] as const,
  );
}

test('it has the structure of the text, and no colors of the theme', async () => {
  const opened = await host.open({ view: emptyView({ items: [userItem('u', 'Which parser?'), agentItem('a', answer)] }) });
  await select(opened, 'The parser', 'const b');
  const { html, text } = await copied(opened);
  assert.match(html, /<h2 dir="auto">The parser<\/h2>/);
  assert.match(html, /<strong>tolerant<\/strong>/);
  assert.match(html, /<li>one<\/li>/);
  assert.match(html, /<pre><code.*const a = 1;\nconst b<.*<\/pre>/s);
  assert.doesNotMatch(html, /style=|class=|color|<button|Copy/);
  assert.match(text, /^The parser\n/);
  assert.match(text, /const a = 1;\nconst b$/);
  await opened.close();
});

test('a part of a list or of code stays one', async () => {
  const opened = await host.open({ view: emptyView({ items: [agentItem('a', answer)] }) });
  await select(opened, 'one', 'two');
  assert.match((await copied(opened)).html, /<ul.*><li>one<\/li><li>two<\/li><\/ul>/);
  await opened.page.evaluate(() => {
    const code = document.querySelector('pre code');
    if (code !== null) getSelection()?.selectAllChildren(code);
  });
  assert.match((await copied(opened)).html, /<pre><code.*const a = 1;\nconst b = 2;.*<\/pre>/s);
  await opened.close();
});

test('the message box copies its own text', async () => {
  const opened = await host.open({ view: emptyView({ items: [agentItem('a', answer)] }) });
  await select(opened, 'one', 'two');
  const box = opened.page.getByRole('textbox', { name: 'Message', exact: true });
  await box.fill('a draft');
  await box.press('Control+a');
  assert.deepEqual(await copied(opened), { html: '', text: '' });
  await opened.close();
});

test('lines, checked boxes, columns and what is unfolded keep their form', async () => {
  const rich = 'one\n\n- [x] done\n\n| a | b |\n|--|--:|\n| c | d |\n\n<details>\n<summary>More</summary>\n\nwords\n\n</details>\n';
  const items = [userItem('u', 'Line one\n  line two'), agentItem('a', rich), turnEndItem('e', { changes: changesView() })];
  const opened = await host.open({ view: emptyView({ items }) });
  await select(opened, 'one', 'one');
  await opened.page.getByText('More').click();
  await opened.page.evaluate(() => getSelection()?.selectAllChildren(document.querySelector('[role=log]') ?? document.body));
  const { html } = await copied(opened);
  assert.match(html, /<div dir="auto" style="white-space: pre-wrap;">Line one\n {2}line two<\/div>/);
  assert.match(html, /<input type="checkbox" checked="">/);
  assert.match(html, /<td dir="auto" style="text-align: end;">d<\/td>/);
  assert.match(html, /<details open=""><summary>/);
  assert.match(html, /44 files/);
  await opened.close();
});

test('a part of one line is only its words, and what a selection only touches is left out', async () => {
  const rich = 'one\n\n- first item\n- second\n\n> a quote\n\n| cell |\n|--|\n\n```\nsome code\n```\n';
  const opened = await host.open({ view: emptyView({ items: [agentItem('a', rich)] }) });
  await select(opened, 'one', 'one');
  for (const words of ['item', 'quote', 'cell', 'code']) {
    await selectWords(opened, words, words);
    assert.equal((await copied(opened)).html, words);
  }
  await opened.page.evaluate(() => {
    const [first, second] = document.querySelectorAll('li');
    if (first && second) getSelection()?.setBaseAndExtent(first, 0, second.firstChild ?? second, 0);
  });
  assert.doesNotMatch((await copied(opened)).html, /<li><\/li>/);
  await opened.close();
});
