/** An agent that is a server, above the seam: its name, and what is visible of its key. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AgentHostOptions, createAgentHost, HostError, type ServerDefinition } from '../../../src/core/index.js';
import { serverProtocol, parrotAgent } from '../../backends/addParrot.js';
import { temporaryFolder, text } from './launch.js';

const key = 'not-a-known-shape';
const agent: ServerDefinition = {
  id: 'far',
  label: 'Far',
  protocol: serverProtocol,
  url: 'ws://127.0.0.1:8080/parrot',
  key: { type: 'storage' },
};
const optionsFor = (cwd: string): Omit<AgentHostOptions, 'agent'> => ({
  cwd,
  clientInfo: { name: 'test', title: 'Test', version: '0' },
  terminalAuth: false,
});

test('the stored key is read for its URL at each connection, and is in no traffic, log or diagnostics', async (t) => {
  const asked: string[] = [];
  const logged: string[] = [];
  const note = (message: string, details?: unknown): void => void logged.push(`${message} ${JSON.stringify(details)}`);
  const host = createAgentHost({
    ...optionsFor(await temporaryFolder(t)),
    agent,
    readStoredKey: async (url) => {
      asked.push(url);
      return key;
    },
    log: { trace: note, debug: note, info: note, warn: note, error: note },
  });
  t.after(() => host.dispose());
  const session = await host.newSession();
  await session.prompt(text('key'));
  const { agent: described } = host.diagnostics();
  await host.stop();
  await host.start();
  await host.stop();
  assert.deepEqual(asked, [agent.url, agent.url]);
  assert.match(JSON.stringify(session.state.items), new RegExp(key), 'the agent said it, so that it did have it');
  assert.doesNotMatch(JSON.stringify([host.readTraffic(), host.diagnostics(), logged]), new RegExp(key));
  assert.deepEqual(described, { id: 'far', label: 'Far', protocol: serverProtocol, address: agent.url });
});

test('a server protocol requires a URL, a process protocol a command', async (t) => {
  const options = optionsFor(await temporaryFolder(t));
  for (const [definition, reason] of [
    [{ ...parrotAgent, protocol: serverProtocol }, 'protocol_needs_url'],
    [{ ...agent, protocol: 'acp' }, 'protocol_needs_command'],
  ] as const)
    assert.throws(
      () => createAgentHost({ ...options, agent: definition }),
      (thrown) => thrown instanceof HostError && thrown.code === 'usage' && thrown.params.reason === reason,
    );
});

test('arguments with a key are not in diagnostics', async (t) => {
  const args = [...parrotAgent.args, '--api-key', 'a1b2c3d4e5f6a7b8c9d0', '--password=hunter22'];
  const host = createAgentHost({ ...optionsFor(await temporaryFolder(t)), agent: { ...parrotAgent, args } });
  t.after(() => host.dispose());
  assert.match(host.diagnostics().agent.address, /parrot\.mjs/);
  assert.doesNotMatch(host.diagnostics().agent.address, /a1b2|hunter/);
});
