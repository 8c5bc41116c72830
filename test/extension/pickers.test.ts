import assert from 'node:assert/strict';
import { test } from 'node:test';
import { window } from '../fakes/vscodeFake.js';
import { pickFiles } from '../../src/extension/actions/pickers.js';

test('neither the name of a file nor its folder shows an icon', async (t) => {
  const pick = t.mock.method(window, 'showQuickPick', () => Promise.resolve(undefined));
  await pickFiles(['$(trash)/$(key).ts'], '/project');
  const [items] = pick.mock.calls[0]?.arguments ?? [];
  assert.deepEqual(items, [{ path: '$(trash)/$(key).ts', label: '$(file) $ (key).ts', description: '$ (trash)/' }]);
});
