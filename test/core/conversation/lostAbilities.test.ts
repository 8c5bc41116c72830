/** An agent that comes back with fewer abilities, as after an update. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openFrontEnd, overCuts, reached, run, said, say, settled, text } from './frontEnd.js';

const picture = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const;

overCuts('an agent that can do less after it was restarted', (line) => {
  it('gets what it still takes, and the rest is said', async (t) => {
    const conversation = await (await openFrontEnd(t, line, { agent: 'losesAbilities' })).open();
    await run(conversation, { type: 'send', content: [picture, ...text('look')] });
    await reached(conversation, (state) => said(state).includes('agent: image text'));
    assert.deepEqual(conversation.state.whileRunning.deliveries, ['steer']);
    await run(conversation, { type: 'send', content: text('die') });
    await reached(conversation, ({ live, status, session }) => live && status.state === 'ready' && session?.turn.type === 'idle');
    await settled(conversation, { type: 'open' });
    assert.deepEqual(conversation.state.whileRunning.deliveries, []);
    await say(conversation, 'hello');
    assert.deepEqual(said(conversation.state).slice(-3), ['user: hello', 'agent: text', 'end ended']);
    await settled(conversation, { type: 'send', content: [picture, ...text('look again')] });
    assert.equal(said(conversation.state).at(-1), 'end failed');
    const end = conversation.state.session?.items.at(-1);
    assert.ok(end?.kind === 'turn_end' && end.outcome.type === 'failed');
    assert.deepEqual([end.outcome.error.code, end.outcome.error.params.reason], ['unsupported', 'prompt_content']);
  });
});
