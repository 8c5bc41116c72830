import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import {
  addKnownAgent,
  builtinAgents,
  checkPrompt,
  chooseDefaultAgent,
  exampleCommandLine,
  fallbackAgent,
  findAgentOfCommand,
  findAgents,
  findKnownAgent,
  knownAgents,
  suggestedAgent,
  type FoundAgent,
} from '../../../src/core/index.js';
import { answerOf } from '../../../src/core/backends/acp/features/features.js';

const bundled = { command: process.execPath, args: ['bundle.js'], env: {} };
const definitions = builtinAgents(() => bundled);
const all = (missing: readonly string[] = []): readonly FoundAgent[] =>
  definitions.map((definition) => ({
    definition,
    path: missing.includes(definition.id) ? undefined : '/bin/agent',
    isFallback: definition.id === fallbackAgent.id,
  }));

test('no two known agents share an ID, a command or a section of the settings', () => {
  for (const member of [knownAgents.map(({ id }) => id), knownAgents.flatMap(({ settingsSection }) => settingsSection ?? [])])
    assert.equal(new Set(member).size, member.length);
  for (const { id, launch } of knownAgents)
    if (launch !== undefined && 'command' in launch) assert.equal(findAgentOfCommand(launch.command)?.id, id);
});

describe('the default agent', () => {
  test('is the first installed agent', () => assert.equal(chooseDefaultAgent(all())?.definition.id, suggestedAgent.id));
  test('is an installed agent rather than the fallback, whatever their order', () =>
    assert.equal(chooseDefaultAgent(all().toReversed())?.isFallback, false));
  test('is the fallback if no other agent is installed', () =>
    assert.equal(
      chooseDefaultAgent(all(definitions.map(({ id }) => id).filter((id) => id !== fallbackAgent.id)))?.definition.id,
      fallbackAgent.id,
    ));
  test('is undefined if no agent is found', () => assert.equal(chooseDefaultAgent(all(definitions.map(({ id }) => id))), undefined));
});

test('an agent is searched for in the PATH of its own environment', async () => {
  const definition = {
    ...bundled,
    id: 'x',
    label: 'X',
    protocol: 'acp',
    command: 'node',
    env: { PATH: path.dirname(process.execPath) },
  } as const;
  const [found] = await findAgents([definition], { env: { PATH: '' }, cwd: import.meta.dirname });
  assert.equal(path.basename(found?.path ?? ''), path.basename(process.execPath));
});

test('the agents of which the walkthrough speaks are known, and an adapter that is missing beside its program is told apart', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-path-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const program of ['claude', 'gemini', 'opencode']) await writeFile(path.join(folder, program), '#!/bin/sh\n', { mode: 0o755 });
  const found = await findAgents(definitions, { env: { PATH: folder }, cwd: folder });
  const stateOf = (id: string): string | undefined => {
    const agent = found.find(({ definition }) => definition.id === id);
    return agent && (agent.path !== undefined ? 'found' : agent.isAdapterMissing === true ? 'adapter missing' : 'missing');
  };
  assert.deepEqual(['claude-agent-acp', 'gemini-cli', 'codex-acp', 'opencode'].map(stateOf), [
    'adapter missing',
    'found',
    'missing',
    'found',
  ]);
  for (const id of ['claude-agent-acp', 'gemini-cli', 'codex-acp', 'opencode']) assert.ok(findKnownAgent(id)?.install, id);
});

test('the command that installs an agent is one that the machine has', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'acp-host-path-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const offered = async (): Promise<string | undefined> => {
    const found = await findAgents(definitions, { env: { PATH: folder }, cwd: folder });
    return found.find(({ definition }) => definition.id === suggestedAgent.id)?.installCommand;
  };
  const { label } = suggestedAgent;
  assert.equal(await offered(), `uv tool install ${label}`);
  // In the order of preference, the last first.
  for (const [program, command] of [
    ['pip3', 'pip3 install'],
    ['pip', 'pip install'],
    ['pipx', 'pipx install'],
    ['uv', 'uv tool install'],
  ] as const) {
    await writeFile(path.join(folder, program), '#!/bin/sh\n', { mode: 0o755 });
    assert.equal(await offered(), `${command} ${label}`);
  }
  await writeFile(path.join(folder, suggestedAgent.launch.command), '#!/bin/sh\n', { mode: 0o755 });
  assert.equal(await offered(), undefined);
});

test('the fallback agent is started as the front end specifies, and the example command line starts the suggested agent', () => {
  assert.deepEqual(definitions.find(({ id }) => id === fallbackAgent.id)?.args, bundled.args);
  assert.equal(exampleCommandLine.split(' ')[0], suggestedAgent.launch.command);
});

test('an unknown agent has no prompt check, and its command belongs to no agent', () => {
  assert.equal(checkPrompt({ name: 'unheard-of' }, [{ type: 'text', text: 'a'.repeat(100_000) }]), undefined);
  assert.equal(findAgentOfCommand('unheard-of'), undefined);
});

test('addKnownAgent registers an agent and its method for questions, and replaces an agent with the same ID', () => {
  const count = knownAgents.length;
  addKnownAgent({ id: 'guest', label: 'Guest', launch: { command: 'guest', args: [] } });
  assert.equal(findAgentOfCommand('guest')?.label, 'Guest');
  assert.equal(answerOf('_guest.example/ask_user'), undefined);
  addKnownAgent({ id: 'guest', label: 'Guest of honor', askUserMethod: '_guest.example/ask_user' });
  assert.deepEqual([findKnownAgent('guest')?.label, knownAgents.length], ['Guest of honor', count + 1]);
  assert.notEqual(answerOf('_guest.example/ask_user'), undefined);
  assert.equal(builtinAgents(() => bundled).length, definitions.length);
});
