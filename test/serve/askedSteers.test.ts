/** Prompts for the running turn of an agent that asks for them, behind `acp-host serve`: they wait there, and are not lost with the turn. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { test, type TestContext } from 'node:test';
import { type ConversationClient, MODE_OPTION_ID } from '../../src/core/index.js';
import { cliProgram } from '../cli/programs.js';
import { heldIn, openFrontEnd, reached, returnedIn, run, said, text, unbrokenLines } from '../core/conversation/frontEnd.js';

async function steered(t: TestContext): Promise<ConversationClient> {
  const command = `"${process.execPath}" "${fileURLToPath(new URL('../agents/asksForSteers.mjs', import.meta.url))}"`;
  const definition = {
    id: 'served',
    label: 'Served',
    protocol: 'acp',
    command: process.execPath,
    args: [cliProgram, 'serve', '--command', command],
    env: {},
  };
  const [line] = unbrokenLines;
  const ports = { chooseAgent: () => Promise.resolve({ definition, isFallback: false, baseEnv: process.env }) };
  const conversation = await (await openFrontEnd(t, line ?? assert.fail(), { ports })).open();
  await run(conversation, { type: 'send', content: text('work') });
  await reached(conversation, (state) => said(state).includes('agent: begins work'));
  await run(conversation, { type: 'send', content: text('left'), delivery: 'steer' });
  await reached(conversation, ({ session }) => session?.queue.length === 1);
  return conversation;
}

test('one that the turn ends without becomes the next turn', async (t) => {
  const conversation = await steered(t);
  await run(conversation, { type: 'set_option', optionId: MODE_OPTION_ID, value: 'end' });
  await reached(conversation, (state) => said(state).at(-1) === 'agent: begins left');
  assert.deepEqual(said(conversation.state), ['user: work', 'agent: begins work', 'end ended', 'user: left', 'agent: begins left']);
});

test('one that waits when the user stops everything returns to the composer', async (t) => {
  const conversation = await steered(t);
  await run(conversation, { type: 'cancel', scope: 'everything' });
  await reached(conversation, ({ returned }) => returned.length > 0);
  assert.deepEqual(returnedIn(conversation.state), ['left']);
});

test('one that waits when the user stops only the turn becomes the next turn', async (t) => {
  const conversation = await steered(t);
  await run(conversation, { type: 'cancel', scope: 'turn' });
  await reached(conversation, (state) => said(state).at(-1) === 'agent: begins left' || heldIn(state).includes('unanswered'));
  assert.equal(said(conversation.state).at(-1), 'agent: begins left');
});
