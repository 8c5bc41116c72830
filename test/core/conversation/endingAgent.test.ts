/** What waits while the agent is being ended, and finishes its turn meanwhile. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isSettled } from '../../../src/core/index.js';
import { openFrontEnd, overCuts, reached, run, said, text, textIn } from './frontEnd.js';

const answered = ['user: finishAtEnd', 'agent: startedfinished', 'end ended', 'user: say later', 'agent: later', 'end ended'];
const turns = (entries: readonly string[]): readonly string[] => entries.filter((entry) => !entry.startsWith('notice'));

overCuts('a prompt that waits while the agent is being ended', (line) => {
  for (const who of ['this conversation', 'another conversation'])
    it(`it is sent to the next process when ${who} restarts the agent`, async (t) => {
      const frontEnd = await openFrontEnd(t, line);
      const [conversation, other] = [await frontEnd.open(), await frontEnd.open('two')];
      await run(other, { type: 'open' });
      await run(conversation, { type: 'send', content: text('finishAtEnd') });
      await run(conversation, { type: 'send', content: text('say later') });
      await reached(conversation, (state) => said(state).includes('agent: started'));
      await run(who === 'this conversation' ? conversation : other, { type: 'restart' });
      await reached(conversation, (state) => isSettled(state) && state.outbox.length === 0);
      assert.deepEqual(turns(said(conversation.state)), answered);
    });

  it('it is still there for the next front end when this one closes', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const conversation = await frontEnd.open();
    await run(conversation, { type: 'send', content: text('finishAtEnd') });
    await run(conversation, { type: 'send', content: text('say later') });
    await reached(conversation, (state) => said(state).includes('agent: started'));
    await frontEnd.reopen();
    const { state } = await frontEnd.open();
    assert.deepEqual(
      state.outbox.map(({ content, held }) => [textIn(content), held]),
      [['say later', 'engine_ended']],
    );
    assert.deepEqual(turns(said(state)), answered.slice(0, 3));
  });
});
