import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type ConversationCommand,
  type ConversationEvent,
  type ConversationState,
  connectConversation,
  connectDirectly,
  serveConversation,
} from '../../../src/core/index.js';
import { createPortPair } from '../../../src/core/conversation/portPair.js';
import type { ToClient, ToServer } from '../../../src/core/conversation/replica.js';
import { lines, openFrontEnd, overEachLine, run, said, say } from './frontEnd.js';

type Down = ToClient<ConversationState, ConversationEvent>;

describe('a replica', () => {
  const [line] = lines;
  assert.ok(line);

  it('it requests a snapshot if a batch is missing, and reports the gap', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    const one = await frontEnd.open();
    const conversation = frontEnd.conversations.get('one') ?? assert.fail('no conversation');
    const [server, client] = createPortPair<ToServer<ConversationCommand>, Down>();
    let dropped = 0;
    const lossy = {
      onMessage: server.onMessage,
      postMessage(message: Down): void {
        if (message.type === 'batch' && message.batch.events.some(({ type }) => type === 'session') && dropped++ === 0) return;
        server.postMessage(message);
      },
    };
    const serving = serveConversation(conversation, lossy);
    t.after(() => serving.dispose());
    const replica = await connectConversation(client);
    const revisions: number[] = [];
    let snapshots = 0;
    replica.onChange(({ state, events }) => {
      revisions.push(state.revision);
      if (events === undefined) snapshots++;
    });
    await say(one, 'say one', 'say two');
    assert.ok(dropped > 1);
    assert.equal(snapshots, 1);
    assert.deepEqual(
      revisions,
      [...revisions].sort((a, b) => a - b),
    );
    assert.deepEqual(replica.state, conversation.state);
  });

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

  it('disposing it settles all calls', async (t) => {
    const frontEnd = await openFrontEnd(t, line);
    await frontEnd.open();
    const conversation = frontEnd.conversations.get('one') ?? assert.fail('no conversation');
    const replica = connectDirectly(conversation);
    const opening = replica.execute({ type: 'open' });
    replica.dispose();
    for (const result of [await opening, await replica.execute({ type: 'retry' })])
      assert.equal(!result.ok && result.error.code, 'disposed');
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
