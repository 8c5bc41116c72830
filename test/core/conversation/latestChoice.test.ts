/** The agent that the user chose last counts, even if the one that was chosen before it is found later. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { it } from 'node:test';
import type { AgentDefinition, ConversationPorts } from '../../../src/core/index.js';
import { openFrontEnd, overCuts, reached, run, said, say, settledTasks, text } from './frontEnd.js';

function definitionOf(id: string): AgentDefinition {
  const script = path.resolve(import.meta.dirname, '../../agents/obedient.mjs');
  return { id, label: id, command: process.execPath, args: [script], env: {}, protocol: 'acp' };
}

/** Looking up the first agent takes as long as the test wants, as when a login shell is asked. */
function slowToFind(): { readonly found: () => void; readonly ports: Partial<ConversationPorts> } {
  let found = (): void => {};
  const promise = new Promise<void>((resolve) => (found = resolve));
  const ports: Partial<ConversationPorts> = {
    peekAgent: (id = 'first') => Promise.resolve({ id, label: id, isFallback: false }),
    chooseAgent: async (id = 'first') => {
      if (id === 'first') await promise;
      return { definition: definitionOf(id), isFallback: false, baseEnv: process.env };
    },
  };
  return { found: () => found(), ports };
}

overCuts('an agent that is still being looked up', (line) => {
  it('if the user changes to another one, the next prompt goes to that', async (t) => {
    const { found, ports } = slowToFind();
    const frontEnd = await openFrontEnd(t, line, { ports });
    const conversation = await frontEnd.open();
    await run(conversation, { type: 'send', content: text('say one') });
    await reached(conversation, ({ outbox }) => outbox.length === 1);
    await run(conversation, { type: 'change_agent', agentId: 'second' });
    found();
    await settledTasks();
    await say(conversation, 'say two');
    assert.equal(said(conversation.state)[0], 'user: say two');
    assert.deepEqual([conversation.state.agent?.id, frontEnd.started.at(-1)], ['second', 'second']);
  });

  it('if the user changes to another one, that is shown', async (t) => {
    let found = (): void => {};
    const promise = new Promise<void>((resolve) => (found = resolve));
    const peekAgent: ConversationPorts['peekAgent'] = async (id = 'first') => {
      if (id === 'second') await promise;
      return { id, label: id, isFallback: false };
    };
    const frontEnd = await openFrontEnd(t, line, { ports: { peekAgent } });
    const conversation = await frontEnd.open();
    const slow = conversation.execute({ type: 'change_agent', agentId: 'second' });
    await run(conversation, { type: 'change_agent', agentId: 'third' });
    found();
    await slow;
    assert.equal(conversation.state.agent?.id, 'third');
  });
});
