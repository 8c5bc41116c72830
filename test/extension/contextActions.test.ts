/** What a page may attach to a message. The editor is a fake. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Chip } from '../../src/core/index.js';
import { chipsOf } from '../../src/extension/actions/promptActions.js';
import { editor } from '../fakes/vscodeFake.js';
import { selectionChip } from '../../src/extension/editor/fileChips.js';
import { createContextActions } from '../../src/extension/actions/contextActions.js';

async function openChat(t: TestContext) {
  const parent = await mkdtemp(join(tmpdir(), 'acp-host-context-'));
  t.after(() => rm(parent, { recursive: true }));
  const cwd = join(parent, 'project');
  await mkdir(cwd);
  for (const file of ['project/a.ts', 'project/b.ts', 'secret.txt']) await writeFile(join(parent, file), '');
  const done: string[] = [];
  const scope = {
    parts: {
      files: { list: () => Promise.resolve(['a.ts']) },
      pages: { focus: (_: unknown, target: string) => Promise.resolve(done.push(target)) },
    },
    target: () => undefined,
    current: () => ({ folder: { path: cwd } }),
    source: () => ({
      attach: async (chips: Promise<readonly Chip[]>) => done.push(...(await chips).map(({ title }) => title)),
    }),
    ask: <T>(question: () => T) => question(),
  };
  return { parent, cwd, done, actions: createContextActions(scope as never) };
}

test('a page attaches only a file that the editor listed, while the user goes on typing', async (t) => {
  const { parent, done, actions } = await openChat(t);
  for (const path of ['../secret.txt', join(parent, 'secret.txt'), 'b.ts', 'a.ts']) await actions.addSuggestedFile(path);
  assert.deepEqual(done, ['a.ts']);
});

for (const remoteName of [undefined, 'ssh-remote'])
  test(`what is dropped is attached only from the workspace${remoteName === undefined ? '' : ' of another machine'}`, async (t) => {
    const { parent, cwd, done, actions } = await openChat(t);
    await symlink(join(parent, 'secret.txt'), join(cwd, 'link.txt'));
    Object.assign(editor, { folders: [cwd], remoteName });
    t.after(() => Object.assign(editor, { folders: [], remoteName: undefined }));
    const there = remoteName === undefined ? 'file://' : 'vscode-remote://ssh-remote+there';
    const others = ['https://example.org/a.ts', 'a.ts', `untitled:${cwd}/a.ts`, `${there}${cwd}/gone.ts`, `${there}${cwd}/link.txt`];
    const refused = /You can drop only files and folders of the workspace/;
    await assert.rejects(actions.addDropped([...others, `${there}${parent}/secret.txt`]), refused);
    assert.deepEqual(done, []);
    // The first is on this machine, or on the other one.
    const elsewhere = remoteName === undefined ? `vscode-remote://ssh-remote+there${cwd}/b.ts` : `file://${cwd}/b.ts`;
    await assert.rejects(actions.addDropped([elsewhere, `${there}${cwd}/a.ts`, ...others]), refused);
    assert.deepEqual(done, ['composer', 'a.ts']);
    await actions.addDropped([`${there}${cwd}/a.ts`]);
    assert.deepEqual(done, ['composer', 'a.ts', 'composer', 'a.ts']);
  });

test('files of the Explorer move the keyboard focus to the chat before they are read', async (t) => {
  const { cwd, done, actions } = await openChat(t);
  await actions.addFiles([join(cwd, 'a.ts')]);
  assert.deepEqual(done, ['composer', 'a.ts']);
});

test('closing the list of files leaves the keyboard focus where it is', async (t) => {
  const { done, actions } = await openChat(t);
  await actions.addFilesToChat();
  assert.deepEqual(done, []);
});

test('a selection is named as the agent of the conversation knows the file, with the lines that it contains', () => {
  const select = (file: string, end: object): readonly string[] => {
    Object.assign(editor, { file, text: 'one\ntwo\n', selection: { isEmpty: false, start: { line: 0, character: 0 }, end } });
    const { id, label, title, content } = selectionChip('/home/me/app');
    // As in a message that returns to the composer.
    assert.deepEqual(
      chipsOf({ id: 'p1', content: [content] }).map((chip) => chip.id),
      [id],
    );
    return [label, title, content.type === 'resource' ? content.resource.uri : ''];
  };
  assert.deepEqual(select('/home/me/app/src/a.ts', { line: 2, character: 0 }), [
    'a.ts:1–2',
    'src/a.ts:1–2',
    'file:///home/me/app/src/a.ts#L1:1-L3:1',
  ]);
  // Another folder of the window may have a file with the same name.
  assert.deepEqual(select('/home/me/other/src/a.ts', { line: 0, character: 3 }), [
    'a.ts:1',
    '/home/me/other/src/a.ts:1',
    'file:///home/me/other/src/a.ts#L1:1-L1:4',
  ]);
});
