/** A conversation whose agent forgot its session twice: which sessions are shown, and in which order, also by the next front end. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ConversationClient, ConversationState } from '../../../src/core/index.js';
import { forgetful, openFrontEnd, overCuts, reached, returnedIn, run, said, say, textIn } from './frontEnd.js';

const sessionsIn = ({ earlierSessions, session }: ConversationState) =>
  session === undefined ? earlierSessions : [...earlierSessions, session];

/** The user's prompts in each session, oldest first. */
const prompts = (state: ConversationState): readonly (readonly string[])[] =>
  sessionsIn(state).map(({ items }) =>
    items.flatMap((item) => (item.kind === 'message' && item.role === 'user' ? [textIn(item.content)] : [])),
  );

/** The agent is lost, forgets the session, and another one replaces it. */
async function replace(conversation: ConversationClient, how: 'continue_with_context' | 'start_fresh'): Promise<void> {
  await say(conversation, 'die 1');
  await reached(conversation, ({ blocker }) => blocker?.type === 'resume_refused');
  await run(conversation, { type: how, waiting: 'hold' });
}

const kinds = [
  { kind: 'IDs of their own', env: forgetful, ids: 3 },
  // A process of this agent counts its sessions from 1.
  { kind: 'the same ID', env: { OBEDIENT_FORGETS: '1' }, ids: 1 },
];

for (const { kind, env, ids } of kinds)
  overCuts(`a conversation of three sessions with ${kind}`, (line) => {
    it('the next front end shows all of them in order, and the last one goes on', async (t) => {
      const frontEnd = await openFrontEnd(t, line, { env });
      const conversation = await frontEnd.open();
      await say(conversation, 'say one');
      await replace(conversation, 'continue_with_context');
      await say(conversation, 'say two');
      await replace(conversation, 'start_fresh');
      await say(conversation, 'say three');
      const expected = [['say one', 'die 1'], ['say two', 'die 1'], ['say three']];
      assert.deepEqual(prompts(conversation.state), expected);
      assert.equal(new Set(sessionsIn(conversation.state).map(({ sessionId }) => sessionId)).size, ids);
      await frontEnd.reopen();
      const again = await frontEnd.open();
      assert.deepEqual(prompts(again.state), expected);
      assert.deepEqual(said(again.state), ['user: say three', 'agent: three', 'end ended']);
      await say(again, 'say more');
      assert.ok(again.state.blocker?.type === 'resume_refused');
      assert.equal(again.state.blocker.offer?.turns, 5);
    });

    it('a replacement without messages is still one for the next front end, and what is sent goes there', async (t) => {
      const frontEnd = await openFrontEnd(t, line, { env });
      const conversation = await frontEnd.open();
      await say(conversation, 'say one');
      await replace(conversation, 'start_fresh');
      await say(conversation, 'say two');
      await replace(conversation, 'continue_with_context');
      const before = [
        ['say one', 'die 1'],
        ['say two', 'die 1'],
      ];
      assert.deepEqual(prompts(conversation.state), [...before, []]);
      await frontEnd.reopen();
      const second = await frontEnd.open();
      assert.deepEqual([prompts(second.state), said(second.state), second.state.context?.turns], [before, [], 4]);
      await say(second, 'say three');
      assert.deepEqual([second.state.openedBy, second.state.blocker], ['replacement', undefined]);
      assert.deepEqual(prompts(second.state), [...before, ['say three']]);
      await frontEnd.reopen();
      assert.deepEqual(prompts((await frontEnd.open()).state), [...before, ['say three']]);
    });

    it('a session that was replaced stays replaced, even if what is saved was removed to free space', async (t) => {
      const frontEnd = await openFrontEnd(t, line, { env });
      const conversation = await frontEnd.open();
      await say(conversation, 'say one');
      await replace(conversation, 'start_fresh');
      await frontEnd.reopen();
      await frontEnd.journals.remove('one');
      const again = await frontEnd.open();
      await say(again, 'say two');
      assert.deepEqual([prompts(again.state), again.state.blocker], [[['say two']], undefined]);
    });

    it('the prompt of any turn can be edited', async (t) => {
      const frontEnd = await openFrontEnd(t, line, { env });
      const conversation = await frontEnd.open();
      await say(conversation, 'say one');
      await replace(conversation, 'start_fresh');
      await say(conversation, 'say two');
      await replace(conversation, 'start_fresh');
      await say(conversation, 'say three');
      await frontEnd.reopen();
      const again = await frontEnd.open();
      for (const { items } of sessionsIn(again.state)) {
        const end = items.find((item) => item.kind === 'turn_end');
        await run(again, { type: 'edit_turn', turnId: end?.kind === 'turn_end' ? end.turnId : '' });
      }
      assert.deepEqual(returnedIn(again.state), ['say one', 'say two', 'say three']);
    });
  });

overCuts('a replacement that is asked for again before it has messages', (line) => {
  it('it replaces the same session, also for the next front end', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { env: forgetful });
    const conversation = await frontEnd.open();
    await say(conversation, 'say one');
    await replace(conversation, 'start_fresh');
    await run(conversation, { type: 'start_fresh', waiting: 'hold' });
    await frontEnd.reopen();
    const again = await frontEnd.open();
    assert.deepEqual([prompts(again.state), said(again.state)], [[['say one', 'die 1']], []]);
    await say(again, 'say two');
    assert.deepEqual(prompts(again.state), [['say one', 'die 1'], ['say two']]);
  });
});
