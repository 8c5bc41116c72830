/** Quotes with a label, as GitHub writes notes and warnings. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView } from './views.js';

const host = hostForTests();

test('a callout is a quote with its label on the first line', async () => {
  const opened = await host.openAnswer(
    ['> [!NOTE]\n> Read *this* first.', '> [!warning]  \n>\n> - one', '> [!TIP]', 'End.'].join('\n\nBetween.\n\n'),
  );
  await opened.page.getByText('End.').waitFor();
  const quotes = opened.page.locator('blockquote');
  assert.deepEqual(await quotes.locator('strong').allTextContents(), ['Note', 'Warning', 'Tip']);
  assert.equal(await quotes.nth(0).innerText(), 'Note\nRead this first.');
  assert.match(await quotes.nth(1).innerText(), /^Warning\n+one$/);
  assert.match(await quotes.nth(2).innerText(), /^Tip\n?$/);
  await opened.close();
});

test('a callout in a quote, in a list and with a break after its first line is one', async () => {
  const opened = await host.openAnswer('> > [!TIP]\n> > Inner.\n\n- > [!NOTE]\n  > Listed.\n\nThen:\n\n> [!WARNING]  \n> Broken.\n\nEnd.');
  await opened.page.getByText('End.').waitFor();
  const quotes = opened.page.locator('blockquote');
  assert.deepEqual(await quotes.allInnerTexts(), ['Tip\nInner.', 'Tip\nInner.', 'Note\nListed.', 'Warning\nBroken.']);
  await opened.close();
});

test('other quotes stay as they are written', async () => {
  const quotes = ['[!NOTE] on the line of the text', '[!NOTE] **with bold words**', '[!OTHER]', 'Then [!NOTE]', '[NOTE]'];
  const opened = await host.openAnswer(quotes.map((quote) => `> ${quote}`).join('\n\nBetween.\n\n'));
  await opened.page.getByText('[NOTE]').waitFor();
  assert.deepEqual(
    await opened.page.locator('blockquote').allInnerTexts(),
    quotes.map((quote) => quote.replaceAll('**', '')),
  );
  await opened.close();
});

test('one that arrives in chunks gets its label', async () => {
  const opened = await host.open({ view: emptyView({ items: [agentItem('a', '> [!CAU', true)] }) });
  await opened.patch({ op: 'append', id: 'a', text: 'TION]\n> Hot' });
  await opened.patch({ op: 'append', id: 'a', text: ' and sharp.\n\nEnd.' });
  await opened.page.getByText('End.').waitFor();
  assert.equal(await opened.page.locator('blockquote').innerText(), 'Caution\nHot and sharp.');
  await opened.close();
});
