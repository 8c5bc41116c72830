/** Opens what a page refers to; outside the workspace and on another machine only with consent. The editor is a fake. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, test, type TestContext } from 'node:test';
import { linkIntent } from '../../src/webview/markdown/links.js';
import { editor } from '../fakes/vscodeFake.js';
import { openLink, openLocation, openWebLink } from '../../src/extension/editor/open.js';
import { filesNamed } from '../../src/extension/editor/workspaceFiles.js';
import { lineNamed } from '../../src/extension/editor/open.js';

beforeEach(() => Object.assign(editor, { folders: [], answer: undefined, asked: [], opened: [] }));

async function folderOf(t: TestContext): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-open-')));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('opening a file', () => {
  test('in the workspace, it opens at a line without a question', async (t) => {
    const cwd = await folderOf(t);
    await writeFile(path.join(cwd, 'a.txt'), 'x');
    editor.folders = [cwd];
    await openLocation({ path: 'a.txt' }, cwd);
    await openLocation({ path: path.join(cwd, 'a.txt'), line: 2 }, cwd);
    assert.deepEqual(editor.asked, []);
    const file = path.join(cwd, 'a.txt');
    assert.deepEqual(editor.opened, [file, `${file}:2`]);
  });

  test('outside of it, also behind a link, it opens only with consent', async (t) => {
    const [cwd, elsewhere] = [await folderOf(t), await folderOf(t)];
    const file = path.join(elsewhere, 'b.txt');
    await writeFile(file, 'x');
    await symlink(file, path.join(cwd, 'link.txt'));
    editor.folders = [cwd];
    await openLocation({ path: 'link.txt' }, cwd);
    assert.deepEqual(editor.opened, []);
    editor.answer = 'Open';
    await openLocation({ path: file }, cwd);
    assert.deepEqual(
      [editor.opened, editor.asked],
      [[file], Array.from({ length: 2 }, () => `Open a file outside the workspace? ${file}`)],
    );
  });

  test('if it does not exist, there is an error and no question', async (t) => {
    const cwd = await folderOf(t);
    await assert.rejects(openLocation({ path: 'gone.txt' }, cwd), /File not found: gone\.txt/);
    assert.deepEqual(editor.asked, []);
  });
});

describe('opening a link that has more than a path', () => {
  test('a heading is where the file opens, and a query belongs to no file', async (t) => {
    const cwd = await folderOf(t);
    editor.folders = [cwd];
    const readme = path.join(cwd, 'README.md');
    await writeFile(readme, '# Top\n\n```sh\n# Install\n```\n\n## Install\n\nx\n\nGetting `started`, now\n---\n');
    for (const rest of ['#install', '#getting-started-now', '#gone', '?plain=1', '?plain=1#install', '#'])
      await openLocation({ path: 'README.md', rest }, cwd);
    await openLink(`${pathToFileURL(readme).href}#install`, cwd);
    assert.deepEqual(editor.opened, [`${readme}:7`, `${readme}:11`, readme, readme, `${readme}:7`, readme, `${readme}:7`]);
  });

  test('a file whose name has the characters of links is opened', async (t) => {
    const cwd = await folderOf(t);
    editor.folders = [cwd];
    const names = ['C#', 'what?.md', '100% a#b.md', 'a%20b.md'];
    for (const name of names) await writeFile(path.join(cwd, name), '# b.md');
    for (const href of ['C#', 'what?.md', '100%25%20a%23b.md', '100% a#b.md', 'a%2520b.md']) {
      const intent = linkIntent(href);
      assert.ok(intent?.type === 'openLocation');
      await openLocation(intent, cwd);
    }
    const [first, second, third, fourth] = names.map((name) => path.join(cwd, name));
    assert.deepEqual(editor.opened, [first, second, third, third, fourth]);
  });

  test('headings are named as on GitHub', () => {
    const text = '# Über uns & mehr\n# 安装\n## Twice\n## Twice ##\n<a id="Own"></a>\n# `code()` and [a link](x.md)\n# snake_case-here\n';
    const cases = {
      'über-uns--mehr': 1,
      安装: 2,
      twice: 3,
      'twice-1': 4,
      Own: 5,
      'code-and-a-link': 6,
      'snake_case-here': 7,
      Twice: 3,
      none: undefined,
    };
    for (const [name, line] of Object.entries(cases)) assert.equal(lineNamed(text, name), line, name);
  });
});

test('paths in an answer are links if there is such a file, and no other machine is asked', async (t) => {
  const cwd = await folderOf(t);
  const folder = path.join(cwd, 'My [notes]', '(日本)');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'ä.md'), '');
  const names = [
    'My [notes]/(日本)/ä.md',
    './My [notes]',
    path.join(folder, 'ä.md'),
    'My [notes]/none.md',
    '/',
    './',
    '../',
    'a\0b/c',
    `${'x/'.repeat(4000)}y`,
  ];
  const found = await filesNamed(names, cwd);
  const file = path.join(folder, 'ä.md');
  assert.deepEqual(
    found.map((one) => [one.name, one.path]),
    [
      [names[0], file],
      [names[1], path.join(cwd, 'My [notes]')],
      [file, file],
    ],
  );
});

describe('opening a folder', () => {
  test('in the workspace, it is shown in the Explorer', async (t) => {
    const cwd = await folderOf(t);
    await mkdir(path.join(cwd, 'src'));
    editor.folders = [cwd];
    for (const folder of ['.', 'src', `${cwd}/src/`]) await openLocation({ path: folder }, cwd);
    const inside = path.join(cwd, 'src');
    assert.deepEqual([editor.asked, editor.opened], [[], [cwd, inside, inside].map((folder) => `revealInExplorer ${folder}`)]);
  });

  test('outside of it, where the Explorer does not have it, it opens in a new window, with consent only', async (t) => {
    const [cwd, elsewhere] = [await folderOf(t), await folderOf(t)];
    editor.folders = [cwd];
    await openLocation({ path: elsewhere }, cwd);
    editor.answer = 'Open';
    await openLocation({ path: elsewhere, line: 1 }, cwd);
    assert.deepEqual(
      [editor.opened, editor.asked],
      [
        [`vscode.openFolder ${elsewhere}`],
        Array.from({ length: 2 }, () => `Open a folder outside the workspace in a new window? ${elsewhere}`),
      ],
    );
  });
});

describe('opening a file on another machine', () => {
  const share = String.raw`\\Server\share\a.txt`;
  const windows = path.win32;

  test('it is not accessed before the user agrees', async () => {
    // Looked at, it would be an error: it is not there.
    await openLocation({ path: share }, String.raw`C:\work`, windows);
    assert.deepEqual([editor.asked, editor.opened], [[`Open a file on server? ${share}`], []]);
  });

  test('it opens after one question', { skip: process.platform === 'win32' && 'there the name is that of a machine' }, async (t) => {
    const [folder, before] = [await folderOf(t), process.cwd()];
    t.after(() => process.chdir(before));
    process.chdir(folder);
    await writeFile(share, 'x');
    editor.answer = 'Open';
    await openLocation({ path: share }, String.raw`C:\work`, windows);
    assert.deepEqual([editor.asked.length, editor.opened], [1, [path.join(folder, share)]]);
  });

  test('it is named even if a Windows path prefix hides it', async () => {
    for (const hidden of [String.raw`\\?\UNC\Server\share\a.txt`, '//?/UNC/Server/share/a.txt', String.raw`\\.\UNC\Server\share\a.txt`])
      await openLocation({ path: hidden }, String.raw`C:\work`, windows);
    assert.deepEqual(
      editor.asked.map((question) => question.split('? ')[0]),
      Array.from({ length: 3 }, () => 'Open a file on server'),
    );
  });

  test('the machine of the folder itself counts as this one', async () => {
    await assert.rejects(openLocation({ path: share }, String.raw`\\SERVER\share`, windows), /File not found/);
    assert.deepEqual(editor.asked, []);
  });
});

describe('opening a link', () => {
  test('a web link opens, an unencrypted or misleading one with consent', async () => {
    assert.equal(await openWebLink('https://example.com/'), true);
    assert.equal(await openWebLink('http://example.com/'), false);
    assert.equal(await openWebLink('https://example.com@evil.test/'), false);
    assert.deepEqual(
      editor.asked.map((question) => question.split('? ')[0]),
      ['Open an unencrypted link', 'Open a page on evil.test'],
    );
    assert.deepEqual(editor.opened, ['https://example.com/']);
  });

  test('it opens as shown, with its percent-encoding', async () => {
    const links = [
      'https://example.com/login?redirect_uri=http%3A%2F%2Flocalhost%3Fa%3D1%26b%3D2&state=a%2Bb',
      'https://example.com/o/products%2Fa%23b?q=1+%2B+1',
    ];
    for (const link of links) await openLink(link, '/project');
    assert.deepEqual(editor.opened, links);
  });

  test('a link in a request may only be a web link', async () => {
    for (const link of ['file:///etc/passwd', 'mailto:me@example.com', 'no link'])
      await assert.rejects(openWebLink(link), /only web links/, link);
  });

  test('a file on this machine is a location', async (t) => {
    const [cwd, elsewhere] = [await folderOf(t), await folderOf(t)];
    const [inside, outside] = [path.join(cwd, 'a b#.txt'), path.join(elsewhere, 'c.txt')];
    await Promise.all([inside, outside].map((file) => writeFile(file, 'x')));
    editor.folders = [cwd];
    const { href } = pathToFileURL(inside);
    for (const link of [href, `${href}#L7`, `${href}#L2:1-L3:4`, pathToFileURL(outside).href]) await openLink(link, cwd);
    assert.deepEqual(
      [editor.opened, editor.asked],
      [[inside, `${inside}:7`, `${inside}:2`], [`Open a file outside the workspace? ${outside}`]],
    );
    await assert.rejects(openLink('file:///gone.txt', cwd), /File not found/);
  });

  test('a file on another machine is not a location', { skip: process.platform === 'win32' && 'there it is a share' }, async () => {
    await assert.rejects(openLink('file://server/share/a.txt', '/project'), /only web links/);
  });

  test('a mail link opens with consent', async () => {
    await openLink('mailto:me@example.com?subject=a%2Bb', '/project');
    editor.answer = 'Open';
    await openLink('mailto:me@example.com', '/project');
    assert.deepEqual(
      [editor.opened, editor.asked],
      [['mailto:me@example.com'], ['me@example.com?subject=a%2Bb', 'me@example.com'].map((to) => `Write an email? mailto:${to}`)],
    );
  });
});
