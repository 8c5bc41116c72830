/** The target of a link is visible before it is opened. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { linkIntent, otherTarget } from '../../src/webview/markdown/links.js';
import { assertOnScreen } from './onScreen.js';
import { hostForTests, shoot } from './pageTests.js';
import { agentItem, emptyView, noon } from './views.js';

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
      ['https://evil.example/ good.example', 'https://evil.example/', 'evil.example'],
      ['see good.example for more', 'https://evil.example/', 'evil.example'],
      ['https://good.example@evil.example', 'https://good.example@evil.example/x', 'evil.example'],
      ['good.example', 'https://good.example.evil.example', 'good.example.evil.example'],
      ['a@good.example', 'mailto:b@evil.example', 'mailto:b@evil.example'],
      ['src/a.ts', '../../.ssh/id_rsa', '../../.ssh/id_rsa'],
      ['a.ts', 'b.ts#L7', 'b.ts:7'],
      ['good.example', 'src/a.ts', 'src/a.ts'],
      ['a.ts', 'b\u202e.ts', 'b<U+202E>.ts'],
      ['go\u200bod.example', 'https://evil.example', 'evil.example'],
      ['notes.txt', 'file:///project/other.txt', '/project/other.txt'],
      ['notes.txt', 'file:///project/evil-notes.txt', '/project/evil-notes.txt'],
      ['notes.txt', 'file:///project/notes.txt/run.sh', '/project/notes.txt/run.sh'],
      ['notes.txt', 'file:///project/run.sh#/notes.txt', '/project/run.sh'],
      ['notes.txt', 'file:///project/run.sh?/notes.txt', '/project/run.sh'],
      ['notes.txt', 'file://evil.example/share/notes.txt', 'evil.example'],
      ['/etc/hosts', 'file:///project/etc/hosts', '/project/etc/hosts'],
      ['good.example', 'file:///project/run.sh', '/project/run.sh'],
      ['b.ts', 'file:///project/a%E2%80%AEb.ts', '/project/a<U+202E>b.ts'],
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
      ['notes.txt', 'file:///project/notes.txt'],
      ['my notes.txt', 'file:///project/my%20notes.txt'],
      ['notes.txt:3–5', 'file:///project/notes.txt#L3-5'],
      ['/project/notes.txt', 'file:///project/notes.txt'],
      ['file:///project/notes.txt', 'file:///project/notes.txt'],
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

test('a file that was sent is a link with its name, and its path when the pointer is over it', async () => {
  const attachments = ['notes.txt', 'other.txt'].map((label) => ({ kind: 'link' as const, label, uri: 'file:///project/some/notes.txt' }));
  const item = { kind: 'user' as const, id: 'u', text: 'Read this', attachments, at: noon };
  const opened = await shoot(host, 'sent-files', { view: emptyView({ items: [item] }), width: 250 });
  const [first, second] = await opened.page.locator('.attachments > *').all();
  assert.equal((await first?.textContent())?.trim(), 'notes.txt');
  assert.equal((await second?.textContent())?.trim(), 'other.txt (/project/some/notes.txt)');
  const link = opened.page.getByRole('link', { name: 'notes.txt' });
  await assertOnScreen(link);
  assert.equal(await link.getAttribute('title'), '/project/some/notes.txt');
  await link.click();
  assert.deepEqual(await opened.message('openLink'), { type: 'openLink', href: 'file:///project/some/notes.txt' });
  await opened.close();
});

test('what a link says about a file reaches the host decoded once, and apart from the path', () => {
  const cases: readonly [href: string, path: string, line?: number | undefined, rest?: string][] = [
    ['README.md#install', 'README.md', undefined, '#install'],
    ['./README.md#%C3%BCber-uns', './README.md', undefined, '#über-uns'],
    ['a.md?plain=1#L7', 'a.md', 7, '?plain=1'],
    ['a.md#L7-L9', 'a.md', 7],
    ['src/a.ts:10-20', 'src/a.ts', 10],
    ['src/a.ts:10:5', 'src/a.ts', 10],
    ['C:/a b/c.ts', 'C:/a b/c.ts'],
    ['C:\\a\\c.ts:3', 'C:\\a\\c.ts', 3],
    ['main.ts:3', 'main.ts', 3],
    ['C#/a.cs', 'C', undefined, '#/a.cs'],
    ['100%25%20b%23.md', '100% b#.md'],
    ['100%20%.md', '100 %.md'],
    ['a%2520b.md', 'a%20b.md'],
    ['a%FFb.md', 'a%FFb.md'],
    ['resources/[core]/(x)/日本語.lua', 'resources/[core]/(x)/日本語.lua'],
  ];
  for (const [href, path, line, rest] of cases)
    assert.deepEqual(
      linkIntent(href),
      { type: 'openLocation', path, ...(line === undefined ? {} : { line }), ...(rest === undefined ? {} : { rest }) },
      href,
    );
  for (const href of ['vscode://file/x:3', 'javascript:1', 'command:a.b:1', '#top', '//host/x', ''])
    assert.equal(linkIntent(href), undefined, href);
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

  test('a path may have any letters, and is a link once there is such a file', async () => {
    const paths = [
      'src/app/(group)/page.tsx',
      'docs/My Notes/read me.md',
      'src/[id]/page.tsx',
      'docs/übersicht/日本語.md',
      'src',
      '~/.bashrc',
    ];
    const code = ['src/app/(group)/page.tsx', 'docs/My Notes/read me.md:3', 'src/[id]/page.tsx:4', 'docs/übersicht/日本語.md', '~/.bashrc'];
    const plain = ['npm test', 'a.b()', 'https://example.org/a', '</div>', '//'];
    const opened = await host.open({
      view: emptyView({ items: [agentItem('a', [...code, ...plain].map((one) => `\`${one}\``).join(' and '))] }),
    });
    const asked = paths.filter((path) => path !== 'src');
    assert.deepEqual((await opened.message('lookUp')).names, asked);
    assert.equal(await opened.page.getByRole('link').count(), 0);
    await opened.post({ type: 'files', files: asked.slice(0, 3).map((name) => ({ name, path: `/project/${name}` })) });
    const links = opened.page.getByRole('link');
    assert.deepEqual(await links.allTextContents(), code.slice(0, 3));
    await links.nth(1).click();
    assert.deepEqual(await opened.message('openLocation'), { type: 'openLocation', path: '/project/docs/My Notes/read me.md', line: 3 });
    // The agent has created it since.
    await opened.patch({ op: 'item', item: agentItem('b', 'Created `docs/übersicht/日本語.md`.') });
    await opened.page.waitForFunction(() => window.recorded.filter(({ type }) => type === 'lookUp').length === 2);
    await opened.post({ type: 'files', files: [{ name: code[3] ?? '', path: '/project/x' }] });
    assert.equal(await links.count(), 5);
    await opened.close();
  });

  test('a path in plain words is a link if there is such a file, without the period that ends the sentence', async () => {
    const said =
      'See src/x.ts:4, (lib/a.test.ts) and **docs/my-notes.md**. The rest is in x.ts:7-9.\n\n- and/or, Node.js at 10:30, 1.5/2.0, https://example.org/a.ts, [a](b/c.ts), src/none.ts';
    const opened = await host.open({ view: emptyView({ items: [agentItem('a', said)] }) });
    const { names } = await opened.message('lookUp');
    assert.deepEqual(names, ['src/x.ts', 'lib/a.test.ts', 'docs/my-notes.md', 'x.ts', 'src/none.ts']);
    const before = await opened.page.locator('[data-id="a"], article').last().innerText();
    await opened.post({ type: 'files', files: names.slice(0, 4).map((name) => ({ name, path: `/project/${name}` })) });
    const links = opened.page.getByRole('link');
    assert.deepEqual(await links.allTextContents(), [
      'src/x.ts:4',
      'lib/a.test.ts',
      'docs/my-notes.md',
      'x.ts:7-9',
      'https://example.org/a.ts',
      'a',
    ]);
    await links.first().click();
    assert.deepEqual(await opened.message('openLocation'), { type: 'openLocation', path: '/project/src/x.ts', line: 4 });
    assert.equal(await opened.page.locator('[data-id="a"], article').last().innerText(), before);
    await assertOnScreen(links);
    await opened.assertClean();
    await opened.close();
  });

  test('a path in code that is a link leaves no space around its words', async () => {
    const opened = await host.open({ view: emptyView({ items: [agentItem('a', 'See **x** `src/x.ts`, and more.')] }) });
    const { names } = await opened.message('lookUp');
    await opened.post({ type: 'files', files: names.map((name) => ({ name, path: `/project/${name}` })) });
    const link = opened.page.getByRole('link', { name: 'src/x.ts' });
    await link.waitFor();
    const space = await link.evaluate((element) => {
      const words = document.createRange();
      words.selectNodeContents(element.querySelector('code') ?? element);
      const [inner, outer] = [words.getBoundingClientRect(), element.getBoundingClientRect()];
      return Math.round(inner.left - outer.left + (outer.right - inner.right));
    });
    assert.equal(space, 0);
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
