/** A path from an agent is only read inside the folder. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { createFileAccess, peekLimitBytes } from '../../../src/core/services/files.js';

async function place(t: TestContext): Promise<{ folder: string; outside: string }> {
  const root = await mkdtemp(path.join(tmpdir(), 'acp-host-files-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const [folder, outside] = [path.join(root, 'work'), path.join(root, 'work-not')];
  await Promise.all([mkdir(path.join(folder, 'src'), { recursive: true }), mkdir(outside)]);
  await writeFile(path.join(outside, 'secret.txt'), 'secret');
  return { folder, outside };
}
const links = process.platform === 'win32' ? 'creating links requires a privilege' : false;

describe('a file that an agent names', () => {
  it('is read inside the folder, and null if it does not exist', async (t) => {
    const { folder } = await place(t);
    await writeFile(path.join(folder, 'src', 'a.txt'), 'a');
    const files = createFileAccess(folder);
    assert.equal(await files.peek(path.join(folder, 'src', 'a.txt')), 'a');
    assert.equal(await files.peek(path.join(folder, 'src', 'new.txt')), null);
    assert.equal(await files.peek(path.join(folder, 'new', 'folder', 'new.txt')), null);
    assert.equal(await files.peek(path.join(folder, '..hidden')), null);
  });

  it('is not opened outside the folder, even in one whose name starts with the same characters', async (t) => {
    const { folder, outside } = await place(t);
    const files = createFileAccess(folder);
    for (const file of [path.join(outside, 'secret.txt'), path.join(outside, 'new.txt'), path.join(folder, '..'), folder, '/etc/hostname'])
      assert.equal(await files.peek(file), undefined, file);
  });

  it('is not opened through a symbolic link that leads outside, to nothing or in a loop', { skip: links }, async (t) => {
    const { folder, outside } = await place(t);
    const files = createFileAccess(folder);
    await symlink(path.join(outside, 'secret.txt'), path.join(folder, 'link.txt'));
    await symlink(outside, path.join(folder, 'linked'));
    await symlink(path.join(outside, 'nothing.txt'), path.join(folder, 'dangling.txt'));
    await symlink('loop', path.join(folder, 'loop'));
    for (const file of ['link.txt', 'linked/secret.txt', 'linked/new.txt', 'linked/new/new.txt', 'dangling.txt', 'loop', 'loop/a.txt'])
      assert.equal(await files.peek(path.join(folder, file)), undefined, file);
  });

  it('is read through a link that stays inside, and in a folder that is itself a link', { skip: links }, async (t) => {
    const { folder } = await place(t);
    await writeFile(path.join(folder, 'a.txt'), 'a');
    await symlink('../a.txt', path.join(folder, 'src', 'link.txt'));
    await symlink(folder, `${folder}-link`);
    assert.equal(await createFileAccess(folder).peek(path.join(folder, 'src', 'link.txt')), 'a');
    assert.equal(await createFileAccess(`${folder}-link`).peek(path.join(`${folder}-link`, 'a.txt')), 'a');
  });

  it('has no text if it is a folder or a pipe, or is binary, not UTF-8 or too large', async (t) => {
    const { folder } = await place(t);
    await writeFile(path.join(folder, 'binary'), Buffer.from([1, 0, 2]));
    await writeFile(path.join(folder, 'latin1'), Buffer.from([0x61, 0xe9]));
    await writeFile(path.join(folder, 'huge'), 'x'.repeat(peekLimitBytes + 1));
    if (process.platform !== 'win32') execFileSync('mkfifo', [path.join(folder, 'pipe')]);
    const files = createFileAccess(folder);
    for (const file of ['src', 'binary', 'latin1', 'huge', ...(process.platform === 'win32' ? [] : ['pipe'])])
      assert.equal(await files.peek(path.join(folder, file)), undefined, file);
  });
});
