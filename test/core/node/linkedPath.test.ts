import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathBehindLinks } from '../../../src/core/node/linkedPath.js';

let root = '';
let folder = '';
before(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-links-')));
  folder = path.join(root, 'workspace');
  await mkdir(path.join(folder, 'src/deep'), { recursive: true });
  await mkdir(path.join(root, 'elsewhere'));
  await writeFile(path.join(folder, 'src/a.ts'), '');
  await symlink('../elsewhere', path.join(folder, 'out'));
  await symlink('src', path.join(folder, 'same'));
  await symlink('../out', path.join(folder, 'src/further'));
  await symlink('/nowhere/at/all', path.join(folder, 'broken'));
  await symlink('two', path.join(folder, 'one'));
  await symlink('one', path.join(folder, 'two'));
  await symlink(folder, path.join(root, 'name'));
});
after(() => rm(root, { recursive: true, force: true }));

const behind = (named: string, at = folder): string | undefined => pathBehindLinks(at, named);

describe('a path in a folder', () => {
  it('stays inside if it crosses no link, or only links that stay inside', () => {
    for (const named of ['src/a.ts', 'src/new/file.ts', '.', 'same/a.ts', path.join(folder, 'same/deep'), 'src/a.ts/below', 'a\0b'])
      assert.equal(behind(named), undefined, named);
  });

  it('leads outside through one or more links, even to a missing target or for a file that does not exist yet', () => {
    const elsewhere = path.join(root, 'elsewhere');
    assert.equal(behind('out'), elsewhere);
    assert.equal(behind('out/new/file.ts'), path.join(elsewhere, 'new/file.ts'));
    assert.equal(behind('same/further/x'), path.join(elsewhere, 'x'));
    assert.equal(behind(path.join(folder, 'out/x')), path.join(elsewhere, 'x'));
    assert.equal(behind('broken'), '/nowhere/at/all');
  });

  it('is not followed forever in a loop of links', () => {
    assert.ok(behind('one/x')?.startsWith(folder));
  });

  it('is treated the same if the folder itself is a link', () => {
    const name = path.join(root, 'name');
    assert.equal(behind('src/a.ts', name), undefined);
    assert.equal(behind(path.join(name, 'same/a.ts'), name), undefined);
    assert.equal(behind('out/x', name), path.join(root, 'elsewhere/x'));
  });

  it('is not reported if its name already leads outside', () => {
    assert.equal(behind('../elsewhere/x'), undefined);
  });
});
