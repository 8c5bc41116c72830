import assert from 'node:assert/strict';
import { test } from 'node:test';
import '../backends/addParrot.js';
import { parseAgents, parseAgentSetting, parseSetting } from '../../src/extension/window/settings.js';

test('a valid value is used', () => {
  assert.deepEqual(parseSetting('deadlines.sessionSeconds', 5), { value: 5 });
  assert.deepEqual(parseAgentSetting('agentao.format', 'anthropic-messages'), { value: 'anthropic-messages' });
});

test('an invalid value counts as not set, and is reported', () => {
  for (const [key, value] of [
    ['deadlines.sessionSeconds', 0],
    ['deadlines.sessionSeconds', 'soon'],
    ['notifyWhenDone', 'always'],
    ['changes.maxMegabytes', 0],
    // It would take what is ignored.
    ['changes.exclude', ['data/', '!build/']],
    ['changes.exclude', 'data/'],
    ['engine.location', 'cloud'],
    ['engine.keepAliveMinutes', -1],
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

test('an agent without settings has none', () => {
  assert.deepEqual(parseAgentSetting('other.path', '/opt/other'), { value: '' });
});

test('an invalid agent affects only itself', () => {
  const { agents, problems } = parseAgents({
    good: { command: 'agent', env: { A: 'b', C: null } },
    noCommand: { args: [] },
    empty: { command: '' },
    shell: { command: 'a', args: 'b c' },
    text: 'agent --acp',
  });
  const good = { id: 'good', label: 'good', protocol: 'acp', command: 'agent', args: [], env: { A: 'b', C: null } };
  assert.deepEqual([...agents], [['good', good]]);
  assert.equal(problems.length, 4);
});

test('an agent has a command or a URL with a suitable protocol, and never a key', () => {
  const url = 'wss://example.com/agent';
  const pin = `sha256/${'A'.repeat(43)}=`;
  const { agents, problems } = parseAgents({
    server: { label: 'Server', protocol: 'parrot-server', url, pin },
    program: { protocol: 'parrot', command: 'parrot' },
    both: { command: 'a', url },
    withArgs: { protocol: 'parrot-server', url, args: [] },
    pinned: { command: 'a', pin },
    asking: { protocol: 'agent-service', url, codeNavigation: true },
    askingProgram: { protocol: 'xcsh', command: 'omp', codeNavigation: true },
    instructed: { command: 'a', systemPrompt: 'Be brief.' },
    notInstructed: { command: 'a', systemPrompt: ' ' },
    cannotAsk: { command: 'a', codeNavigation: true },
    withKey: { protocol: 'parrot-server', url, apiKey: 'secret' },
    keyInUrl: { protocol: 'parrot-server', url: 'wss://example.com/?token=secret' },
    unknown: { protocol: 'klingon', command: 'a' },
    noServer: { url },
    noProgram: { protocol: 'parrot-server', command: 'a' },
    web: { protocol: 'parrot-server', url: 'https://example.com' },
  });
  assert.deepEqual(
    [...agents.values()],
    [
      { id: 'server', label: 'Server', protocol: 'parrot-server', url, pin, key: { type: 'storage' } },
      { id: 'program', label: 'program', protocol: 'parrot', command: 'parrot', args: [], env: {} },
      { id: 'asking', label: 'asking', protocol: 'agent-service', url, key: { type: 'storage' }, mayAskAboutCode: true },
      { id: 'askingProgram', label: 'askingProgram', protocol: 'xcsh', command: 'omp', args: [], env: {}, mayAskAboutCode: true },
      { id: 'instructed', label: 'instructed', protocol: 'acp', command: 'a', args: [], env: {}, systemPrompt: 'Be brief.' },
    ],
  );
  const told = problems.join('\n');
  assert.doesNotMatch(told, /=secret|"secret"/);
  for (const words of [
    'both: Set either "command" or "url", not both',
    'withArgs: "args" and "env" are for a "command"',
    'pinned: "pin" is for a "url"',
    'cannotAsk: "codeNavigation" has no effect',
    'withKey: "apiKey" does not belong in the settings',
    'keyInUrl: The URL contains a key or a password',
    'unknown: Unknown protocol "klingon". Known protocols: acp',
    'noServer: Agents that speak acp are programs: specify a command',
    'noProgram: Agents that speak parrot-server are servers: specify a URL',
    'web: The URL of a server must start with ws:// or wss://',
  ])
    assert.ok(told.includes(`acpHost.agents.${words}`), `${words}\n\n${told}`);
});
