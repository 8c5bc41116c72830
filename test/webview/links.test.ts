/** The target of a link is visible before it is opened. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { linkIntent, otherTarget } from '../../src/webview/markdown/links.js';
import { assertOnScreen } from './onScreen.js';
import { hostForTests } from './pageTests.js';
import { agentItem, emptyView } from './views.js';

const host = hostForTests();

function shownBeside(words: string, href: string): string | undefined {
  const intent = linkIntent(href);
  assert.ok(intent !== undefined);
  return otherTarget(words, intent);
}

describe('the target of a link', () => {
  test('it is shown if the text names a different target', () => {
    const cases: readonly [words: string, href: string, shown: string][] = [
      ['src/a.ts', 'https://evil.example/x', 'evil.example'],
      ['README.md', 'https://evil.example/README.md', 'evil.example'],
      ['https://good.example/', 'https://evil.example/', 'evil.example'],
      ['see good.example for more', 'https://evil.example/', 'evil.example'],
      ['https://good.example@evil.example', 'https://good.example@evil.example/x', 'evil.example'],
      ['good.example', 'https://good.example.evil.example', 'good.example.evil.example'],
      ['a@good.example', 'mailto:b@evil.example', 'mailto:b@evil.example'],
      ['src/a.ts', '../../.ssh/id_rsa', '../../.ssh/id_rsa'],
      ['a.ts', 'b.ts#L7', 'b.ts:7'],
      ['good.example', 'src/a.ts', 'src/a.ts'],
      ['a.ts', 'b\u202e.ts', 'b<U+202E>.ts'],
      ['go\u200bod.example', 'https://evil.example', 'evil.example'],
    ];
    for (const [words, href, shown] of cases) assert.equal(shownBeside(words, href), shown, `[${words}](${href})`);
    assert.match(shownBeside('apple.example', 'https://\u0430pple.example/') ?? '', /^xn--/);
  });

  test('it is not shown if the text names the same target, or none', () => {
    const cases: readonly [words: string, href: string][] = [
      ['src/a.ts', 'src/a.ts'],
      ['a.ts:7', 'src/a.ts#L7'],
      ['./src/a.ts', 'src/a.ts'],
      ['good.example', 'https://www.good.example/a/b?c#d'],
      ['https://good.example/a', 'https://good.example/b'],
      ['(good.example).', 'https://good.example/'],
      ['me@good.example', 'mailto:me@good.example'],
      ['the notes', 'https://evil.example/'],
      ['e.g.', 'https://evil.example/'],
      ['version 2', 'https://evil.example/'],
    ];
    for (const [words, href] of cases) assert.equal(shownBeside(words, href), undefined, `[${words}](${href})`);
  });

  test('it is beside the link on the page', async () => {
    const opened = await host.open({
      view: emptyView({ items: [agentItem('a', 'See [`src/a.ts`](https://evil.example/x) and [the site](https://good.example).')] }),
      width: 260,
    });
    await assertOnScreen(opened.page.getByText('(evil.example)'));
    assert.equal(await opened.page.locator('.link-target').count(), 1);
    await opened.close();
  });
});

describe('a file name in inline code', () => {
  const text = 'See `README.md`, `helper.ts`, `console.log` and `README.md`.\n\n```\nREADME.md\n```\n';

  test('it is a link if the folder has such a file, else plain text', async () => {
    const opened = await host.open({ view: emptyView({ items: [agentItem('a', text)] }) });
    assert.deepEqual((await opened.message('lookUp')).names, ['README.md', 'helper.ts', 'console.log']);
    await opened.post({ type: 'files', files: [{ name: 'README.md', path: '/project/README.md' }] });
    const links = opened.page.getByRole('link');
    assert.deepEqual(await links.allTextContents(), ['README.md', 'README.md']);
    await assertOnScreen(links);
    await links.first().click();
    assert.deepEqual(await opened.message('openLocation'), { type: 'openLocation', path: '/project/README.md' });
    await opened.patch({ op: 'item', item: agentItem('b', 'Again: `README.md` and `helper.ts`.') });
    await opened.page.getByText('Again').waitFor();
    assert.equal(await links.count(), 3);
    assert.equal((await opened.messages()).filter(({ type }) => type === 'lookUp').length, 1);
    await opened.assertClean();
    await opened.close();
  });

  test('it is looked up again in another conversation', async () => {
    const opened = await host.open({ view: emptyView({ items: [agentItem('a', text)] }) });
    await opened.message('lookUp');
    await opened.post({ type: 'files', files: [{ name: 'README.md', path: '/project/README.md' }] });
    await opened.snapshot(emptyView({ items: [agentItem('z', 'Here is `README.md`.')] }), '', 'other');
    await opened.page.waitForFunction(() => window.recorded.filter(({ type }) => type === 'lookUp').length === 2);
    assert.equal(await opened.page.getByRole('link').count(), 0);
    await opened.close();
  });
});
