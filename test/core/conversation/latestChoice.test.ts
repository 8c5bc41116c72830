/** What the user chose last counts, even if something that was chosen before it is found later. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { AgentDefinition, ConversationPorts } from '../../../src/core/index.js';
import { createJournalStore, nullLogger, readSessionHistory, Redactor } from '../../../src/core/index.js';
import { keyOf, type Line, openFrontEnd, overEachLine, reached, run, said, say, settledTasks, text } from './frontEnd.js';

function definitionOf(id: string): AgentDefinition {
  const script = path.resolve(import.meta.dirname, '../../agents/obedient.mjs');
  return { id, label: id, command: process.execPath, args: [script], env: {}, protocol: 'acp' };
}

/** A promise that is resolved by the test. */
function held(): { readonly promise: Promise<void>; readonly release: () => void } {
  let release = (): void => {};
  const promise = new Promise<void>((resolve) => (release = resolve));
  return { promise, release: () => release() };
}

/** Looking up the first agent takes as long as the test wants, as when a login shell is asked. */
function slowToFind(): { readonly found: () => void; readonly ports: Partial<ConversationPorts> } {
  const { promise, release } = held();
  const ports: Partial<ConversationPorts> = {
    peekAgent: (id = 'first') => Promise.resolve({ id, label: id, isFallback: false }),
    chooseAgent: async (id = 'first') => {
      if (id === 'first') await promise;
      return { definition: definitionOf(id), isFallback: false, baseEnv: process.env };
    },
  };
  return { found: release, ports };
}

overEachLine('an agent that is still being looked up', (line) => {
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

  it('if the user opens an earlier conversation of another one, that continues it', async (t) => {
    const { found, ports } = slowToFind();
    const frontEnd = await openFrontEnd(t, line, { ports });
    const other = await frontEnd.open('two');
    await run(other, { type: 'change_agent', agentId: 'second' });
    await say(other, 'say two');
    const key = keyOf(other);
    await frontEnd.reopen();
    const conversation = await frontEnd.open();
    await run(conversation, { type: 'send', content: text('say one') });
    await run(conversation, { type: 'open_earlier', key: { ...key, agentId: 'second' } });
    found();
    await settledTasks();
    await say(conversation, 'say three');
    assert.deepEqual([conversation.state.blocker, frontEnd.started.at(-1), conversation.state.agent?.id], [undefined, 'second', 'second']);
  });
});

describe('an earlier conversation that takes long to read', () => {
  const open = async (t: TestContext, line: Line) => {
    const { promise, release } = held();
    const slow = { id: '', folder: '' };
    const ports: Partial<ConversationPorts> = {
      async readSaved({ agentId, sessionId, createdAt }) {
        const journals = createJournalStore({ directory: slow.folder, redactor: new Redactor(), log: nullLogger });
        const sessions = await readSessionHistory(journals, agentId, sessionId, { createdAt });
        if (sessionId === slow.id) await promise;
        return sessions;
      },
    };
    const frontEnd = await openFrontEnd(t, line, { env: { OBEDIENT_UNIQUE_IDS: '1' }, ports });
    slow.folder = path.join(frontEnd.folder, 'saved');
    const before = await frontEnd.open();
    await say(before, 'say long');
    const long = keyOf(before);
    await run(before, { type: 'new_session' });
    await say(before, 'say short');
    const short = keyOf(before);
    await frontEnd.reopen();
    const conversation = await frontEnd.open('two');
    slow.id = long.sessionId;
    const reading = conversation.execute({ type: 'open_earlier', key: long });
    return { conversation, short, isRead: () => (release(), reading) };
  };

  overEachLine('the next choice of the user', (line) => {
    it('another earlier conversation stays on screen', async (t) => {
      const { conversation, short, isRead } = await open(t, line);
      await run(conversation, { type: 'open_earlier', key: short });
      assert.equal(said(conversation.state)[0], 'user: say short');
      await isRead();
      assert.equal(said(conversation.state)[0], 'user: say short');
    });

    it('a prompt for a new conversation is sent to that', async (t) => {
      const { conversation, isRead } = await open(t, line);
      await run(conversation, { type: 'new_session' });
      const sent = say(conversation, 'say new');
      await isRead();
      await sent;
      assert.equal(said(conversation.state)[0], 'user: say new');
    });
  });
});
