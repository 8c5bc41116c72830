/** Prompts for a running turn: an extension of ACP that `acp-host serve` offers if the agent supports it. The project's own host uses it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { within } from '../real/deadline.js';
import { wire, type Wiring } from './wired.js';

const hanging: Wiring['turn'] = (_, { cancelled }) =>
  new Promise((resolve) => cancelled.addEventListener('abort', () => resolve({ stopReason: 'cancelled' })));
const meta = (delivery: string): object => ({ _meta: { 'acp-host': { delivery } } });
const says = (words: string): object => ({ sessionId: 'one', prompt: [{ type: 'text', text: words }] });

test('a new session offers the deliveries of its agent; a prompt with one reaches the running turn and is answered once it is accepted', async (t) => {
  const { request, updates, cancel } = await wire(t, { turn: hanging, backend: { deliveries: ['turn', 'steer', 'followUp'] } });
  const opened: { readonly _meta?: unknown } = await request('session/new', { cwd: '/', mcpServers: [] });
  assert.deepEqual(opened._meta, { 'acp-host': { deliveries: ['turn', 'steer', 'followUp'] } });
  const turn = request('session/prompt', says('go'));
  for (const delivery of ['steer', 'followUp'])
    assert.deepEqual(await request('session/prompt', { ...says('left'), ...meta(delivery) }), {
      stopReason: 'end_turn',
      ...meta(delivery),
    });
  const said = updates.map((update) =>
    update.sessionUpdate === 'user_message_chunk' && update.content.type === 'text' ? update.content.text : '',
  );
  assert.deepEqual(said, ['steer left', 'followUp left']);
  await assert.rejects(request('session/prompt', says('another turn')), { code: -32600 });
  cancel();
  assert.deepEqual(await within(turn, 'end'), { stopReason: 'cancelled' });
  await assert.rejects(request('session/prompt', { ...says('too late'), ...meta('steer') }), { code: -32602 });
});

test('what becomes of a prompt for a running turn is reported with the id that the client gave it', async (t) => {
  const { request, updates, cancel } = await wire(t, { turn: hanging, backend: { deliveries: ['turn', 'steer'] } });
  await request('session/new', { cwd: '/', mcpServers: [] });
  const turn = request('session/prompt', says('go'));
  await request('session/prompt', { ...says('left'), _meta: { 'acp-host': { delivery: 'steer', promptId: 'mine' } } });
  assert.deepEqual(updates[0]?._meta, { 'acp-host': { promptId: 'mine' } });
  cancel();
  await within(turn, 'end');
});

test('an agent that only supports turns offers no deliveries, and a prompt with one is rejected', async (t) => {
  const { request, cancel, updates } = await wire(t, { turn: hanging });
  const opened: { readonly _meta?: unknown } = await request('session/new', { cwd: '/', mcpServers: [] });
  assert.equal(opened._meta, undefined);
  const turn = request('session/prompt', says('go'));
  await assert.rejects(request('session/prompt', { ...says('left'), ...meta('steer') }), { code: -32602 });
  cancel();
  await within(turn, 'end');
  assert.deepEqual(updates, []);
});

test('the client gets the whole queue of the agent, in order, after each change', async (t) => {
  const prompt = (id: string, ...words: readonly string[]) => ({
    id,
    at: 0,
    content: words.map((text) => ({ type: 'text' as const, text })),
  });
  const { request, updates } = await wire(t, {
    async turn(_, { sink }) {
      sink.event({ type: 'queued', at: 0, prompt: prompt('q1', 'one') });
      sink.event({
        type: 'queued',
        at: 0,
        prompt: {
          ...prompt('q2', 'see'),
          content: [
            { type: 'text', text: 'see' },
            { type: 'image', data: '', mimeType: 'image/png' },
          ],
        },
      });
      sink.event({ type: 'unqueued', at: 0, promptId: 'q1' });
      sink.event({ type: 'unqueued', at: 0, promptId: 'q2' });
      return { stopReason: 'end_turn' };
    },
  });
  await request('session/prompt', says('go'));
  const [one, both] = [
    { id: 'q1', text: 'one' },
    { id: 'q2', text: 'see\n[image]' },
  ];
  assert.deepEqual(
    updates,
    [[one], [one, both], [both], []].map((queue) => ({ sessionUpdate: 'session_info_update', _meta: { 'acp-host': { queue } } })),
  );
});
