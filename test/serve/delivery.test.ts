/** Prompts for a turn that runs: an extension that is offered where the agent has it, and used by this program's own host. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { within } from '../real/deadline.js';
import { wire, type Wiring } from './wired.js';

const hanging: Wiring['turn'] = (_, { cancelled }) =>
  new Promise((resolve) => cancelled.addEventListener('abort', () => resolve({ stopReason: 'cancelled' })));
const meta = (delivery: string): object => ({ _meta: { 'acp-host': { delivery } } });
const prompt = (words: string): object => ({ sessionId: 'one', prompt: [{ type: 'text', text: words }] });

test('it is offered with the session, reaches the turn, and is answered once it is taken', async (t) => {
  const { request, updates, cancel } = await wire(t, { turn: hanging, backend: { deliveries: ['turn', 'steer', 'followUp'] } });
  const opened: { readonly _meta?: unknown } = await request('session/new', { cwd: '/', mcpServers: [] });
  assert.deepEqual(opened._meta, { 'acp-host': { deliveries: ['turn', 'steer', 'followUp'] } });
  const turn = request('session/prompt', prompt('go'));
  for (const delivery of ['steer', 'followUp'])
    assert.deepEqual(await request('session/prompt', { ...prompt('left'), ...meta(delivery) }), {
      stopReason: 'end_turn',
      ...meta(delivery),
    });
  const said = updates.map((update) =>
    update.sessionUpdate === 'user_message_chunk' && update.content.type === 'text' ? update.content.text : '',
  );
  assert.deepEqual(said, ['steer left', 'followUp left']);
  await assert.rejects(request('session/prompt', prompt('another turn')), { code: -32600 });
  cancel();
  assert.deepEqual(await within(turn, 'end'), { stopReason: 'cancelled' });
  await assert.rejects(request('session/prompt', { ...prompt('too late'), ...meta('steer') }), { code: -32602 });
});

test('it is neither offered nor taken where the agent has only turns', async (t) => {
  const { request, cancel, updates } = await wire(t, { turn: hanging });
  const opened: { readonly _meta?: unknown } = await request('session/new', { cwd: '/', mcpServers: [] });
  assert.equal(opened._meta, undefined);
  const turn = request('session/prompt', prompt('go'));
  await assert.rejects(request('session/prompt', { ...prompt('left'), ...meta('steer') }), { code: -32602 });
  cancel();
  await within(turn, 'end');
  assert.deepEqual(updates, []);
});
