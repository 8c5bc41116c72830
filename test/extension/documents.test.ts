/** What the editor compares. The editor is a fake. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { asOnDisk, type Comparison } from '../../src/extension/editor/documents.js';

it('a file that the user has renamed since a turn changed it is compared as deleted', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-documents-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const before = { id: 'one', set: 't1', path: 'a.ts', side: 'before' } as const;
  const changed: Comparison = { folder, path: 'a.ts', before, after: 'file' };
  assert.deepEqual(await asOnDisk(changed), { ...changed, after: undefined });
  await writeFile(path.join(folder, 'a.ts'), '');
  assert.equal(await asOnDisk(changed), changed);
  const earlier: Comparison = { ...changed, path: 'b.ts', after: { ...before, side: 'after' } };
  assert.equal(await asOnDisk(earlier), earlier);
});
