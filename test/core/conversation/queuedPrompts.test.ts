/** What the user can do with prompts that wait behind a turn: another order, and one at once. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ConversationClient, ConversationState } from '../../../src/core/index.js';
import { isWaiting, openFrontEnd, overEachLine, reached, run, said, settled, text, textIn } from './frontEnd.js';

const queuedIn = ({ outbox }: ConversationState): readonly string[] => outbox.map(({ content }) => textIn(content));

const queue = async (conversation: ConversationClient, ...prompts: readonly string[]): Promise<void> => {
  await run(conversation, { type: 'send', content: text('wait') });
  await reached(conversation, isWaiting);
  for (const id of prompts) await run(conversation, { type: 'send', id, content: text(`say ${id}`) });
};

overEachLine('queued prompts', (line) => {
  it('they can be sent in another order', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await queue(conversation, 'one', 'two', 'three');
    await run(conversation, { type: 'move_queued', promptId: 'three', before: 'one' });
    await run(conversation, { type: 'move_queued', promptId: 'one' });
    await run(conversation, { type: 'move_queued', promptId: 'two', before: 'two' });
    assert.deepEqual(queuedIn(conversation.state), ['say three', 'say two', 'say one']);
    assert.equal((await conversation.execute({ type: 'move_queued', promptId: 'none' })).ok, false);
    await settled(conversation, { type: 'cancel', scope: 'turn' });
    const answers = said(conversation.state).filter((line) => line.startsWith('agent: '));
    assert.deepEqual(answers.slice(-3), ['agent: three', 'agent: two', 'agent: one']);
  });

  it('one that is to be sent at once stops the turn and comes next; the others follow', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await queue(conversation, 'one', 'two');
    const turn = conversation.state.session?.turn;
    await settled(conversation, { type: 'send_queued', promptId: 'two', ...(turn?.type === 'running' && { turnId: turn.turnId }) });
    const answers = said(conversation.state).filter((line) => line.startsWith('agent: '));
    assert.deepEqual(answers.slice(-2), ['agent: two', 'agent: one']);
    assert.equal((await conversation.execute({ type: 'send_queued', promptId: 'two' })).ok, false);
  });

  it('one that is to be sent at once leaves a turn that began meanwhile, and comes next', async (t) => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await queue(conversation, 'one', 'two');
    await run(conversation, { type: 'send_queued', promptId: 'two', turnId: 'the turn before' });
    assert.deepEqual([conversation.state.session?.turn.type, queuedIn(conversation.state)], ['running', ['say two', 'say one']]);
    await settled(conversation, { type: 'cancel', scope: 'everything' });
  });

  it('it becomes part of the turn if that can be steered', async (t) => {
    const conversation = await (await openFrontEnd(t, line, { env: { OBEDIENT_QUEUES: '1' } })).open();
    await queue(conversation, 'one', 'two');
    await run(conversation, { type: 'send_queued', promptId: 'two' });
    await reached(conversation, (state) => said(state).includes('user: say two'));
    const { session, outbox } = conversation.state;
    const [first, ...others] = (session?.items ?? []).flatMap((item) => ('turnId' in item ? [item.turnId] : []));
    assert.ok(others.length > 0 && others.every((turn) => turn === first));
    assert.deepEqual([session?.turn.type, outbox.map(({ id }) => id)], ['running', ['one']]);
    await settled(conversation, { type: 'cancel', scope: 'everything' });
  });
});
