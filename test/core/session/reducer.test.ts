import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { EventBatcher, joinSessionEvents } from '../../../src/core/session/eventBatcher.js';
import type { SessionState, ToolItem, ToolStatus } from '../../../src/core/session/model.js';
import { emptySession, reduce, reduceAll } from '../../../src/core/session/reducer.js';
import { anyEvent } from './arbitraryEvents.js';

const empty = emptySession('s', '/workspace', 0);
const text = (role: 'agent' | 'thought' | 'user', words: string, at = 1, messageId?: string): SessionEvent => ({
  type: 'message',
  at,
  role,
  content: { type: 'text', text: words },
  ...(messageId === undefined ? {} : { messageId }),
});
const tool = (id: string, status?: ToolStatus, at = 1): SessionEvent => ({
  type: 'tool',
  at,
  id,
  toolCallId: id,
  patch: status === undefined ? {} : { status },
});
const started = (turnId: string, at = 1): SessionEvent => ({ type: 'turn_started', at, turnId, content: [{ type: 'text', text: 'go' }] });
const ended = (turnId: string, at = 9): SessionEvent => ({
  type: 'turn_ended',
  at,
  turnId,
  outcome: { type: 'ended', stopReason: 'end_turn', silent: false },
});

function toolOf(state: SessionState, id: string): ToolItem {
  const item = state.items.find((candidate) => candidate.id === id);
  assert.equal(item?.kind, 'tool');
  return item;
}

describe('messages', () => {
  it('chunks of one role form one message, and a tool call separates them into two', () => {
    const state = reduceAll(empty, [text('agent', 'a'), text('agent', 'b'), tool('x'), text('agent', 'c')]);
    assert.deepEqual(
      state.items.map((item) => (item.kind === 'message' ? item.content : item.id)),
      [[{ type: 'text', text: 'ab' }], 'x', [{ type: 'text', text: 'c' }]],
    );
  });

  it('a different messageId starts another message', () => {
    const state = reduceAll(empty, [text('agent', 'a', 1, 'one'), text('agent', 'b', 1, 'one'), text('agent', 'c', 1, 'two')]);
    assert.equal(state.items.length, 2);
  });

  it('the text is the exact concatenation of any chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (pieces) => {
        const state = reduceAll(
          empty,
          pieces.map((piece) => text('agent', piece)),
        );
        const item = state.items[0];
        assert.ok(item?.kind === 'message');
        assert.deepEqual(item.content, [{ type: 'text', text: pieces.join('') }]);
      }),
    );
  });
});

describe('tool calls', () => {
  it('a finished call stays finished', () => {
    const state = reduceAll(empty, [tool('x', 'in_progress'), tool('x', 'completed'), tool('x', 'in_progress')]);
    assert.equal(toolOf(state, 'x').status, 'completed');
  });

  it('the end of a turn closes its open calls; a later final status counts, a late "running" does not', () => {
    const left = reduceAll(empty, [started('t1'), tool('x', 'in_progress'), tool('y', 'in_progress'), tool('z', 'completed'), ended('t1')]);
    assert.deepEqual(
      ['x', 'y', 'z'].map((id) => toolOf(left, id).status),
      ['unreported', 'unreported', 'completed'],
    );
    const later = reduceAll(left, [tool('x', 'failed', 20), tool('y', 'in_progress', 20)]);
    assert.deepEqual(
      ['x', 'y'].map((id) => toolOf(later, id).status),
      ['failed', 'unreported'],
    );
  });

  it('nothing runs after the end of its turn, and what was reported between turns ends with the next one', () => {
    const over = reduceAll(empty, [
      started('t1'),
      tool('x', 'rejected'),
      ended('t1'),
      tool('x', 'in_progress', 20),
      tool('late', 'in_progress', 20),
    ]);
    assert.equal(toolOf(over, 'x').status, 'rejected');
    assert.equal(toolOf(reduceAll(over, [started('t2', 30), ended('t2', 40)]), 'late').status, 'unreported');
  });

  it('a canceled turn cancels its open calls', () => {
    const open = reduceAll(empty, [started('t1'), tool('x', 'in_progress'), tool('y', 'rejected')]);
    const statuses = (state: SessionState): unknown => ['x', 'y'].map((id) => toolOf(state, id).status);
    const cancelled: SessionEvent = {
      type: 'turn_ended',
      at: 9,
      turnId: 't1',
      outcome: { type: 'ended', stopReason: 'cancelled', silent: false },
    };
    assert.deepEqual(statuses(reduce(open, cancelled)), ['cancelled', 'rejected']);
    assert.deepEqual(statuses(reduceAll(open, [{ type: 'turn_cancelling', at: 2, turnId: 't1' }, ended('t1')])), ['cancelled', 'rejected']);
    assert.deepEqual(statuses(reduce(open, { type: 'opened', at: 3, cwd: '/workspace', by: 'loaded' })), ['unreported', 'rejected']);
  });

  it('a patch without a status keeps the status, and empty content clears the content', () => {
    const filled: SessionEvent = {
      type: 'tool',
      at: 1,
      id: 'x',
      toolCallId: 'x',
      patch: { status: 'in_progress', content: [{ type: 'content', content: { type: 'text', text: 'out' } }] },
    };
    const cleared: SessionEvent = { type: 'tool', at: 2, id: 'x', toolCallId: 'x', patch: { content: [] } };
    const state = reduceAll(empty, [filled, cleared]);
    assert.deepEqual([toolOf(state, 'x').status, toolOf(state, 'x').content], ['in_progress', []]);
  });
});

describe('turns', () => {
  it('a new process interrupts a running turn and closes its requests', () => {
    const ask: SessionEvent = {
      type: 'request_opened',
      at: 2,
      request: {
        kind: 'form',
        id: 'a',
        sessionId: 's',
        at: 2,
        message: '?',
        fields: [],
      },
    };
    const state = reduceAll(empty, [started('t1'), text('agent', 'half'), ask, { type: 'opened', at: 5, cwd: '/workspace', by: 'loaded' }]);
    const last = state.items.at(-1);
    assert.ok(last?.kind === 'turn_end' && last.outcome.type === 'interrupted');
    assert.deepEqual([state.turn.type, state.requests.length], ['idle', 0]);
  });

  it('a finished plan is removed with its turn, an unfinished one is kept', () => {
    const plan = (status: 'completed' | 'pending'): SessionEvent => ({
      type: 'plan',
      at: 2,
      entries: [{ content: 'step', priority: 'medium', status }],
    });
    assert.equal(reduceAll(empty, [started('t1'), plan('completed'), ended('t1')]).plans.length, 0);
    assert.equal(reduceAll(empty, [started('t1'), plan('pending'), ended('t1')]).plans.length, 1);
  });

  it('the steps of a finished plan appear in the conversation once', () => {
    const plan = (...statuses: readonly ('completed' | 'pending')[]): SessionEvent => ({
      type: 'plan',
      at: 2,
      entries: statuses.map((status, index) => ({ content: `step ${index}`, priority: 'medium', status })),
    });
    const traces = (...events: readonly SessionEvent[]) =>
      reduceAll(empty, [started('t1'), ...events, ended('t1')]).items.flatMap((item) =>
        item.kind === 'notice' && 'code' in item && item.code === 'plan_finished' ? [item.params.entries] : [],
      );
    assert.deepEqual(traces(plan('pending', 'pending'), plan('completed', 'completed')), [['step 0', 'step 1']]);
    assert.deepEqual(traces(plan('completed'), plan()), [['step 0']]);
    assert.deepEqual(traces(plan('completed', 'pending')), []);
    assert.deepEqual(traces(plan('completed', 'pending'), plan()), []);
  });
});

describe('the reducer as a function', () => {
  it('it returns the same state for the same events and does not change its input', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        const once = reduceAll(empty, events);
        assert.deepEqual(reduceAll(empty, events), once);
        const frozen = structuredClone(once);
        for (const event of events) reduce(once, event);
        assert.deepEqual(once, frozen);
      }),
    );
  });

  it('reducing a batch equals reducing its events one by one, and keeps unchanged parts identical', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), fc.array(anyEvent, { maxLength: 10 }), (before, events) => {
        const state = reduceAll(empty, before);
        const frozen = structuredClone(state);
        const together = reduceAll(state, events);
        const singly = events.reduce(reduce, state);
        assert.deepEqual(together, singly);
        assert.deepEqual(state, frozen);
        assert.equal(together.items === state.items, singly.items === state.items);
      }),
    );
  });

  it('states derived from the same one do not affect each other', () => {
    fc.assert(
      fc.property(
        fc.array(anyEvent, { maxLength: 20 }),
        fc.array(fc.array(anyEvent, { maxLength: 15 }), { maxLength: 4 }),
        (before, branches) => {
          const state = reduceAll(empty, before);
          const grown = branches.map((events) => events.reduce(reduce, state));
          for (const [index, events] of branches.entries()) {
            assert.deepEqual(grown[index], reduceAll(emptySession('s', '/workspace', 0), [...before, ...events]));
            assert.deepEqual(
              reduceAll(grown[index] ?? state, events),
              reduceAll(emptySession('s', '/workspace', 0), [...before, ...events, ...events]),
            );
          }
        },
      ),
    );
  });

  it('item ids are unique', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
        const ids = reduceAll(empty, events).items.map((item) => item.id);
        assert.equal(new Set(ids).size, ids.length);
      }),
    );
  });

  it('joined chunks reduce to the same state as separate ones', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
        const joined: SessionEvent[] = [];
        const intake = new EventBatcher((batch) => joined.push(...batch));
        for (const event of events) intake.push(event);
        intake.flush();
        const words = (state: SessionState): unknown =>
          state.items.map((item) =>
            item.kind === 'message' ? [item.role, item.content] : item.kind === 'tool' ? [item.id, item.status] : item.kind,
          );
        assert.deepEqual(words(reduceAll(empty, joined)), words(reduceAll(empty, events)));
        assert.deepEqual(joinSessionEvents(events), joined);
      }),
    );
  });
});
