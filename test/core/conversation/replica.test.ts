import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lines, openFrontEnd, overEachLine, run, said, say } from './frontEnd.js';

describe('a replica', () => {
  const [line] = lines;
  assert.ok(line);

  it('in the same process, it shares the transcript of the host instead of a copy', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const one = await frontEnd.open();
    const conversation = frontEnd.conversations.get('one') ?? assert.fail('no conversation');
    let states = 0;
    one.onChange(({ events }) => {
      if (events?.some(({ type }) => type === 'session')) states++;
    });
    await say(one, 'say one');
    assert.ok(states > 0);
    assert.equal(one.state.session, conversation.state.session);
    assert.equal(one.state.outbox, conversation.state.outbox);
  });
});

overEachLine('two front ends of one conversation', (line) => {
  it('both show the same, whichever of them acts', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const [one, other] = [await frontEnd.open(), await frontEnd.open()];
    await say(one, 'say one');
    await say(other, 'say two');
    await run(one, { type: 'take_returned', promptIds: [] });
    assert.deepEqual(said(one.state), ['user: say one', 'agent: one', 'end ended', 'user: say two', 'agent: two', 'end ended']);
    assert.deepEqual(one.state, other.state);
  });
});

overEachLine('a streamed answer', (line) => {
  it('it arrives in the reduced batches, not word by word', async (t) => {
    const frontEnd = await openFrontEnd(t, line, { agent: 'spamsUpdates' });
    const one = await frontEnd.open();
    let events = 0;
    one.onChange((change) => {
      for (const event of change.events ?? []) if (event.type === 'session') events += event.events.length;
    });
    await say(one, 'go');
    assert.match(said(one.state)[1] ?? '', /^agent: word 0 .* word 4999 $/);
    assert.ok(events < 500, `${events} events for 5000 words`);
  });
});
