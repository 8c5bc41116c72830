/** The few elements of HTML that agents write inside a line, as users see them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertOnScreen } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView } from './views.js';

const host = hostForTests();

test('keys, line breaks, superscript and subscript are rendered', async () => {
  const opened = await host.openAnswer(
    'Press <kbd>Ctrl</kbd>+<KBD>*C* &amp; D</KBD>.<br/>H<sub>2</sub>O, x<sup>2</sup>\n\n| keys |\n|---|\n| one<br>two |\n\n<br>\n\nEnd.',
  );
  const article = opened.page.getByRole('article');
  await article.getByText('End.').waitFor();
  await assertOnScreen(article.locator('kbd'));
  assert.deepEqual(await article.locator('kbd').allTextContents(), ['Ctrl', 'C & D']);
  assert.equal(await article.locator('kbd em').textContent(), 'C');
  assert.deepEqual(await article.locator('sub, sup').allTextContents(), ['2', '2']);
  assert.equal(await article.locator('td').innerText(), 'one\ntwo');
  assert.match(await article.locator('p').first().innerText(), /D\.\nH/);
  assert.doesNotMatch(await article.innerText(), /[<>]/);
  await opened.assertClean();
  await opened.close();
});

test('a tag with attributes, without its closing tag, or of another kind stays text', async () => {
  const texts = [
    'a <kbd onclick=window.pwned=1>b</kbd>',
    'a <kbd>b',
    'a </kbd> b',
    'a <kbd>b</sub>',
    'a <u>b</u>',
    'a <br class=x> b',
    'a <kbdx>b</kbdx>',
  ];
  const opened = await host.openAnswer(texts.join('\n\n'));
  const paragraphs = opened.page.getByRole('article').locator('p');
  await paragraphs.last().waitFor();
  assert.deepEqual(await paragraphs.allTextContents(), texts);
  assert.equal(await opened.page.locator('.markdown :is(kbd, u, br)').count(), 0);
  await opened.assertClean();
  await opened.close();
});

test('nested tags create no deep nesting, and take linear time', async () => {
  const opened = await host.openAnswer(`${'<kbd>'.repeat(5_000)}x${'</kbd>'.repeat(5_000)}\n\nEnd.`);
  await opened.page.getByText('End.').waitFor();
  assert.ok((await opened.page.locator('kbd').count()) <= 1);
  assert.equal(await opened.page.locator('kbd kbd').count(), 0);
  await opened.close();
});

test('a key that arrives in chunks is rendered once it is complete', async () => {
  const opened = await host.open({ view: emptyView({ items: [agentItem('a', 'Press <kb', true)] }) });
  await opened.patch({ op: 'append', id: 'a', text: 'd>Esc' });
  await opened.page.getByText('Press <kbd>Esc').waitFor();
  await opened.patch({ op: 'append', id: 'a', text: '</kbd> now' });
  await opened.page.locator('kbd', { hasText: /^Esc$/ }).waitFor();
  assert.equal(await opened.page.locator('.markdown p').textContent(), 'Press Esc now');
  await opened.assertClean();
  await opened.close();
});
