/** What waits in an agent's own queue when that agent is lost, or its session is left. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  type ConversationClient,
  type ConversationCommand,
  type ConversationState,
  MODE_OPTION_ID,
  selectOption,
} from '../../../src/core/index.js';
import { isWaiting, openFrontEnd, overCuts, reached, returnedIn, run, said, say, settled, text, textIn } from './frontEnd.js';

const heldIn = ({ outbox }: ConversationState): readonly (readonly [string, string | undefined])[] =>
  outbox.map(({ content, held }) => [textIn(content), held]);

overCuts('prompts in the queue of an agent', (line) => {
  const options = { env: { OBEDIENT_QUEUES: '1', OBEDIENT_UNIQUE_IDS: '1' } };

  it('they are held in order when the agent is lost, and removed from its queue', async (t) => {
    const frontEnd = await openFrontEnd(t, line, options);
    const conversation = await frontEnd.open();
    await run(conversation, { type: 'send', content: text('wait') });
    await reached(conversation, isWaiting);
    const picture = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const;
    await run(conversation, { type: 'send', content: [picture, ...text('say one')], delivery: 'followUp' });
    await run(conversation, { type: 'send', content: text('say two'), delivery: 'followUp' });
    await run(conversation, { type: 'send', content: text('say three') });
    await reached(conversation, ({ session }) => session?.queue.length === 2);
    await run(conversation, { type: 'force_stop' });
    await reached(conversation, (state) => said(state).at(-1) === 'end interrupted' && state.outbox.length === 3);
    const why = 'turn_interrupted';
    assert.deepEqual(heldIn(conversation.state), [
      ['say one', why],
      ['say two', why],
      ['say three', why],
    ]);
    assert.deepEqual(conversation.state.outbox[0]?.content, [picture, ...text('say one')]);
    assert.deepEqual(conversation.state.session?.queue, []);
  });

  /** One waits in the queue of the agent, and one behind the turn. */
  const queueTwo = async (conversation: ConversationClient): Promise<void> => {
    await run(conversation, { type: 'send', content: text('wait') });
    await reached(conversation, isWaiting);
    await run(conversation, { type: 'send', content: text('say one'), delivery: 'followUp' });
    await reached(conversation, ({ session }) => session?.queue.length === 1);
    await run(conversation, { type: 'send', content: text('say two') });
  };

  it('they are held in order when the user restarts the agent', async (t) => {
    const conversation = await (await openFrontEnd(t, line, options)).open();
    await queueTwo(conversation);
    await run(conversation, { type: 'restart' });
    assert.equal(conversation.state.live, true);
    assert.deepEqual(heldIn(conversation.state), [
      ['say one', 'turn_interrupted'],
      ['say two', 'turn_interrupted'],
    ]);
    assert.deepEqual(conversation.state.session?.queue, []);
  });

  it('they wait for the user when the conversation is closed and opened again while another one keeps the agent', async (t) => {
    const frontEnd = await openFrontEnd(t, line, options);
    const other = await frontEnd.open('two');
    await say(other, 'say other');
    await queueTwo(await frontEnd.open());
    await frontEnd.conversations.close('one');
    const conversation = await frontEnd.open();
    const words = (): readonly string[] => heldIn(conversation.state).map(([prompt]) => prompt);
    assert.deepEqual(words(), ['say one', 'say two']);
    await settled(conversation, { type: 'open' });
    assert.deepEqual([words(), conversation.state.session?.queue], [['say one', 'say two'], []]);
    await settled(conversation, { type: 'release_held' });
    assert.deepEqual(said(conversation.state).slice(-6), [
      ...['user: say one', 'agent: one', 'end ended'],
      ...['user: say two', 'agent: two', 'end ended'],
    ]);
    assert.equal(frontEnd.started.length, 1);
  });

  it('one that is part of the turn is not saved as waiting', async (t) => {
    const frontEnd = await openFrontEnd(t, line, options);
    const conversation = await frontEnd.open();
    await run(conversation, { type: 'send', content: text('wait') });
    await reached(conversation, isWaiting);
    await run(conversation, { type: 'send', content: text('faster'), delivery: 'steer' });
    await run(conversation, { type: 'send', content: text('faster'), delivery: 'followUp' });
    await reached(conversation, (state) => said(state).includes('user: faster') && state.session?.queue.length === 1);
    assert.deepEqual(
      (frontEnd.remembered()?.outbox ?? []).map(({ content }) => textIn(content)),
      ['faster'],
    );
    await frontEnd.reopen();
    assert.deepEqual(
      heldIn((await frontEnd.open()).state).map(([words]) => words),
      ['faster'],
    );
  });

  it('one that reaches the turn while a permission is open leaves that open, and its answer counts', async (t) => {
    const conversation = await (await openFrontEnd(t, line, options)).open();
    await run(conversation, { type: 'send', content: text('ask') });
    await reached(conversation, ({ status }) => status.state === 'waiting');
    const requestId = conversation.state.session?.requests[0]?.id ?? assert.fail('no request');
    await run(conversation, { type: 'send', content: text('faster'), delivery: 'steer' });
    await reached(conversation, (state) => said(state).includes('user: faster'));
    assert.deepEqual([conversation.state.session?.requests.map(({ id }) => id), conversation.state.status.state], [[requestId], 'waiting']);
    await settled(conversation, { type: 'answer_request', requestId, answer: selectOption('yes') });
    assert.deepEqual(said(conversation.state), ['user: ask', 'tool', 'user: faster', 'agent: yes', 'end ended']);
  });

  it('one for a turn that is being stopped becomes a turn of its own', async (t) => {
    const conversation = await (await openFrontEnd(t, line, options)).open();
    await run(conversation, { type: 'send', content: text('stopSlowly') });
    await reached(conversation, (state) => said(state).includes('agent: started'));
    await run(conversation, { type: 'cancel', scope: 'turn' });
    await run(conversation, { type: 'send', content: text('say next'), delivery: 'steer' });
    await settled(conversation, { type: 'set_option', optionId: MODE_OPTION_ID, value: 'free' });
    const isTurn = (entry: string): boolean => !entry.startsWith('notice');
    assert.deepEqual(said(conversation.state).filter(isTurn), [
      ...['user: stopSlowly', 'agent: started', 'end ended'],
      ...['user: say next', 'agent: next', 'end ended'],
    ]);
  });

  it('one that the agent does not take before the user stops everything is not sent later', async (t) => {
    const conversation = await (await openFrontEnd(t, line, options)).open();
    await run(conversation, { type: 'open' });
    const commands: readonly ConversationCommand[] = [
      { type: 'send', content: text('wait') },
      { type: 'send', content: text('say one'), delivery: 'followUp' },
      { type: 'cancel', scope: 'everything' },
    ];
    await Promise.all(commands.map((command) => run(conversation, command)));
    await reached(conversation, (state) => state.returned.length > 0 || said(state).includes('user: say one'));
    await settled(conversation, { type: 'open' });
    assert.deepEqual([returnedIn(conversation.state), conversation.state.outbox], [['say one'], []]);
    assert.ok(!said(conversation.state).includes('user: say one'));
  });

  it('they are available to the next front end after this one was killed', async (t) => {
    const frontEnd = await openFrontEnd(t, line, options);
    const conversation = await frontEnd.open();
    await run(conversation, { type: 'send', content: text('wait') });
    await reached(conversation, isWaiting);
    await run(conversation, { type: 'send', content: text('say one'), delivery: 'followUp' });
    assert.deepEqual(
      (frontEnd.remembered()?.outbox ?? []).map(({ content }) => textIn(content)),
      ['say one'],
    );
    await reached(conversation, ({ session }) => session?.queue.length === 1);
    assert.deepEqual(
      (frontEnd.remembered()?.outbox ?? []).map(({ content }) => textIn(content)),
      ['say one'],
    );
    await frontEnd.reopen();
    assert.deepEqual(
      heldIn((await frontEnd.open()).state).map(([words]) => words),
      ['say one'],
    );
  });
});
