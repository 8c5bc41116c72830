/** What the command line advises after an error. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adviceFor, toCliError } from '../../src/cli/output/errorText.js';
import { toOptionError } from '../../src/cli/conversation/trouble.js';
import { HostError } from '../../src/core/index.js';

describe('the advice for a missing program', () => {
  const advised = (command?: string): string => {
    const params = command === undefined ? { reason: 'none_installed' as const } : { reason: 'not_on_path' as const, command };
    return adviceFor(toCliError(new HostError('agent_not_found', params).toData())).join('\n');
  };

  it('is how to install a known agent', () => {
    assert.equal(
      advised('pi'),
      'Install it with `npm install --global --ignore-scripts @earendil-works/pi-coding-agent`, or specify the full path with --command.',
    );
    assert.match(advised('agentao'), /^Install it with `uv tool install agentao`/);
  });

  it('is to check the name of any other program', () => {
    assert.equal(advised('goose'), 'Install it with `acp-host install goose`, or specify the full path with --command.');
    assert.equal(advised('my-agent'), 'Check the name with `acp-host agents`, or specify the full path with --command.');
  });

  it('is the suggested agent if no agent is installed', () => {
    assert.equal(
      advised(),
      'Install one, for example agentao with `uv tool install agentao` or `pip install agentao`, or specify the full path with --command.',
    );
  });
});

it('advises to end an engine that hangs', () => {
  assert.match(adviceFor(toCliError(new HostError('engine_hangs', { pid: 4711 }).toData())).join(), /acp-host engine stop/);
});

it('sends nobody to the folder of a conversation that is from another version or program', () => {
  const advised = (reason: 'unreadable' | 'unreadable_version' | 'unreadable_foreign' | 'left_alone'): string =>
    adviceFor(toCliError(new HostError('storage_failed', { reason, path: '/saved/a.jsonl' }).toData())).join();
  assert.match(advised('unreadable'), /permissions/);
  for (const reason of ['unreadable_version', 'unreadable_foreign', 'left_alone'] as const) assert.equal(advised(reason), '');
});

it('has nothing in it that could control the terminal, whatever the agent said', () => {
  const detail = 'gone\x1b]0;title\x07\x1b[2J';
  assert.equal(toCliError(new HostError('request_failed', { detail }).toData()).message, 'gone');
  const params = { reason: 'option_unavailable', option: 'model', value: 'big', offered: ['\x1b[31msmall\x1b[0m'] } as const;
  const { message } = toOptionError(toCliError(new HostError('usage', params).toData()), 'Demo agent');
  assert.equal(message, '"big" is not an option for model. The agent offers: small');
});
