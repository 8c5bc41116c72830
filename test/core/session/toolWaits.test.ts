/** The time in which a tool call waits for the user does not count as its own. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reduceAll, emptySession } from '../../../src/core/session/reducer.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import type { ToolItem, ToolStatus } from '../../../src/core/session/model.js';

const started: SessionEvent = { type: 'turn_started', at: 0, turnId: 't1', content: [] };
const tool = (id: string, status: ToolStatus, at: number): SessionEvent => ({
  type: 'tool',
  at,
  id,
  toolCallId: 'same',
  patch: { status },
});
const closed = (requestId: string, at: number): SessionEvent => ({
  type: 'request_closed',
  at,
  requestId,
  answer: { type: 'accept', values: { optionId: 'yes' } },
});
const asks = (id: string, itemId: string, at: number): SessionEvent => ({
  type: 'request_opened',
  at,
  request: {
    kind: 'permission',
    id,
    sessionId: 's',
    at,
    subject: { toolCallId: 'same', itemId, title: 'x', toolKind: 'execute', content: [], locations: [], rawInput: undefined },
    options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
  },
});

function toolsAfter(...events: readonly SessionEvent[]): readonly ToolItem[] {
  const { items } = reduceAll(emptySession('s', '/w', 0), [started, ...events]);
  return items.flatMap((item) => (item.kind === 'tool' ? [item] : []));
}

/** The agent calls all of them the same. */
describe('a tool call that asks for permission', () => {
  it('it waits from the request to the answer', () => {
    const events = [tool('a', 'pending', 10), asks('r', 'a', 20)];
    assert.equal(toolsAfter(...events)[0]?.waitsSince, 20);
    const [after] = toolsAfter(...events, closed('r', 520), tool('a', 'completed', 600));
    assert.deepEqual([after?.waitedMs, after?.waitsSince, after?.endedAt], [500, undefined, 600]);
  });

  it('two requests in sequence are two waits, two at once are one', () => {
    const [twice] = toolsAfter(tool('a', 'pending', 0), asks('r', 'a', 10), closed('r', 20), asks('q', 'a', 30), closed('q', 50));
    assert.equal(twice?.waitedMs, 30);
    const [both] = toolsAfter(tool('a', 'pending', 0), asks('r', 'a', 10), asks('q', 'a', 20), closed('r', 40), closed('q', 60));
    assert.deepEqual([both?.waitedMs, both?.waitsSince], [50, undefined]);
  });

  it('a request that names no call applies to none if more than 64 are open', () => {
    const waits = (count: number): number => {
      const open = Array.from({ length: count }, (_, i) => tool(`c${i}`, 'in_progress', 0));
      return toolsAfter(...open, asks('r', 'other', 10)).filter(({ waitsSince }) => waitsSince !== undefined).length;
    };
    assert.deepEqual([waits(64), waits(65)], [64, 0]);
  });

  it('other calls do not wait, unless the request names no call', () => {
    const both = [tool('a', 'in_progress', 0), tool('b', 'in_progress', 0)];
    assert.deepEqual(
      toolsAfter(...both, asks('r', 'a', 10), closed('r', 20)).map(({ waitedMs }) => waitedMs),
      [10, undefined],
    );
    assert.deepEqual(
      toolsAfter(...both, asks('r', 'other', 10), closed('r', 20)).map(({ waitedMs }) => waitedMs),
      [10, 10],
    );
  });

  it('it waits no longer than its turn', () => {
    const end: SessionEvent = {
      type: 'turn_ended',
      at: 100,
      turnId: 't1',
      outcome: { type: 'ended', stopReason: 'cancelled', silent: false },
    };
    const [item] = toolsAfter(tool('a', 'pending', 0), asks('r', 'a', 10), end);
    assert.deepEqual([item?.waitedMs, item?.waitsSince, item?.endedAt], [90, undefined, 100]);
  });

  it('it is stopped with its turn, which is not a failure', () => {
    const stopped: SessionEvent = { type: 'request_closed', at: 520, requestId: 'r', answer: { type: 'cancel', why: 'turn_cancelled' } };
    const events = [tool('a', 'pending', 10), asks('r', 'a', 20), tool('b', 'in_progress', 30), stopped];
    const [asked, other] = toolsAfter(...events, tool('a', 'failed', 600), tool('b', 'failed', 600));
    assert.deepEqual([asked?.status, asked?.endedAt, asked?.waitedMs, other?.status], ['cancelled', 520, 500, 'failed']);
    assert.equal(toolsAfter(...events, tool('a', 'completed', 600))[0]?.status, 'completed');
  });
});

describe('a turn in which the agent asks', () => {
  const waitedIn = (...events: readonly SessionEvent[]): number | undefined => {
    const ended: SessionEvent = {
      type: 'turn_ended',
      at: 100,
      turnId: 't1',
      outcome: { type: 'ended', stopReason: 'end_turn', silent: false },
    };
    const end = reduceAll(emptySession('s', '/w', 0), [started, ...events, ended]).items.at(-1);
    return end?.kind === 'turn_end' ? end.waitedMs : undefined;
  };

  it('its end says how long it waited for the user', () => {
    assert.equal(waitedIn(asks('r', 'a', 10), closed('r', 20), asks('q', 'a', 30), closed('q', 50)), 30);
    assert.equal(waitedIn(asks('r', 'a', 10), asks('q', 'b', 20), closed('r', 40), closed('q', 60)), 50);
    assert.equal(waitedIn(asks('r', 'a', 40)), 60);
    assert.equal(waitedIn(tool('a', 'completed', 10)), undefined);
  });
});
