import assert from 'node:assert/strict';
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

test('ids, commands and sections of settings belong to one agent each', () => {
  for (const member of [knownAgents.map(({ id }) => id), knownAgents.flatMap(({ settingsSection }) => settingsSection ?? [])])
    assert.equal(new Set(member).size, member.length);
  for (const { id, launch } of knownAgents)
    if (launch !== undefined && 'command' in launch) assert.equal(findAgentOfCommand(launch.command)?.id, id);
});

describe('the default agent', () => {
  test('is the first that is installed', () => assert.equal(chooseDefaultAgent(all())?.definition.id, suggestedAgent.id));
  test('is one that somebody chose to install rather than the fallback, wherever that stands', () =>
    assert.equal(chooseDefaultAgent(all().toReversed())?.isFallback, false));
  test('is the fallback where no other one is installed', () =>
    assert.equal(
      chooseDefaultAgent(all(definitions.map(({ id }) => id).filter((id) => id !== fallbackAgent.id)))?.definition.id,
      fallbackAgent.id,
    ));
  test('is none where none was found', () => assert.equal(chooseDefaultAgent(all(definitions.map(({ id }) => id))), undefined));
});

test('an agent is found where its own environment says', async () => {
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

test('what ships with a front end is started as the front end says', () => {
  assert.deepEqual(definitions.find(({ id }) => id === fallbackAgent.id)?.args, bundled.args);
  assert.equal(exampleCommandLine.split(' ')[0], suggestedAgent.launch.command);
});

test('nothing is known of an agent that nobody has heard of', () => {
  assert.equal(checkPrompt({ name: 'unheard-of' }, [{ type: 'text', text: 'a'.repeat(100_000) }]), undefined);
  assert.equal(findAgentOfCommand('unheard-of'), undefined);
});

test('an agent that a program adds is known from then on, its own question too; one with its id takes its place', () => {
  const count = knownAgents.length;
  addKnownAgent({ id: 'guest', label: 'Guest', launch: { command: 'guest', args: [] } });
  assert.equal(findAgentOfCommand('guest')?.label, 'Guest');
  assert.equal(answerOf('_guest.example/ask_user'), undefined);
  addKnownAgent({ id: 'guest', label: 'Guest of honor', askUserMethod: '_guest.example/ask_user' });
  assert.deepEqual([findKnownAgent('guest')?.label, knownAgents.length], ['Guest of honor', count + 1]);
  assert.notEqual(answerOf('_guest.example/ask_user'), undefined);
  assert.equal(builtinAgents(() => bundled).length, definitions.length);
});
