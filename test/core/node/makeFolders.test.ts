import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { makeFolders, makeFoldersSync } from '../../../src/core/node/files.js';

test('folders are created by several at once, whoever creates those above', async (t) => {
  const root = mkdtempSync(path.join(tmpdir(), 'acp-host-make-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (let round = 0; round < 50; round++) {
    const paths = Array.from({ length: 8 }, (_, n) => path.join(root, `${round}`, 'a', 'b', `${n % 4}`));
    await Promise.all(paths.map(makeFolders));
    assert.ok(paths.every((one) => existsSync(one)));
  }
  makeFoldersSync(path.join(root, 'x', 'y', 'z'));
  assert.ok(existsSync(path.join(root, 'x', 'y', 'z')));
});

test('what cannot be created is said, and nothing is created beside a file', async (t) => {
  const root = mkdtempSync(path.join(tmpdir(), 'acp-host-make-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const file = path.join(root, 'file');
  writeFileSync(file, '');
  await assert.rejects(makeFolders(file), { code: 'EEXIST' });
  await assert.rejects(makeFolders(path.join(file, 'below')), { code: 'ENOTDIR' });
  if (process.platform === 'linux') await assert.rejects(makeFolders('/proc/acp-host/deep/er'), { code: 'ENOENT' });
});
