/** The settings page opens where the settings of ACP Host can be changed. The editor is a fake. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { editor } from '../fakes/vscodeFake.js';
import { openSettings } from '../../src/extension/window/settings.js';

beforeEach(() => Object.assign(editor, { opened: [], remoteName: undefined }));

test('all settings of ACP Host are shown, or only the one that is meant', async () => {
  await openSettings();
  await openSettings('agents');
  assert.deepEqual(editor.opened, [
    'workbench.action.openSettings @ext:acp-host.acp-host',
    'workbench.action.openSettings @id:acpHost.agents',
  ]);
});

test('in a remote window, the settings of the remote machine are shown', async () => {
  editor.remoteName = 'ssh-remote';
  await openSettings('agents');
  assert.deepEqual(editor.opened, ['workbench.action.openRemoteSettings @id:acpHost.agents']);
});
