/** Which prompts a decision of the user releases: those that it is about, and no others. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { ConversationClient } from '../../../src/core/index.js';
import { isWaiting, openFrontEnd, overCuts, reached, run, said, say, text, textIn } from './frontEnd.js';

const held = ({ state }: ConversationClient): readonly string[] =>
  state.outbox.map(({ content, held: why }) => `${textIn(content)} (${why ?? 'ready'})`);
const prompts = ({ state }: ConversationClient): readonly string[] => said(state).filter((line) => line.startsWith('user: '));

overCuts('prompts on hold', (line) => {
  it('a decision about one reason leaves those with another one', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const conversation = await frontEnd.open();
    await run(conversation, { type: 'send', content: text('die') });
    await run(conversation, { type: 'send', content: text('say behind') });
    await reached(conversation, ({ interrupted, status }) => interrupted !== undefined && status.state === 'ready');
    const why = { content: text('say left'), at: Date.now(), id: 'left', held: 'engine_ended' } as const;
    await frontEnd.reopen();
    const record = frontEnd.remembered() ?? assert.fail('nothing is remembered');
    frontEnd.remember({ ...record, outbox: [...record.outbox, why] });
    const again = await frontEnd.open();
    assert.deepEqual(held(again), ['say behind (turn_interrupted)', 'say left (engine_ended)']);
    await run(again, { type: 'release_held', why: 'engine_ended' });
    await reached(again, ({ outbox, session }) => outbox.length === 1 && session?.turn.type === 'idle');
    assert.deepEqual(held(again), ['say behind (turn_interrupted)']);
    assert.deepEqual(prompts(again).slice(-1), ['user: say left']);
  });

  const interrupt = async (t: TestContext): Promise<ConversationClient> => {
    const conversation = await (await openFrontEnd(t, line)).open();
    await say(conversation, 'say old');
    await run(conversation, { type: 'send', content: text('wait') });
    await run(conversation, { type: 'send', content: text('say behind') });
    await reached(conversation, isWaiting);
    await run(conversation, { type: 'force_stop' });
    await reached(conversation, ({ interrupted }) => interrupted !== undefined);
    return conversation;
  };
  const turns = ({ state }: ConversationClient): readonly string[] =>
    (state.session?.items ?? []).flatMap((item) => (item.kind === 'turn_end' ? [item.turnId] : []));

  it('resending an older turn leaves them', async (t) => {
    const conversation = await interrupt(t);
    await run(conversation, { type: 'retry_turn', turnId: turns(conversation)[0] ?? '' });
    await reached(conversation, ({ outbox, session }) => outbox.length === 1 && session?.turn.type === 'idle');
    assert.deepEqual(held(conversation), ['say behind (turn_interrupted)']);
    assert.deepEqual(prompts(conversation).slice(-2), ['user: wait', 'user: say old']);
  });

  it('resending the interrupted turn releases what was queued behind it', async (t) => {
    const conversation = await interrupt(t);
    await run(conversation, { type: 'retry_turn', turnId: turns(conversation)[1] ?? '' });
    await reached(conversation, isWaiting);
    await run(conversation, { type: 'cancel', scope: 'turn' });
    await reached(conversation, ({ outbox, session }) => outbox.length === 0 && session?.turn.type === 'idle');
    assert.deepEqual(prompts(conversation).slice(-2), ['user: wait', 'user: say behind']);
  });
});
