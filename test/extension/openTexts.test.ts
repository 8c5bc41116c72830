/** What the editor tells and changes of files that are open, for an undo. The editor is a fake, the files are real. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, test, type TestContext } from 'node:test';
import { editor, TextDocument } from '../fakes/vscodeFake.js';
import { openTexts } from '../../src/extension/editor/openTexts.js';

beforeEach(() => (editor.documents = []));

async function folderOf(t: TestContext): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-texts-')));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface OpenFile {
  /** What is on the disk if it is not what is in the editor. */
  readonly saved?: string;
  readonly isDirty?: boolean;
  readonly encoding?: string;
}

async function open(folder: string, name: string, text: string, { saved, ...o }: OpenFile = {}) {
  const file = path.join(folder, name);
  await writeFile(file, saved ?? (o.encoding === 'utf8bom' ? '\uFEFF' : '') + text);
  const document = new TextDocument(file, text, o);
  editor.documents.push(document);
  return { file, document };
}

test('the texts of files with unsaved changes are told with their line endings, and without a byte order mark', async (t) => {
  const folder = await folderOf(t);
  const { file: dirty } = await open(folder, 'a.txt', 'a\r\nb', { isDirty: true, saved: 'a' });
  const { file: marked } = await open(folder, 'b.txt', 'b', { isDirty: true, encoding: 'utf8bom' });
  const { file: clean } = await open(folder, 'c.txt', 'c');
  assert.deepEqual(await openTexts.unsaved([dirty, marked, clean, path.join(folder, 'd.txt')]), { [dirty]: 'a\r\nb', [marked]: 'b' });
});

test('a file that was opened through a link is found by every name', async (t) => {
  const folder = await folderOf(t);
  await mkdir(path.join(folder, 'real'));
  await symlink(path.join(folder, 'real'), path.join(folder, 'link'));
  await open(folder, 'link/a.txt', 'mine', { isDirty: true, saved: 'a' });
  for (const file of ['real/a.txt', 'link/a.txt'].map((name) => path.join(folder, name)))
    assert.deepEqual(await openTexts.unsaved([file]), { [file]: 'mine' });
});

test('a file without unsaved changes is changed and saved, one with them is changed only', async (t) => {
  const folder = await folderOf(t);
  const clean = await open(folder, 'a.txt', 'one\ntwo\n');
  const dirty = await open(folder, 'b.txt', 'one\nmine\n', { isDirty: true, saved: 'one\n' });
  const closed = path.join(folder, 'c.txt');
  const done = await openTexts.edit({ [clean.file]: 'ONE\ntwo\n', [dirty.file]: 'ONE\nmine\n', [closed]: 'x' });
  assert.deepEqual(done, [clean.file, dirty.file]);
  assert.deepEqual([await readFile(clean.file, 'utf8'), clean.document.isDirty], ['ONE\ntwo\n', false]);
  assert.deepEqual([await readFile(dirty.file, 'utf8'), dirty.document.getText()], ['one\n', 'ONE\nmine\n']);
});

test('a byte order mark is neither doubled nor lost', async (t) => {
  const folder = await folderOf(t);
  const { file, document } = await open(folder, 'a.txt', 'one', { encoding: 'utf8bom' });
  assert.deepEqual(await openTexts.edit({ [file]: 'two' }), [file]);
  assert.deepEqual([document.getText(), await readFile(file, 'utf8')], ['two', '\uFEFFtwo']);
});

test('text with unsaved changes keeps the line endings of its document', async (t) => {
  const folder = await folderOf(t);
  const { file, document } = await open(folder, 'a.txt', 'one\r\nmine\r\n', { isDirty: true, saved: 'one\r\n' });
  assert.deepEqual(await openTexts.edit({ [file]: 'ONE\nmine\n' }), [file]);
  assert.equal(document.getText(), 'ONE\r\nmine\r\n');
});

// The editor then reads the file from the disk.
const forDisk: Readonly<Record<string, { readonly text?: string; readonly file?: OpenFile; readonly wanted: string }>> = {
  'the document is not UTF-8': { file: { encoding: 'windows1252' }, wanted: 'ONE' },
  'the bytes are no text': { wanted: 'ONE \uFFFD' },
  'the file gets other line endings': { wanted: 'ONE\r\ntwo' },
  'the file gets line endings of both kinds': { text: 'one\r\ntwo\r\n', wanted: 'ONE\r\ntwo\n' },
  'another program has changed the file since': { file: { saved: 'newer' }, wanted: 'ONE' },
  'only something other than its text changes': { text: 'one', wanted: 'one' },
};
for (const [why, { text = 'one\ntwo', file: o = {}, wanted }] of Object.entries(forDisk))
  test(`a file without unsaved changes is left to the disk if ${why}`, async (t) => {
    const { file, document } = await open(await folderOf(t), 'a.txt', text, o);
    assert.deepEqual(await openTexts.edit({ [file]: wanted }), []);
    assert.deepEqual([document.getText(), document.isDirty], [text, false]);
  });

test('if the editor formats a file when it saves it, the disk gets the exact text', async (t) => {
  const { file, document } = await open(await folderOf(t), 'a.txt', 'one\n');
  document.onSave = (text) => `${text}formatted\n`;
  assert.deepEqual(await openTexts.edit({ [file]: 'ONE\n' }), []);
  assert.equal(document.isDirty, false);
});
