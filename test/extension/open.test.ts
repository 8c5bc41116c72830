/** Opens what a page refers to; outside the workspace and on another machine only with consent. The editor is a fake. */
import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, test, type TestContext } from 'node:test';
import { editor } from '../fakes/vscodeFake.js';

const fake = new URL('../fakes/vscodeFake.ts', import.meta.url).href;
const hook = `export const resolve = (name, context, next) => name === 'vscode' ? { url: ${JSON.stringify(fake)}, format: 'module', shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
const { openLink, openLocation } = await import('../../src/extension/editor/open.js');

beforeEach(() => Object.assign(editor, { folders: [], answer: undefined, asked: [], opened: [] }));

async function folderOf(t: TestContext): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-open-')));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('a file', () => {
  test('of the workspace is opened without a question, at a line that it has', async (t) => {
    const cwd = await folderOf(t);
    await writeFile(path.join(cwd, 'a.txt'), 'x');
    editor.folders = [cwd];
    await openLocation('a.txt', undefined, cwd);
    await openLocation(path.join(cwd, 'a.txt'), 2, cwd);
    await openLocation('a.txt', 99, cwd);
    assert.deepEqual(editor.asked, []);
    const file = path.join(cwd, 'a.txt');
    assert.deepEqual(editor.opened, [file, `${file}:2`, `${file}:3`]);
  });

  test('outside of it, also behind a link, is opened with consent only', async (t) => {
    const [cwd, elsewhere] = [await folderOf(t), await folderOf(t)];
    const file = path.join(elsewhere, 'b.txt');
    await writeFile(file, 'x');
    await symlink(file, path.join(cwd, 'link.txt'));
    editor.folders = [cwd];
    await openLocation('link.txt', undefined, cwd);
    assert.deepEqual(editor.opened, []);
    editor.answer = 'Open';
    await openLocation(file, undefined, cwd);
    assert.deepEqual(
      [editor.opened, editor.asked],
      [[file], Array.from({ length: 2 }, () => `Open a file outside the workspace? ${file}`)],
    );
  });

  test('that is not there is an error, and nothing is asked', async (t) => {
    const cwd = await folderOf(t);
    await assert.rejects(openLocation('gone.txt', undefined, cwd), /File not found: gone\.txt/);
    assert.deepEqual(editor.asked, []);
  });
});

describe('a file on another machine', () => {
  const share = String.raw`\\Server\share\a.txt`;
  const windows = path.win32;

  test('is not even looked at before the user agrees', async () => {
    // Looked at, it would be an error: it is not there.
    await openLocation(share, undefined, String.raw`C:\work`, windows);
    assert.deepEqual([editor.asked, editor.opened], [[`Open a file on server? ${share}`], []]);
  });

  test('is opened after one question', { skip: process.platform === 'win32' && 'there the name is that of a machine' }, async (t) => {
    const [folder, before] = [await folderOf(t), process.cwd()];
    t.after(() => process.chdir(before));
    process.chdir(folder);
    await writeFile(share, 'x');
    editor.answer = 'Open';
    await openLocation(share, undefined, String.raw`C:\work`, windows);
    assert.deepEqual([editor.asked.length, editor.opened], [1, [path.join(folder, share)]]);
  });

  test('is named also where the path hides it behind a prefix of Windows', async () => {
    for (const hidden of [String.raw`\\?\UNC\Server\share\a.txt`, '//?/UNC/Server/share/a.txt', String.raw`\\.\UNC\Server\share\a.txt`])
      await openLocation(hidden, undefined, String.raw`C:\work`, windows);
    assert.deepEqual(
      editor.asked.map((question) => question.split('? ')[0]),
      Array.from({ length: 3 }, () => 'Open a file on server'),
    );
  });

  test('of the folder itself is no other one', async () => {
    await assert.rejects(openLocation(share, undefined, String.raw`\\SERVER\share`, windows), /File not found/);
    assert.deepEqual(editor.asked, []);
  });
});

describe('a link', () => {
  test('leads to the web only; unencrypted or misleading ones with consent', async () => {
    await assert.rejects(openLink('file:///etc/passwd'), /only web links/);
    assert.equal(await openLink('https://example.com/'), true);
    assert.equal(await openLink('http://example.com/'), false);
    assert.equal(await openLink('https://example.com@evil.test/'), false);
    assert.deepEqual(
      editor.asked.map((question) => question.split('? ')[0]),
      ['Open an unencrypted link', 'Open a page on evil.test'],
    );
    assert.deepEqual(editor.opened, ['https://example.com/']);
  });

  test('is opened as it was shown, with what is encoded in it', async () => {
    const links = [
      'https://example.com/login?redirect_uri=http%3A%2F%2Flocalhost%3Fa%3D1%26b%3D2&state=a%2Bb',
      'https://example.com/o/products%2Fa%23b?q=1+%2B+1',
    ];
    for (const link of links) await openLink(link);
    assert.deepEqual(editor.opened, links);
  });
});
