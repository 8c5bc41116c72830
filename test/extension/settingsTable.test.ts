import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAgents, parseAgentSetting, parseSetting } from '../../src/extension/window/settingsTable.js';

test('a value that fits is taken', () => {
  assert.deepEqual(parseSetting('deadlines.sessionSeconds', 5), { value: 5 });
  assert.deepEqual(parseAgentSetting('agentao.format', 'anthropic-messages'), { value: 'anthropic-messages' });
});

test('a value that does not fit counts as not set, and is told', () => {
  for (const [key, value] of [
    ['deadlines.sessionSeconds', 0],
    ['deadlines.sessionSeconds', 'soon'],
    ['notifications', 'yes'],
    ['defaultAgent', undefined],
  ] as const) {
    const parsed = parseSetting(key, value);
    assert.match(parsed.problem ?? '', new RegExp(`acpHost\\.${key}`));
  }
  assert.equal(parseSetting('deadlines.sessionSeconds', 0).value, 120);
  const format = parseAgentSetting('agentao.format', 'xml');
  assert.match(format.problem ?? '', /acpHost\.agentao\.format/);
  assert.equal(format.value, '');
});

test('an agent without settings of its own has none set', () => {
  assert.deepEqual(parseAgentSetting('other.path', '/opt/other'), { value: '' });
});

test('one wrong agent costs only itself', () => {
  const { agents, problems } = parseAgents({
    good: { command: 'agent', env: { A: 'b', C: null } },
    noCommand: { args: [] },
    empty: { command: '' },
    shell: { command: 'a', args: 'b c' },
    text: 'agent --acp',
  });
  assert.deepEqual([...agents], [['good', { command: 'agent', args: [], env: { A: 'b', C: null } }]]);
  assert.equal(problems.length, 4);
});
