/** A user sees nothing of an update that repeats what is known, so it doesn't end the silence of an agent. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';

const usage = (at: number, used: number): SessionEvent => ({ type: 'usage', at, usage: { used, size: 128_000, cost: undefined } });
const text = (at: number, role: 'agent' | 'thought', text: string): SessionEvent => ({
  type: 'message',
  at,
  role,
  content: { type: 'text', text },
});
for (const [what, first, again, other] of [
  ['usage', usage(10, 5), usage(20, 5), usage(20, 6)],
  ['an empty piece of an answer', text(10, 'agent', 'a'), text(20, 'agent', ''), text(20, 'agent', 'b')],
  ['an empty piece of a thought', text(10, 'thought', 'a'), text(20, 'thought', ''), text(20, 'thought', 'b')],
] as const) {
  test(`${what} is a sign of life if it shows something new`, () => {
    const lastAt = (event: SessionEvent): unknown => {
      const begun: SessionEvent = { type: 'turn_started', at: 1, turnId: 't1', content: [] };
      const { turn } = reduceAll(emptySession('s1', '/w', 0), [begun, first, event]);
      return turn.type === 'idle' ? undefined : turn.lastEventAt;
    };
    assert.equal(lastAt(again), 10);
    assert.equal(lastAt(other), 20);
  });
}
