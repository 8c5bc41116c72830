import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseDefaultAgent, fallbackAgent, type FoundAgent, suggestedAgent } from '../../src/core/index.js';
import { agentRows } from '../../src/extension/actions/pickers.js';

function found(id: string, path: string | undefined, command = `/opt/somewhere/deep/${id}`): FoundAgent {
  const definition = { id, label: id, command, args: ['--acp'], env: {}, protocol: 'acp' };
  return { definition, path, isFallback: id === fallbackAgent.id };
}
const missing = { ...found(suggestedAgent.id, undefined), installCommand: 'install it' };
const demo = found(fallbackAgent.id, '/usr/bin/node');
const own = found('mine', '/opt/mine');
const lost = found('lost', undefined);

test('installed agents come first, missing ones last, and no row shows a path', () => {
  const rows = agentRows([missing, demo, lost, own], (id) => (id === 'mine' ? '1.2.3' : undefined));
  assert.deepEqual(
    rows.map(({ id, state }) => [id, state]),
    [
      ['mine', 'found'],
      [fallbackAgent.id, 'found'],
      [suggestedAgent.id, 'missing'],
      ['lost', 'missing'],
    ],
  );
  assert.equal(rows[0]?.description, '1.2.3');
  assert.equal(rows[2]?.installCommand, 'install it');
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
    [{ id: 'far', label: 'Far', state: 'found', description: '2.0 · example.com:8080' }],
  );
  assert.equal(chooseDefaultAgent([missing, demo, server])?.definition.id, 'far');
});
