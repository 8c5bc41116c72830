/** What a page may attach to a message. The editor is a fake. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Chip } from '../../src/core/index.js';

const fake = new URL('../fakes/vscodeFake.ts', import.meta.url).href;
const hook = `export const resolve = (name, context, next) => name === 'vscode' ? { url: ${JSON.stringify(fake)}, format: 'module', shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
const { createContextActions } = await import('../../src/extension/actions/contextActions.js');

test('a page attaches only a file that the editor listed', async (t) => {
  const parent = await mkdtemp(join(tmpdir(), 'acp-host-context-'));
  t.after(() => rm(parent, { recursive: true }));
  const cwd = join(parent, 'project');
  await mkdir(cwd);
  for (const file of ['project/a.ts', 'project/b.ts', 'secret.txt']) await writeFile(join(parent, file), '');
  const attached: string[] = [];
  const scope = {
    parts: { files: { list: () => Promise.resolve(['a.ts']) }, pages: { focus: () => Promise.resolve() } },
    target: () => undefined,
    current: () => ({ folder: { path: cwd } }),
    source: () => ({
      attach: async (chips: Promise<readonly Chip[]>) => attached.push(...(await chips).map(({ title }) => title)),
    }),
  };
  const { addSuggestedFile } = createContextActions(scope as never);
  for (const path of ['../secret.txt', join(parent, 'secret.txt'), 'b.ts', 'a.ts']) await addSuggestedFile(path);
  assert.deepEqual(attached, ['a.ts']);
});
