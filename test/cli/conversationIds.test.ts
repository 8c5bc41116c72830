import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownIds } from '../../src/cli/system/conversations.js';

test('what is shown of IDs distinguishes them, however alike they are', () => {
  const ids = (...all: readonly string[]): readonly string[] => all.map((id) => shownIds(all.map((one) => ({ id: one })))({ id }));
  assert.deepEqual(ids('0b1e3d70-bcff', '1b1e3d70-bcff'), ['0b1e3d70', '1b1e3d70']);
  assert.deepEqual(ids('0b1e3d70-bcff', '0b1e3d70-bdff'), ['0b1e3d70-bc', '0b1e3d70-bd']);
  assert.deepEqual(ids('demo', 'demo'), ['demo', 'demo']);
});
