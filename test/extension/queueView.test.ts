import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConversationState, SessionEvent } from '../../src/core/index.js';
import { draw, sessionOf, start, turn } from './drawnChat.js';

describe('queued messages', () => {
  it("a message behind a turn is queued, beside those in the agent's own queue", () => {
    const outbox = [{ id: 'u', content: [{ type: 'text', text: 'later' }], at: start, held: undefined }] as const;
    const kept: SessionEvent = { type: 'queued', at: start, prompt: { id: 'k', content: [{ type: 'text', text: 'kept' }], at: start } };
    const { items, queue } = draw({ outbox, session: sessionOf(turn, kept), sending: { promptId: 'p' } }).view;
    assert.deepEqual(
      items.map((item) => item.kind === 'user' && item.text),
      ['do it'],
    );
    assert.deepEqual(
      queue.map(({ id, text }) => [id, text]),
      [
        ['k', 'kept'],
        ['u', 'later'],
      ],
    );
    // Only an agent's own queue may be unable to release a message.
    assert.deepEqual(
      queue.map(({ isFixed = false }) => isFixed),
      [true, false],
    );
    const whileRunning = { deliveries: ['steer'], canUnqueue: true } as const;
    const { view } = draw({ outbox, session: sessionOf(turn, kept), sending: { promptId: 'p' }, whileRunning });
    assert.deepEqual([view.queue.map(({ isFixed = false }) => isFixed), view.composer.steers], [[false, false], true]);
    // What the agent has is in its turn already.
    const sendNow = (drawn: typeof queue): unknown => drawn.map((one) => one.sendNow);
    assert.deepEqual(sendNow(queue), [undefined, 'Send Immediately (Stops the Running Turn)']);
    assert.deepEqual(sendNow(view.queue), [undefined, 'Send Immediately (Adds It to the Running Turn)']);
  });

  it('a message that stays with the agent after its turn is sent with the next one', () => {
    const kept: SessionEvent = { type: 'queued', at: start, prompt: { id: 'k', content: [{ type: 'text', text: 'kept' }], at: start } };
    const { queue } = draw({ session: sessionOf(kept) }).view;
    assert.deepEqual(
      queue.map(({ goes }) => goes),
      ['next message'],
    );
  });

  it('beside messages that steer the turn, those that wait for its end are marked', () => {
    const outbox = [{ id: 'u', content: [{ type: 'text', text: 'later' }], at: start, held: undefined }] as const;
    const kept: SessionEvent = { type: 'queued', at: start, prompt: { id: 'k', content: [{ type: 'text', text: 'kept' }], at: start } };
    const goesIn = (whileRunning: ConversationState['whileRunning'], ...events: SessionEvent[]): unknown =>
      draw({ outbox, session: sessionOf(turn, ...events), sending: { promptId: 'p' }, whileRunning }).view.queue.map(({ goes }) => goes);
    assert.deepEqual(goesIn({ deliveries: ['steer'], canUnqueue: true }, kept), ['this turn', 'next turn']);
    assert.deepEqual(goesIn({ deliveries: ['steer'], canUnqueue: true }), ['next turn']);
    // If there is only one kind of delivery, no mark is needed.
    assert.deepEqual(goesIn({ deliveries: [], canUnqueue: false }), [undefined]);
  });
});
