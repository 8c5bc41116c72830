/** What a front end of another version may ask. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { it } from 'node:test';
import fc from 'fast-check';
import { HostError } from '../../../src/core/index.js';
import type { EngineCalls } from '../../../src/core/engine/contract.js';
import { parseCall } from '../../../src/core/engine/callSchemas.js';
import { openEngine, send } from '../store/engineLab.js';
import { openStoreLab } from '../store/storeLab.js';
import { say } from '../conversation/frontEnd.js';

const isUnsupported = (error: unknown): boolean => error instanceof HostError && error.code === 'unsupported';

it('what is not known is dropped, and what is wrong is refused', () => {
  const command = { type: 'send', content: [{ type: 'text', text: 'a', color: 'red' }], priority: 9 };
  assert.deepEqual(parseCall('execute', { id: 'c', command, later: true }), {
    id: 'c',
    command: { type: 'send', content: [{ type: 'text', text: 'a' }] },
  });
  for (const [method, params] of [
    ['execute', { id: 'c', command: { type: 'rewind', turns: 2 } }],
    ['execute', { id: 'c', command: { type: 'send', content: 'a' } }],
    ['execute', { id: 'c', command: { type: 'answer_request', requestId: 'r', answer: { type: 'always' } } }],
    ['execute', { command: { type: 'open' } }],
    ['open', undefined],
    ['attach', { program: 'browser', use: 'share' }],
  ] as const)
    assert.throws(() => parseCall(method, params), isUnsupported, JSON.stringify(params));
  for (const method of ['fork', 'toString', '__proto__']) assert.throws(() => parseCall(method as 'leave', {}), isUnsupported, method);
});

it('what a front end leaves open may be undefined: within one process, that is a member like others', () => {
  assert.doesNotThrow(() => parseCall('open', { id: 'c', cwd: '/workspace', agentId: undefined, session: undefined }));
});

it('the id of a conversation is a plain name, because it names files', () => {
  const command = send('x');
  const list = (type: string) => (id: string) => ({
    command: { type, id, title: 'x', isPinned: true, isArchived: true, leavesOut: true },
  });
  const calls: readonly (readonly [keyof EngineCalls, (id: string) => unknown])[] = [
    ['open', (id) => ({ cwd: '/workspace', id })],
    ['execute', (id) => ({ id, command })],
    ...(['release', 'end', 'stderr_line'] as const).map((method) => [method, (id: string) => ({ id })] as const),
    ['see', (id) => ({ ids: [id] })],
    ...['rename', 'pin', 'archive', 'leave_out_open_file', 'delete', 'restore'].map((type) => ['execute_list', list(type)] as const),
  ];
  const others = ['../x', '..', '/x', 'a/b', 'a\\b', 'C:', 'a.b', 'a\0', 'a\n', ' ', '', 'é', 'x'.repeat(1_000)];
  for (const [method, paramsFor] of calls) {
    for (const id of ['one', 'A_b-9', '6fd1c3a0-5b8e-4d7f-9a39-0c5f2a4b7e11'])
      assert.doesNotThrow(() => parseCall(method, paramsFor(id)), JSON.stringify(paramsFor(id)));
    for (const id of others)
      assert.throws(() => parseCall(method, paramsFor(id)), isUnsupported, `${method} ${JSON.stringify(paramsFor(id))}`);
  }
});

it('whatever a front end says, it is understood or refused, and never fails otherwise', () => {
  fc.assert(
    fc.property(fc.constantFrom('execute', 'execute_list', 'open', 'attach', 'remember_folder'), fc.jsonValue(), (method, params) => {
      try {
        parseCall(method as 'execute', params);
      } catch (error) {
        assert.ok(isUnsupported(error));
      }
    }),
  );
});

it('a conversation whose id is a path is refused, and nothing of it is saved', async (t) => {
  const lab = await openStoreLab(t);
  const { engine } = await openEngine(t, lab.state);
  const wire = engine.connect();
  t.after(() => wire.dispose());
  await wire.call('attach', { program: 'terminal', use: 'share' });
  const folder = dirname(lab.state);
  const before = await readdir(folder, { recursive: true });
  const id = '../x';
  await assert.rejects(wire.call('open', { cwd: lab.workspace, id }), isUnsupported);
  await assert.rejects(wire.call('execute', { id, command: { type: 'write_draft', text: 'half a thought' } }), isUnsupported);
  assert.deepEqual(await readdir(folder, { recursive: true }), before);
});

it('after a call that it does not understand, the engine goes on', async (t) => {
  const lab = await openStoreLab(t);
  const { engine, client } = await openEngine(t, lab.state);
  const wire = engine.connect();
  t.after(() => wire.dispose());
  await wire.call('attach', { program: 'terminal', use: 'share', colors: 16 });
  await assert.rejects(wire.call('fork', { id: 'one' }), isUnsupported);
  await assert.rejects(wire.call('execute', { id: 'one', command: { ...send('x'), type: 'whisper' } }), isUnsupported);
  await say(client.open({ cwd: lab.workspace, id: 'one' }), 'say it works');
});
