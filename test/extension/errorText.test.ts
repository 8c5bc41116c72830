import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostErrorCode } from '../../src/core/index.js';
import { errorView } from '../../src/extension/advice/advice.js';

/** All codes: a missing code does not compile. */
const codes: Readonly<Record<HostErrorCode, true>> = {
  agent_not_found: true,
  spawn_failed: true,
  handshake_failed: true,
  handshake_timeout: true,
  version_unsupported: true,
  connect_failed: true,
  key_refused: true,
  auth_required: true,
  agent_exited: true,
  request_timeout: true,
  request_failed: true,
  provider_failed: true,
  invalid_response: true,
  invalid_message: true,
  line_too_long: true,
  queue_full: true,
  session_unknown: true,
  session_busy: true,
  unsupported: true,
  untrusted: true,
  storage_failed: true,
  changes_unknown: true,
  install_failed: true,
  cancelled: true,
  disposed: true,
  usage: true,
  engine_lost: true,
  engine_failed: true,
  engine_hangs: true,
  engine_older: true,
  engine_newer: true,
  internal: true,
};

for (const code of Object.keys(codes) as HostErrorCode[]) {
  test(`${code} has a text without codes`, () => {
    const described = errorView({ code, params: { detail: 'it broke' } }, 'agentao');
    assert.ok(described.title.length > 3 && described.text.length > 3);
    for (const text of [described.title, described.text]) {
      assert.doesNotMatch(text, /undefined|null|\[object/);
      assert.doesNotMatch(text, new RegExp(`\\b${code.includes('_') ? code : `${code}_`}`));
    }
  });
}

test('what the user has to do first in the editor offers no settings', () => {
  assert.deepEqual(errorView({ code: 'usage', params: { detail: 'File not found: a.ts' } }, 'agentao').buttons, []);
  const withoutFolder = errorView({ code: 'usage', params: { reason: 'no_folder' } }, 'agentao');
  assert.deepEqual(
    [withoutFolder.title, withoutFolder.text, withoutFolder.buttons.map(({ action }) => action)],
    ['No folder is open', 'Agents work in a folder, so open one first.', ['openFolder']],
  );
  assert.notDeepEqual(errorView({ code: 'usage', params: { reason: 'url_scheme' } }, 'agentao').buttons, []);
});

test('an option that the agent did not change is named, and neither the settings nor another agent are offered', () => {
  const [option, value, detail] = ['model', 'opus', 'Not during a turn'];
  const refused = errorView({ code: 'usage', params: { reason: 'option_refused', option, value, detail } }, 'agentao');
  const kept = errorView({ code: 'usage', params: { reason: 'option_kept', option, value, current: 'sonnet' } }, 'agentao');
  assert.deepEqual(
    [refused, kept].map(({ title, text, buttons }) => [title, text, buttons.map(({ action }) => action)]),
    [
      ['The option was not changed', 'agentao refused to set model to "opus": Not during a turn.', ['showLog']],
      ['The option was not changed', 'agentao did not set model to "opus". It is "sonnet".', ['showLog']],
    ],
  );
});

test('a missing agentao comes with the command that installs it', () => {
  const described = errorView({ code: 'agent_not_found', params: { command: 'agentao' } }, 'agentao');
  assert.ok(
    described.command !== undefined &&
      described.buttons.some(({ action }) => action === 'copyInstallCommand') &&
      described.buttons.some(({ action }) => action === 'checkAgain'),
  );
});

test('an agent whose folder is gone needs neither an installation nor other settings', () => {
  const error = { code: 'spawn_failed', params: { reason: 'folder_missing', file: '/usr/bin/agentao', cwd: '/home/me/app' } } as const;
  const { title, text, command, buttons } = errorView(error, 'agentao');
  assert.deepEqual(
    [title, text, command, buttons.map(({ action }) => action)],
    [
      'agentao could not start',
      "The folder /home/me/app doesn't exist. Restore the folder, or work in another one.",
      undefined,
      ['checkAgain', 'openFolder'],
    ],
  );
});

test('an agent that is gone from the settings can be added again, or another one selected', () => {
  const described = errorView({ code: 'agent_not_found', params: { reason: 'not_in_settings', command: 'mine' } }, 'Mine');
  assert.equal(described.title, 'Mine could not start: "mine" is not in the settings');
  assert.equal(described.text, 'Add it there, or select another agent.');
  assert.deepEqual(
    described.buttons.map(({ action }) => action),
    ['openSettings', 'checkAgain', 'selectAgent', 'doctor'],
  );
});

test('the command is one that the machine has', () => {
  const params = { command: 'agentao', installCommand: 'pipx install agentao' };
  assert.equal(errorView({ code: 'agent_not_found', params }, 'agentao').command, 'pipx install agentao');
});

test('the text says how an agent ended', () => {
  assert.match(errorView({ code: 'agent_exited', params: { exitCode: 137, signal: null } }, 'agentao').title, /code 137/);
  assert.match(errorView({ code: 'agent_exited', params: { exitCode: null, signal: 'SIGKILL' } }, 'agentao').title, /SIGKILL/);
  assert.equal(
    errorView({ code: 'agent_exited', params: { exitCode: 0, signal: null, requested: true } }, 'agentao').title,
    'agentao was stopped',
  );
  assert.match(
    errorView({ code: 'agent_exited', params: { exitCode: 1, signal: null, circuit: 'open' } }, 'agentao').text,
    /crashed repeatedly/,
  );
});

test('the text quotes what a program prints instead of an answer', () => {
  assert.match(
    errorView({ code: 'handshake_timeout', params: { firstNoise: 'Welcome to zsh' } }, 'agentao').text,
    /printed "Welcome to zsh"/,
  );
});

test('the text quotes the provider', () => {
  const described = errorView(
    {
      code: 'provider_failed',
      params: { message: '[LLM API error: Error code: 401 - bad key]', detail: 'Error code: 401 - bad key' },
    },
    'agentao',
  );
  assert.equal(described.text, 'Error code: 401 - bad key.');
  assert.equal(described.buttons[0]?.action, 'retry');
});
