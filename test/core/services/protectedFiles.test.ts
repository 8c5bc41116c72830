/** Files that their owner, or git, protects from an agent that writes through the host. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it, type TestContext } from 'node:test';
import { createAgentFiles } from '../../../src/core/services/agentFiles.js';
import { selectOption, type UserAnswer } from '../../../src/core/session/userRequest.js';

const { signal } = new AbortController();

/** A folder in which the user rejects what is asked; `asked` has the paths. */
async function lab(t: TestContext) {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-protected-')));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const asked: string[] = [];
  const files = createAgentFiles({
    sessionId: 's',
    folder,
    editor: undefined,
    requestUser: async (request): Promise<UserAnswer> => {
      if (request.kind === 'permission') asked.push(path.relative(folder, request.subject.title));
      return selectOption('reject');
    },
    onWritten: () => {},
  });
  return { files, folder, asked, at: (name: string) => path.join(folder, name) };
}

it('a read-only file is refused, and stays', async (t) => {
  const { files, asked, at } = await lab(t);
  writeFileSync(at('a.txt'), 'mine');
  chmodSync(at('a.txt'), 0o444);
  await assert.rejects(files.writeText(at('a.txt'), 'theirs', signal), { reason: 'read_only' });
  assert.deepEqual([readFileSync(at('a.txt'), 'utf8'), await files.readText(at('a.txt'), {}, signal), asked], ['mine', 'mine', []]);
  chmodSync(at('a.txt'), 0o644);
  await files.writeText(at('a.txt'), 'theirs', signal);
  assert.equal(readFileSync(at('a.txt'), 'utf8'), 'theirs');
});

it('what git runs or follows is written only if the user allows it, and is read without asking', async (t) => {
  const { files, asked, at } = await lab(t);
  mkdirSync(at('.git/hooks'), { recursive: true });
  mkdirSync(at('sub'));
  writeFileSync(at('.git/config'), '[core]');
  const names = ['.git/hooks/pre-commit', '.git/config', 'sub/.git', 'sub/.GIT./config'].map((name) => path.normalize(name));
  for (const name of names) await assert.rejects(files.writeText(at(name), 'x', signal), { reason: 'rejected' });
  assert.deepEqual(asked, names);
  assert.equal(await files.readText(at('.git/config'), {}, signal), '[core]');
  for (const name of ['.gitignore', '.github/workflows/ci.yml', 'my.git', 'git/config']) await files.writeText(at(name), 'x', signal);
  assert.equal(asked.length, names.length);
});

it("git's folder may have any name, where .git is a link or a file", async (t) => {
  const { files, asked, at } = await lab(t);
  for (const name of ['store/objects', 'store/refs', 'store/hooks', 'objects', 'refs']) mkdirSync(at(name), { recursive: true });
  for (const name of ['store/HEAD', 'HEAD']) writeFileSync(at(name), 'ref: refs/heads/main');
  symlinkSync(at('store'), at('.git'), 'junction');
  for (const name of ['.git/hooks/pre-commit', 'store/config'])
    await assert.rejects(files.writeText(at(name), 'x', signal), { reason: 'rejected' });
  assert.deepEqual(asked, [path.normalize('.git/hooks/pre-commit'), path.normalize('store/config')]);
  // The folder itself, which the user opened, is another matter.
  await files.writeText(at('src/a.txt'), 'x', signal);
  assert.equal(asked.length, 2);
});

it('a byte order mark is written once, also by an agent that sends it', async (t) => {
  const { files, at } = await lab(t);
  for (const name of ['marked.txt', 'new.txt']) {
    if (name === 'marked.txt') writeFileSync(at(name), '\uFEFFold');
    for (const text of ['\uFEFFone', 'two', '\uFEFFthree']) await files.writeText(at(name), text, signal);
    assert.equal(readFileSync(at(name), 'utf8'), '\uFEFFthree');
    assert.equal(await files.readText(at(name), {}, signal), 'three');
  }
});
