/** The chat page shows a parrot like every other agent: its own queue, its options, and its requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatViewSchema } from '../../src/contract/view.js';
import { statusFor } from '../../src/core/conversation/agentHandle.js';
import { type AgentHost, createAgentHost, emptyConversation, type Session } from '../../src/core/index.js';
import { promptView } from '../../src/extension/chat/promptView.js';
import { type ChatInput, chatDrawer } from '../../src/extension/chat/viewModel.js';
import { temporaryFolder, text, until } from '../core/host/launch.js';
import { nextRequest, within } from '../real/deadline.js';
import { parrotAgent } from './addParrot.js';

const { id, label } = parrotAgent;

function conversationOf(host: AgentHost, session: Session): ChatInput['conversation'] {
  const { state, live } = session;
  return {
    ...emptyConversation('one', state.cwd),
    agent: { id, label, isFallback: false },
    status: statusFor(host, [], state, live),
    info: host.info,
    session: state,
    live,
  };
}

test('a conversation with a parrot', async (t) => {
  const cwd = await temporaryFolder(t);
  const clientInfo = { name: 'test', title: 'Test', version: '0' };
  const host = createAgentHost({ agent: parrotAgent, cwd, clientInfo, terminalAuth: false });
  t.after(() => host.stop({ force: true }));
  const session = await host.newSession();
  const draw = chatDrawer();
  const drawn = () => {
    const { requests } = session.state;
    const prompts = requests.map((request) => promptView(request, { agent: label, cwd, outsideTurn: false, folder: undefined }));
    const input = { prompts, closed: undefined, chips: [], quietAfterMs: 60_000, now: Date.now() };
    return chatViewSchema.parse(draw({ conversation: conversationOf(host, session), ...input }).view);
  };

  const turn = session.prompt(text('ask'));
  const request = await nextRequest(session);
  const followUp = session.prompt(text('more words'), { delivery: 'followUp' });
  await until(session, ({ queue }) => queue.length === 1);
  const asking = drawn();
  assert.deepEqual(
    asking.queue.map((prompt) => prompt.text),
    ['more words'],
  );
  assert.deepEqual(
    asking.prompts.map((prompt) => [prompt.kind, prompt.agent, 'title' in prompt ? prompt.title : '']),
    [['confirm', 'Parrot', 'May I squawk?']],
  );
  assert.deepEqual(
    asking.composer.selectors.map(({ id: option, value, options, disabled }) => [option, value, options.map((one) => one.value), disabled]),
    [['mood', 'calm', ['calm', 'loud'], false]],
  );

  session.answer(request.id, { type: 'accept', values: {} });
  await within(Promise.all([turn, followUp]), 'end');
  const { queue, prompts, composer, items } = drawn();
  assert.deepEqual([queue, prompts, composer.busy, composer.selectors[0]?.disabled], [[], [], false, false]);
  assert.deepEqual(
    items.map(({ kind }) => kind),
    ['agent', 'user', 'agent', 'user', 'agent', 'turn_end'],
  );
});
