/** Files with unsaved changes that a message names. The editor is a fake, the files are real. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { ContentBlock } from '../../src/core/index.js';
import { editor, TextDocument } from '../fakes/vscodeFake.js';
import { saveNamedFiles } from '../../src/extension/actions/saveNamedFiles.js';
import { choose } from '../../src/extension/window/windowMessages.js';

beforeEach(() => Object.assign(editor, { documents: [], shown: [], answer: undefined }));

/** A folder with files that are open, and the same text everywhere. */
async function folderWith(t: TestContext, ...names: readonly string[]) {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-save-')));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const at = (name: string): string => path.join(folder, name);
  await mkdir(at('docs'));
  for (const name of names) await writeFile(at(name), 'saved');
  editor.documents = names.map((name) => new TextDocument(at(name), 'typed', { isDirty: true }));
  return { at, link: (name: string): ContentBlock => ({ type: 'resource_link', name, uri: pathToFileURL(at(name)).toString() }) };
}

const dirty = (): readonly string[] => editor.documents.filter(({ isDirty }) => isDirty).map(({ uri }) => path.basename(uri.fsPath));

test('files that are mentioned, selected, shown or in a mentioned folder are saved, and no others', async (t) => {
  const names = ['a b.ts', 'part.ts', 'picture.svg', 'docs/x.md', 'other.ts', 'doc'];
  const { at, link } = await folderWith(t, ...names);
  await symlink(at('a b.ts'), at('link.ts'));
  const uri = (name: string): string => pathToFileURL(at(name)).toString();
  const content: readonly ContentBlock[] = [
    { type: 'text', text: `other.ts ${uri('other.ts')}` },
    link('link.ts'),
    link('docs'),
    { type: 'resource', resource: { uri: `${uri('part.ts')}#L1-2`, text: 'typed' } },
    { type: 'image', mimeType: 'image/png', data: '', uri: uri('picture.svg') },
    { type: 'resource_link', name: 'page', uri: `https://example.org${at('other.ts')}` },
  ];
  assert.equal(await saveNamedFiles(content, 'save', choose), true);
  assert.deepEqual(dirty(), ['other.ts', 'doc']);
  assert.equal(await readFile(at('docs/x.md'), 'utf8'), 'typed');
  assert.deepEqual(editor.shown, []);
});

for (const [answer, [isSent, isSaved]] of [
  ['Save and Send', [true, true]],
  ['Send Anyway', [true, false]],
  [undefined, [false, false]],
] as const)
  test(`asked about a file, the user answers ${answer ?? 'nothing'}`, async (t) => {
    const { link } = await folderWith(t, 'parser.ts', 'other.ts');
    editor.answer = answer;
    assert.equal(await saveNamedFiles([link('parser.ts'), link('parser.ts')], 'ask', choose), isSent);
    assert.deepEqual(dirty(), isSaved ? ['other.ts'] : ['parser.ts', 'other.ts']);
    assert.deepEqual(
      editor.shown.map(({ text }) => text),
      ['parser.ts has unsaved changes'],
    );
  });

test('nothing is asked where nothing is unsaved, and nothing is done if that is off', async (t) => {
  const { link } = await folderWith(t, 'a.ts', 'b.ts');
  assert.equal(await saveNamedFiles([link('a.ts')], 'off', choose), true);
  assert.deepEqual(dirty(), ['a.ts', 'b.ts']);
  await editor.documents[0]?.save();
  assert.equal(await saveNamedFiles([link('a.ts')], 'ask', choose), true);
  assert.deepEqual(editor.shown, []);
});

test('the question names two files, and counts more', async (t) => {
  const { link } = await folderWith(t, 'a.ts', 'b.ts', 'c.ts');
  await saveNamedFiles([link('a.ts'), link('b.ts')], 'ask', choose);
  await saveNamedFiles(['a.ts', 'b.ts', 'c.ts'].map(link), 'ask', choose);
  assert.deepEqual(
    editor.shown.map(({ text }) => text),
    ['a.ts and b.ts have unsaved changes', '3 files have unsaved changes'],
  );
});

test('a file that cannot be saved is named, and nothing is sent', async (t) => {
  const { link } = await folderWith(t, 'a.ts', 'b.ts');
  const [, second] = editor.documents;
  Object.assign(second ?? {}, { save: () => Promise.resolve(false) });
  await assert.rejects(saveNamedFiles([link('a.ts'), link('b.ts')], 'save', choose), {
    code: 'usage',
    params: { detail: "b.ts couldn't be saved, so the message was not sent" },
  });
});
