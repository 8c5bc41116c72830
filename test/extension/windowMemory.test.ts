/** What a window remembers about its folders. The editor is a fake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nullLogger } from '../../src/core/index.js';
import { editor } from '../fakes/vscodeFake.js';
import { openWindow } from './openWindow.js';
import { createWindowMemory } from '../../src/extension/window/windowMemory.js';

test('what a window writes is visible at once, and to every other window', async (t) => {
  const { lab, client, folder } = await openWindow(t);
  editor.folders = [folder.path];
  t.after(() => (editor.folders = []));
  const memory = createWindowMemory(client, nullLogger);
  const { path } = folder;
  assert.deepEqual([memory.shownIn(path), memory.mayActUnasked(path), memory.chosenAgent()], [undefined, false, undefined]);
  memory.show(path, 'one');
  memory.allowUnasked(path);
  const chosen = memory.chooseAgent('mine');
  const seen = [memory.shownIn(path), memory.mayActUnasked(path), memory.chosenAgent(), memory.lastShown()?.path];
  assert.deepEqual(seen, ['one', true, 'mine', path]);
  await chosen;
  const other = createWindowMemory(await lab.attach(), nullLogger);
  assert.deepEqual([other.shownIn(path), other.mayActUnasked(path), other.chosenAgent(), other.lastShown()?.path], seen);
});

test('what it writes while the engine is away stays visible', async (t) => {
  const { lab, client, folder } = await openWindow(t);
  const memory = createWindowMemory(client, nullLogger);
  await lab.lose(async () => {
    memory.allowUnasked(folder.path);
    await memory.chooseAgent('mine');
    assert.equal(memory.mayActUnasked(folder.path), true);
  });
});
