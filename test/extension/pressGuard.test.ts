import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPressGuard } from '../../src/extension/editor/editPreview.js';

function guarded() {
  let now = 0;
  const guard = createPressGuard(() => now);
  return { guard, after: (ms: number) => ((now += ms), guard.passes()) };
}

test('nothing counts before it was visible for a moment', () => {
  const { guard, after } = guarded();
  assert.equal(after(60_000), false);
  guard.shown();
  assert.equal(after(500), false);
  assert.equal(after(1_200), true);
  assert.equal(after(10), true);
  guard.shown();
  assert.equal(after(0), false);
  guard.close();
  assert.equal(after(60_000), false);
});

test('a key that is held down since then never counts, however slowly it begins to repeat', () => {
  for (const delay of [150, 500, 1_000]) {
    const { guard, after } = guarded();
    guard.shown();
    assert.equal(after(delay), false);
    for (let repeats = 0; repeats < 200; repeats++) assert.equal(after(33), false);
    assert.equal(after(1_200), true, 'it was released');
  }
});
