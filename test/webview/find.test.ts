/** What users try in a chat and would miss: finding text, pasting an image, naming a file with @. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { box, counted, openAndFind, see, words } from './findPage.js';
import { screenshotFolder, type OpenPage } from './harness.js';
import { assertOnScreen, widths } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView, userItem } from './views.js';

const host = hostForTests();

const count = ({ page }: OpenPage) => page.locator('.find-count').textContent();
const restOfBar = '**/dist/webview/find-*.js';
const items = [
  userItem('u', 'Where is the needle?'),
  agentItem('a', Array.from({ length: 80 }, (_, index) => (index === 3 ? 'A **nee**dle lies here.' : `Hay ${index}.`)).join('\n\n')),
  agentItem('b', 'No NEEDLE in `the needle` box.'),
];

describe('the find widget', () => {
  test('it takes the keys from the moment it appears', async () => {
    const opened = await host.open({ view: emptyView({ items }) });
    await box(opened).focus();
    const focused = await opened.page.evaluate(async () => {
      const drawn = new Promise<void>((resolve) =>
        new MutationObserver(() => {
          if (document.querySelector('.find-bar') !== null) resolve();
        }).observe(document.body, { childList: true, subtree: true }),
      );
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, bubbles: true }));
      await drawn;
      return document.activeElement?.closest('.find-bar') !== null;
    });
    assert.ok(focused);
    await opened.close();
  });

  test('VS Code does not get its key', async () => {
    const opened = await host.open({ view: emptyView({ items }) });
    // Listens where VS Code does.
    await opened.page.evaluate(() => window.addEventListener('keydown', ({ key }) => (document.title += ` ${key}`)));
    await box(opened).focus();
    await opened.page.keyboard.press('Control+f');
    await opened.page.keyboard.press('x');
    assert.match(await opened.page.title(), /Control x$/);
    await opened.close();
  });

  test('it searches for text that was typed while it was loading', async () => {
    const opened = await host.open({ view: emptyView({ items }), ownPage: true });
    let load = (): void => assert.fail('nothing asked for it');
    const allowed = new Promise<void>((resolve) => (load = resolve));
    await opened.page.route(restOfBar, (route) => allowed.then(() => route.continue()));
    const asked = opened.page.waitForRequest(restOfBar);
    await box(opened).focus();
    await opened.page.keyboard.press('Control+f');
    await opened.page.keyboard.type('needle');
    await asked;
    assert.equal(await words(opened).inputValue(), 'needle');
    assert.equal(await count(opened), '');
    load();
    await counted(opened, '3 of 4');
    assert.equal(await box(opened).inputValue(), '');
    await opened.assertClean();
    await opened.close();
  });

  test('if it cannot be loaded completely, it says so, closes, and tries again', async () => {
    const opened = await host.open({ view: emptyView({ items }), width: 260, ownPage: true });
    await opened.page.route(restOfBar, (route) => route.abort());
    await box(opened).focus();
    await opened.page.keyboard.press('Control+f');
    await counted(opened, "Couldn't load Find");
    await assertOnScreen(opened.page.locator('.find-bar, .find-bar input, .find-count'));
    assert.match((await opened.message('pageError')).message, /find-/);
    await opened.page.keyboard.press('Escape');
    assert.equal(await opened.page.locator('.find-bar').count(), 0);
    assert.equal(await box(opened).evaluate((node) => node === document.activeElement), true);
    await opened.page.unroute(restOfBar);
    await opened.page.keyboard.press('Control+f');
    await opened.page.keyboard.type('needle');
    await counted(opened, '3 of 4');
    await opened.close();
  });

  for (const width of widths) {
    test(`it goes down from where the user is and scrolls to each match, at ${width} px`, async () => {
      const opened = await host.open({ view: emptyView({ items }), width, height: 420 });
      await box(opened).focus();
      await opened.page.keyboard.press('Control+f');
      await words(opened).fill('needle');
      await counted(opened, '3 of 4');
      await assertOnScreen(opened.page.locator('.find-bar, .find-bar input, .find-bar button'));
      await opened.page.screenshot({ path: path.join(screenshotFolder, `find-${width}.png`) });
      for (const expected of ['4 of 4', '1 of 4', '2 of 4']) {
        await words(opened).press('Enter');
        assert.equal(await count(opened), expected);
      }
      const marked = await opened.page.evaluate(() => {
        const range = [...(CSS.highlights.get('found-current') ?? [])][0];
        if (!(range instanceof Range)) return undefined;
        const { top, bottom } = range.getBoundingClientRect();
        return { text: range.toString(), isSeen: top >= 0 && bottom <= innerHeight };
      });
      assert.deepEqual(marked, { text: 'needle', isSeen: true });
      await words(opened).press('Shift+Enter');
      assert.equal(await count(opened), '1 of 4');
      await words(opened).fill('thread');
      assert.equal(await count(opened), 'No results');
      await words(opened).press('Escape');
      assert.equal(await opened.page.locator('.find-bar').count(), 0);
      assert.equal(await box(opened).evaluate((node) => node === document.activeElement), true);
      assert.equal(await opened.page.evaluate(() => CSS.highlights.has('found')), false);
      await opened.assertClean();
      await opened.close();
    });
  }
});

describe('where finding starts', () => {
  const long = Array.from({ length: 40 }, (_, index) => userItem(`n${index}`, `Needle ${index}${index % 10 === 5 ? ' in hay' : ''}`));
  const scroll = ({ page }: OpenPage, index: number) =>
    page
      .getByText(`Needle ${index}`, { exact: false })
      .first()
      .evaluate((node) => node.scrollIntoView({ block: 'start' }));

  test('it is the first match that the user sees, and words that go on stay there', async () => {
    const opened = await host.open({ view: emptyView({ items: long }), height: 420 });
    await scroll(opened, 17);
    await opened.page.keyboard.press('Control+f');
    await words(opened).pressSequentially('nee');
    await counted(opened, '18 of 40');
    await words(opened).pressSequentially('dle');
    await counted(opened, '18 of 40');
    await see(opened, 'Needle');
    await words(opened).fill('hay');
    await counted(opened, '3 of 4');
    await words(opened).press('Enter');
    await counted(opened, '4 of 4');
    await scroll(opened, 1);
    await words(opened).fill('need');
    await counted(opened, '2 of 40');
    await opened.assertClean();
    await opened.close();
  });

  test('if there is none from there on, it is the first of all', async () => {
    const items = [agentItem('a', 'A straw.'), userItem('b', 'A straw.'), ...long];
    const opened = await openAndFind(host, emptyView({ items }), 'straw');
    await counted(opened, '1 of 2');
    await see(opened, 'straw');
    await opened.close();
  });
});

describe('finding in a long or changing conversation', () => {
  const filler = (count: number) => Array.from({ length: count }, (_, index) => userItem(`u${index}`, `Hay ${index}`));
  const drawn = ({ page }: OpenPage) => page.locator('.item').count();
  const scrolled = ({ page }: OpenPage) => page.locator('.scroller').evaluate((node) => node.scrollTop);

  test('earlier items are rendered up to the match', async () => {
    const first = [agentItem('a', 'A nee**dle**.'), ...filler(100), userItem('b', 'Another needle.')];
    const last = [...filler(200), userItem('c', 'The last needle.')];
    const opened = await openAndFind(host, emptyView({ items: [...first, ...last] }), 'needle');
    await counted(opened, '3 of 3');
    await see(opened, 'needle');
    assert.ok((await drawn(opened)) <= 160, 'more was drawn than needed');
    await words(opened).press('Shift+Enter');
    await counted(opened, '2 of 3');
    await see(opened, 'needle');
    assert.ok((await drawn(opened)) < 280, 'more was drawn than needed');
    await words(opened).press('Shift+Enter');
    await counted(opened, '1 of 3');
    await see(opened, 'needle');
    await words(opened).press('Enter');
    await counted(opened, '2 of 3');
    await words(opened).fill('straw');
    await counted(opened, 'No results');
    await opened.assertClean();
    await opened.close();
  });

  test('no more is rendered than for scrolling until the user asks for a match', async () => {
    const opened = await openAndFind(host, emptyView({ items: [userItem('a', 'A needle.'), ...filler(3_100)] }), 'needle');
    await counted(opened, '\\? of 1');
    assert.ok((await drawn(opened)) <= 3_000);
    await words(opened).press('Enter');
    await counted(opened, '1 of 1');
    await see(opened, 'needle');
    await opened.assertClean();
    await opened.close();
  });

  test('after a snapshot it searches again without scrolling', async () => {
    const opened = await openAndFind(host, emptyView({ items }), 'needle');
    await counted(opened, '3 of 4');
    await words(opened).press('Shift+Enter');
    await counted(opened, '2 of 4');
    const before = await scrolled(opened);
    // The page saves its position a moment after the last scroll.
    await opened.page.waitForFunction(() => sessionStorage.getItem(location.search)?.includes('"place"') === true);
    await opened.snapshot(emptyView({ items: [...items, agentItem('c', 'A fifth needle.')] }));
    await counted(opened, '2 of 5');
    assert.equal(await scrolled(opened), before);
    await see(opened, 'needle');
    await opened.snapshot(emptyView({ items: [agentItem('d', 'Hay and a needle.')] }), '', 'another');
    await counted(opened, '\\? of 1');
    await words(opened).press('Enter');
    await counted(opened, '1 of 1');
    await see(opened, 'needle');
    await opened.assertClean();
    await opened.close();
  });

  test('new matches are counted without scrolling', async () => {
    const opened = await openAndFind(host, emptyView({ items }), 'needle');
    await counted(opened, '3 of 4');
    await words(opened).press('Shift+Enter');
    await counted(opened, '2 of 4');
    const before = await scrolled(opened);
    await opened.patch({ op: 'item', item: agentItem('c', 'One more needle', true) });
    await counted(opened, '2 of 5');
    await opened.patch({ op: 'append', id: 'c', text: ', and a needle.' });
    await counted(opened, '2 of 6');
    await opened.patch({ op: 'remove', id: 'u' });
    await counted(opened, '1 of 5');
    await see(opened, 'needle');
    assert.ok((await scrolled(opened)) <= before);
    await opened.assertClean();
    await opened.close();
  });
});
