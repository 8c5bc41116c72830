/** The options of a session, from the point of view of a client. */
import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import {
  zNewSessionResponse,
  zSetSessionConfigOptionResponse,
} from '../../node_modules/@agentclientprotocol/sdk/dist/v1/schema/zod.gen.js';
import { MODE_OPTION_ID, type SessionOption } from '../../src/core/index.js';
import { wire, type Wired } from './wired.js';

const mode: SessionOption = {
  type: 'select',
  id: MODE_OPTION_ID,
  name: 'Mode',
  category: 'mode',
  currentValue: 'ask',
  choices: [
    { value: 'ask', name: 'Ask', description: 'Asks first' },
    { value: 'code', name: 'Code', hint: 'edits_without_asking' },
  ],
};
const fast: SessionOption = { type: 'boolean', id: 'fast', name: 'Fast', currentValue: false };

/** A client that gets updates: the response that opened its session has been sent. */
async function opened(t: TestContext, options: readonly SessionOption[]): Promise<Wired> {
  const wired = await wire(t, { backend: { options } });
  await wired.prompt('go');
  return wired;
}

/** Clients that support options ignore `modes`, and the others ignore the options. */
describe('a mode', () => {
  const asOption = (currentValue: string): SessionConfigOption => ({
    type: 'select',
    id: MODE_OPTION_ID,
    name: 'Mode',
    category: 'mode',
    currentValue,
    options: [
      { value: 'ask', name: 'Ask', description: 'Asks first' },
      { value: 'code', name: 'Code' },
    ],
  });

  test('is offered both in `modes` and as an option', async (t) => {
    const { request } = await wire(t, { backend: { options: [mode] } });
    const offer: { readonly modes: SessionModeState; readonly configOptions: unknown } = await request('session/new', {
      cwd: '/',
      mcpServers: [],
    });
    zNewSessionResponse.parse(offer);
    assert.equal(offer.modes.currentModeId, 'ask');
    assert.deepEqual(offer.configOptions, [asOption('ask')]);
  });

  for (const [how, method, params] of [
    ['in `modes`', 'session/set_mode', { modeId: 'code' }],
    ['as an option', 'session/set_config_option', { configId: MODE_OPTION_ID, value: 'code' }],
  ] as const)
    test(`that is set ${how} changes in both`, async (t) => {
      const { request, updates } = await opened(t, [mode, fast]);
      const answer: unknown = await request(method, { sessionId: 'one', ...params });
      if (method === 'session/set_config_option')
        assert.deepEqual(zSetSessionConfigOptionResponse.parse(answer).configOptions[0], asOption('code'));
      assert.deepEqual(updates[0], { sessionUpdate: 'current_mode_update', currentModeId: 'code' });
      const [, changed] = updates;
      assert.deepEqual(changed?.sessionUpdate === 'config_option_update' && changed.configOptions.map(({ id }) => id), [
        MODE_OPTION_ID,
        'fast',
      ]);
      assert.deepEqual(changed?.sessionUpdate === 'config_option_update' && changed.configOptions[0], asOption('code'));
    });

  test('stays among the options when another one changes', async (t) => {
    const { request, updates } = await opened(t, [mode, fast]);
    await request('session/set_config_option', { sessionId: 'one', configId: 'fast', value: 'on' });
    assert.deepEqual(
      updates.map((update) => update.sessionUpdate === 'config_option_update' && update.configOptions.map(({ id }) => id)),
      [[MODE_OPTION_ID, 'fast']],
    );
  });
});

for (const [method, params] of [
  ['session/set_mode', { modeId: 'code' }],
  ['session/set_config_option', { configId: MODE_OPTION_ID, value: 'code' }],
] as const)
  test(`${method} reaches the agent before a prompt that follows at once`, async (t) => {
    const { request, prompt, updates } = await wire(t, {
      backend: { options: [mode] },
      async turn(_, { sink }) {
        sink.event({ type: 'message', at: 0, role: 'agent', content: { type: 'text', text: 'hi' } });
        return { stopReason: 'end_turn' };
      },
    });
    await Promise.all([request(method, { sessionId: 'one', ...params }), prompt('go')]);
    assert.deepEqual(
      updates.map(({ sessionUpdate }) => sessionUpdate),
      ['current_mode_update', 'config_option_update', 'agent_message_chunk'],
    );
  });
