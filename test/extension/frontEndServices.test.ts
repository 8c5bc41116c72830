/** What the window answers to the engine. The editor is a fake. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { type AgentDefinition, type CodeNavigation, HostError, nullLogger, Redactor } from '../../src/core/index.js';
import { type AgentSources, frontEndServices } from '../../src/extension/agent/agentChoice.js';
import type { Settings } from '../../src/extension/window/settings.js';
import { editor } from '../fakes/vscodeFake.js';

beforeEach(() => Object.assign(editor, { isTrusted: true }));

const mine: AgentDefinition = {
  id: 'mine',
  label: 'Mine',
  protocol: 'acp',
  command: process.execPath,
  args: [],
  env: { MINE_API_KEY: 'quite-secret-value' },
};

function servicesOf() {
  const asked: string[] = [];
  const settings: Pick<
    Settings,
    'agents' | 'mcpServers' | 'agentSettings' | 'defaultAgent' | 'defaultMode' | 'deadlines' | 'requestDeadlines'
  > = {
    agents: new Map([['mine', mine]]),
    mcpServers: {
      files: { command: 'files', env: { KEY: '${env:OTHER_TOKEN}' } },
      wrong: { command: 'a', args: '${input:key}' },
      off: { command: 'a', disabled: true },
    },
    agentSettings: new Map(),
    defaultAgent: 'mine',
    defaultMode: 'plan',
    deadlines: { initializeMs: 1, sessionMs: 2, queryMs: 3 },
    requestDeadlines: { permissionMs: 4, questionMs: 5 },
  };
  const agents: Partial<AgentSources> = {
    settings: () => settings as Settings,
    folderServers: {
      allowedIn: (folder, _variables, taken) =>
        Promise.resolve({
          servers: [{ name: [folder, ...taken].join(' '), command: 'ofFolder', args: [], env: [] }],
          problems: [{ server: 'b', code: 'declined' }],
          secretValues: ['s'],
        }),
      chooseAgain: () => Promise.resolve('none'),
    },
    bundleFolder: '/bundle',
    stateFolder: '/no/such/folder',
    chosenId: () => undefined,
    knownEnv: () => ({}),
    baseEnv: () => Promise.resolve(void asked.push('the login shell')).then(() => ({ OTHER_TOKEN: 'another-secret' })),
  };
  const navigation: Partial<CodeNavigation> = {
    definitions: async (path, { line }) =>
      Promise.resolve([{ path, range: { start: { line, character: 0 }, end: { line, character: 1 } } }]),
  };
  const warnings: string[] = [];
  const redactor = new Redactor();
  const clientInfo = { name: 'acp-host', title: 'ACP Host', version: '1' };
  const services = frontEndServices({
    agents: () => agents as AgentSources,
    redactor,
    codeNavigation: navigation as CodeNavigation,
    texts: { unsaved: () => Promise.resolve({}), edit: () => Promise.resolve([]) },
    clientInfo,
    log: { ...nullLogger, info: (text) => void warnings.push(text) },
  });
  return { services, asked, redactor, clientInfo, warnings };
}

test('without trust nothing starts, and the login shell is not asked', async () => {
  editor.isTrusted = false;
  const { services, asked } = servicesOf();
  await assert.rejects(
    async () => services.choose_agent?.({ cwd: '/project' }),
    (error) => error instanceof HostError && error.code === 'untrusted',
  );
  assert.deepEqual(asked, []);
  assert.equal((await services.peek_agent?.({ cwd: '/project' }))?.label, 'Mine');
});

test('an agent comes with what the settings say about it', async () => {
  const { services, clientInfo } = servicesOf();
  const chosen = await services.choose_agent?.({ cwd: '/project' });
  assert.deepEqual(chosen?.definition, mine);
  assert.deepEqual(chosen.clientInfo, clientInfo);
  assert.deepEqual(
    [chosen.deadlines, chosen.requestDeadlines],
    [
      { initializeMs: 1, sessionMs: 2, queryMs: 3 },
      { permissionMs: 4, questionMs: 5 },
    ],
  );
  assert.deepEqual(chosen.optionDefaults, [{ category: 'mode', value: 'plan', isRequired: false }]);
});

test('an agent that is gone from the settings was not found', async () => {
  const { services } = servicesOf();
  await assert.rejects(
    async () => services.peek_agent?.({ cwd: '/project', agentId: 'gone' }),
    (error) => error instanceof HostError && error.code === 'agent_not_found',
  );
});

test('an agent comes with the MCP servers of the settings, without those that are wrong or disabled, which take no name', async () => {
  const { services, warnings } = servicesOf();
  const chosen = await services.choose_agent?.({ cwd: '/project' });
  assert.deepEqual(chosen?.mcpServers, [
    { name: 'files', command: 'files', args: [], env: [{ name: 'KEY', value: 'another-secret' }] },
    { name: '/project files wrong', command: 'ofFolder', args: [], env: [] },
  ]);
  assert.deepEqual(
    chosen.leftOutServers?.map(({ server, code }) => `${server} ${code}`),
    ['wrong variable', 'b declined'],
  );
  assert.deepEqual(chosen.secretValues, ['s']);
  assert.deepEqual(warnings, [
    'Left out: MCP server "wrong": It needs a value for ${input:key}',
    'Left out: MCP server "b": You didn\'t allow it',
  ]);
});

test('an agent comes with the other folders of the window', async (t) => {
  editor.folders = ['/other', '/project', '/third'];
  t.after(() => (editor.folders = []));
  const { services } = servicesOf();
  assert.deepEqual((await services.choose_agent?.({ cwd: '/project' }))?.otherFolders, ['/other', '/third']);
});

test('a problem report of the window contains no secret of the environment of an agent', async () => {
  const { services, redactor } = servicesOf();
  await services.choose_agent?.({ cwd: '/project' });
  assert.doesNotMatch(redactor.text('quite-secret-value and another-secret'), /secret-value|another-secret/);
});

test('questions about code are answered by the editor', async () => {
  const { services } = servicesOf();
  const found = await services.code_navigation?.({ method: 'definitions', args: ['/project/a.ts', { line: 3, character: 0 }] });
  assert.deepEqual(found, [{ path: '/project/a.ts', range: { start: { line: 3, character: 0 }, end: { line: 3, character: 1 } } }]);
});
