/** What the user decided about servers: by origin, with keys in the secret storage, and how it affects an agent that is started. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  agentSummary,
  defaultDeadlines,
  defaultJournalLimits,
  type HostErrorData,
  Redactor,
  type ServerDefinition,
} from '../../src/core/index.js';
import { errorView } from '../../src/extension/advice/advice.js';
import { type AgentSources, startableAgent } from '../../src/extension/agent/agentChoice.js';
import { createServerKeys, createServerTrust, type ServerTrust } from '../../src/extension/window/secrets.js';
import type { Settings } from '../../src/extension/window/settings.js';

const url = 'wss://example.com:8443/ws';
const pin = `sha256/${'A'.repeat(43)}=`;
const server: ServerDefinition = { id: 'far', label: 'Far', protocol: 'agent-service', url, key: { type: 'storage' } };

function memory() {
  const secrets = new Map<string, string>();
  const state = new Map<string, unknown>();
  const redactor = new Redactor();
  const storage = {
    get: async (name: string) => secrets.get(name),
    store: async (name: string, value: string) => void secrets.set(name, value),
    delete: async (name: string) => void secrets.delete(name),
  };
  const memento = {
    get: (name: string) => state.get(name) as never,
    update: async (name: string, value: unknown) => void state.set(name, value),
  };
  const trust = createServerTrust(createServerKeys(storage, redactor), memento);
  return { trust, secrets, state, redactor };
}

const started = async (definition: ServerDefinition, servers: ServerTrust): Promise<unknown> => {
  const settings: Settings = {
    agents: new Map([['far', definition]]),
    mcpServers: {},
    defaultAgent: 'far',
    registryUrl: '',
    agentSettings: new Map(),
    defaultMode: '',
    requestsOutOfSight: 'panel',
    notifyWhenDone: 'never',
    startWhenComposing: true,
    saveFilesBeforePrompt: 'save',
    showsChangeLenses: true,
    deadlines: defaultDeadlines,
    requestDeadlines: { permissionMs: 0, questionMs: 0 },
    quietAfterMs: 1,
    journalLimits: defaultJournalLimits,
    recording: { limitBytes: 1, exclude: [] },
    engineLocation: 'process',
    keepAliveMs: 0,
  };
  const sources: AgentSources = {
    settings: () => settings,
    servers,
    apiKeys: { read: async () => undefined, write: async () => {}, remove: async () => {} },
    folderServers: { allowedIn: async () => ({ servers: [], problems: [], secretValues: [] }), chooseAgain: async () => 'none' },
    bundleFolder: '/',
    stateFolder: '/nowhere',
    clientInfo: { name: 'test', title: 'Test', version: '1' },
    chosenId: () => undefined,
    baseEnv: async () => ({}),
    knownEnv: () => ({}),
  };
  return (await startableAgent(sources, '/', undefined)).definition;
};

test('a key is stored by origin, and never logged', async () => {
  const { trust, secrets, state, redactor } = memory();
  await trust.keys.write(url, 'not-a-known-shape');
  assert.deepEqual([...secrets], [['acpHost.apiKey.wss://example.com:8443', 'not-a-known-shape']]);
  assert.equal(await trust.keys.read('wss://example.com:8443/other'), 'not-a-known-shape');
  for (const other of ['ws://example.com:8443/ws', 'wss://example.com/ws', 'wss://example.org:8443/ws'])
    assert.equal(await trust.keys.read(other), undefined);
  assert.equal(redactor.text('it is not-a-known-shape'), 'it is [redacted]');
  assert.equal(state.size, 0);
  await trust.keys.remove(url);
  assert.equal(secrets.size, 0);
});

test('a trusted certificate is pinned when the agent starts, unless the settings have another pin', async () => {
  const { trust } = memory();
  assert.deepEqual(await started(server, trust), server);
  await trust.pin(url, pin);
  assert.deepEqual(await started(server, trust), { ...server, pin });
  const own = `sha256/${'B'.repeat(43)}=`;
  assert.deepEqual(await started({ ...server, pin: own }, trust), { ...server, pin: own });
});

test('consent to an unencrypted connection applies to one origin', async () => {
  const { trust } = memory();
  const plain = { ...server, url: 'ws://far.example/ws' };
  await trust.allowPlain(plain.url);
  assert.deepEqual(await started(plain, trust), { ...plain, isPlainAllowed: true });
  const near = { ...server, url: 'ws://near.example/ws' };
  assert.deepEqual(await started(near, trust), near);
});

test('a server without a key or without encryption is shown as such, with its name', () => {
  const summary = (definition: ServerDefinition) => agentSummary({ definition, isFallback: false }).caveat;
  assert.equal(summary(server), undefined);
  assert.equal(summary({ ...server, url: 'ws://127.0.0.1:1/' }), undefined);
  assert.equal(summary({ ...server, url: 'ws://far.example/' }), 'unencrypted');
  assert.equal(summary({ ...server, protocol: 'agent-cli', url: 'ws://127.0.0.1:1/' }), 'unauthenticated');
});

test("for a failure that the user's consent resolves, that consent is offered first", () => {
  for (const reason of ['certificate_untrusted', 'pin_mismatch', 'plain_text'] as const)
    assert.equal(errorView({ code: 'connect_failed', params: { reason, url } }, 'Far').buttons[0]?.action, 'trustServer');
  assert.notEqual(errorView({ code: 'connect_failed', params: { reason: 'unreachable', url } }, 'Far').buttons[0]?.action, 'trustServer');
  assert.equal(errorView({ code: 'key_refused', params: { reason: 'closed', url } }, 'Far').buttons[0]?.action, 'setApiKey');
});

test('a key that is not set is required, and certificate texts contain no codes', () => {
  const titleOf = (params: HostErrorData['params']) => errorView({ code: 'key_refused', params }, 'Far').title;
  assert.equal(titleOf({ reason: 'missing', status: 401 }), 'Far requires a key');
  assert.equal(titleOf({ reason: 'status', status: 401 }), 'Far refused the key');
  const pin = 'sha256/aaaa';
  for (const reason of ['certificate_untrusted', 'pin_mismatch'] as const) {
    const { text } = errorView(
      { code: 'connect_failed', params: { reason, url, pin, expected: pin, detail: 'self-signed certificate' } },
      'Far',
    );
    assert.doesNotMatch(text, /sha256|pin/);
  }
});
