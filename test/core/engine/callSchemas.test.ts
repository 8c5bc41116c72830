/** What a front end of another version may ask. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { HostError } from '../../../src/core/index.js';
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
