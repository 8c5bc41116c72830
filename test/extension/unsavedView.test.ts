import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ChangeSet } from '../../src/core/index.js';
import { changedUnderText, unsavedView } from '../../src/extension/chat/changesView.js';
import { changedFile as changed, changeSet } from './changeSets.js';
import { conversation } from './drawnChat.js';

const cwd = '/project';
const under = (name: string, since: number, ...others: readonly string[]) => ({
  path: join(cwd, name),
  names: [join(cwd, name), ...others],
  since,
});

test('a file is named if a turn changed it after the user began to write, by any of its names', () => {
  const sets: readonly ChangeSet[] = [
    changeSet('t1', [changed('early.ts')], { at: 10 }),
    changeSet('u1', [changed('undone.ts')], { at: 30, kind: 'undo' }),
    changeSet('t2', [changed('src/a.ts'), changed('real.ts')], { at: 30, kind: 'running' }),
  ];
  const all = [
    under('early.ts', 20),
    under('undone.ts', 20),
    under('src/a.ts', 20),
    under('link.ts', 20, join(cwd, 'real.ts')),
    under('b.ts', 20),
    { path: '/elsewhere/src/a.ts', names: ['/elsewhere/src/a.ts'], since: 20 },
  ];
  const state = { ...conversation({ changes: sets }), cwd };
  assert.deepEqual(
    changedUnderText(state, all).map(({ path }) => path),
    [join(cwd, 'src/a.ts'), join(cwd, 'link.ts')],
  );
});

test('one file is named, and several are counted', () => {
  const text = (...names: readonly string[]) => unsavedView(names.map((name) => under(name, 1)))?.text;
  assert.equal(text(), undefined);
  assert.equal(text('src/a.ts'), 'a.ts was changed under your unsaved text');
  assert.equal(text('src/a.ts', 'b.ts'), '2 files were changed under your unsaved text');
});
