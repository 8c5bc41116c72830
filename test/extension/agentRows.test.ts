import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AgentElsewhere,
  type AvailableAgent,
  chooseDefaultAgent,
  type CatalogAgent,
  fallbackAgent,
  type FoundAgent,
  suggestedAgent,
} from '../../src/core/index.js';
import { agentRows as rowsOf } from '../../src/extension/actions/newConversation.js';

function found(id: string, path: string | undefined, command = `/opt/somewhere/deep/${id}`): FoundAgent {
  const definition = { id, label: id, command, args: ['--acp'], env: {}, protocol: 'acp' };
  return { definition, path, isFallback: id === fallbackAgent.id };
}
const agentRows = (
  agents: readonly CatalogAgent[],
  versionOf: (id: string) => string | undefined,
  available: readonly AvailableAgent[] = [],
  elsewhere: readonly AgentElsewhere[] = [],
) => rowsOf({ agents, available, elsewhere }, versionOf);
const missing = { ...found(suggestedAgent.id, undefined), installCommand: 'install it' };
const demo = found(fallbackAgent.id, '/usr/bin/node');
const own = found('mine', '/opt/mine');
const lost = found('lost', undefined);

test('installed agents come first, missing ones last, and no row shows a path', () => {
  const rows = agentRows([missing, demo, lost, own], (id) => (id === 'mine' ? '1.2.3' : undefined));
  assert.deepEqual(
    rows.map(({ id, state }) => [id, state]),
    [
      ['mine', 'ready'],
      [fallbackAgent.id, 'ready'],
      [suggestedAgent.id, 'missing'],
      ['lost', 'missing'],
    ],
  );
  assert.equal(rows[0]?.description, '1.2.3');
  assert.deepEqual(rows[2]?.wish, { does: 'show command', label: suggestedAgent.id, command: 'install it' });
  assert.match(rows[2]?.description ?? '', /Install…$/);
  for (const { label, description } of rows) assert.doesNotMatch(label + description, /[/]/);
});

test('a row of a missing adapter says so, and comes before the agents of which nothing is there', () => {
  const rows = agentRows(
    [missing, { ...found('claude-agent-acp', undefined, 'claude-agent-acp'), isAdapterMissing: true, installCommand: 'npm install' }, demo],
    () => undefined,
  );
  assert.deepEqual(
    rows.map(({ id, description }) => [id, description]),
    [
      [fallbackAgent.id, 'built in, without a model'],
      ['claude-agent-acp', 'installed, but claude-agent-acp is not · Install…'],
      [suggestedAgent.id, 'not installed · Install…'],
    ],
  );
});

test('an installed configured agent comes before the demo agent and after the preferred one', () => {
  assert.equal(chooseDefaultAgent([missing, demo, lost, own])?.definition.id, 'mine');
  assert.equal(chooseDefaultAgent([found(suggestedAgent.id, '/bin/it'), demo, own])?.definition.id, suggestedAgent.id);
  assert.equal(chooseDefaultAgent([missing, demo, lost])?.definition.id, fallbackAgent.id);
});

test('a server can be chosen without a check, and its row names only its host', () => {
  const definition = { id: 'far', label: 'Far', protocol: 'parrot-server', url: 'wss://example.com:8080/deep/path' };
  const server = { definition, path: undefined, isFallback: false };
  assert.deepEqual(
    agentRows([server], () => '2.0'),
    [{ id: 'far', label: 'Far', state: 'ready', description: '2.0 · example.com:8080', wish: { does: 'use', id: 'far' } }],
  );
  assert.equal(chooseDefaultAgent([missing, demo, server])?.definition.id, 'far');
});

test('agents that can be installed come after those that are ready, and take the place of missing ones', () => {
  const way = { type: 'npm', name: 'x', version: '2.0.0', args: [], env: {} } as const;
  const entry = { id: 'claude-acp', name: 'Claude', version: '2.0.0', description: 'Writes code', license: 'MIT', ways: [way] };
  const claude = { ...found('claude-agent-acp', undefined), isAdapterMissing: true };
  const available: readonly AvailableAgent[] = [
    { id: 'other', label: 'Other', entry: { ...entry, id: 'other', quarantine: 'Times out' }, way, needs: 'npm' },
    { id: 'claude-agent-acp', label: 'Claude Code', entry, way, isAdapterMissing: true },
  ];
  const rows = agentRows([claude, lost, own, demo], () => undefined, available);
  assert.deepEqual(
    rows.map(({ id, state, description, detail }) => [id, state, description, detail]),
    [
      ['mine', 'ready', '', undefined],
      [fallbackAgent.id, 'ready', 'built in, without a model', undefined],
      ['claude-agent-acp', 'available', '2.0.0 · npm · MIT · ACP adapter of Claude Code, which is installed', 'Writes code'],
      ['other', 'available', '2.0.0 · npm · MIT · needs Node.js · in quarantine: Times out', 'Writes code'],
      ['lost', 'missing', 'lost was not found · Open Settings…', undefined],
    ],
  );
});
