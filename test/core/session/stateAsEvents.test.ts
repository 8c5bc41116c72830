import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { eventsSince, lastTurnOf } from '../../../src/core/session/stateAsEvents.js';
import type { SessionState, TranscriptItem } from '../../../src/core/session/model.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { anyEvent } from './arbitraryEvents.js';

const empty = emptySession('s', '/workspace', 0);

/** What a person reads, without ids. */
function readable(item: TranscriptItem): unknown {
  switch (item.kind) {
    case 'message':
      return [item.role, item.content];
    case 'tool':
      return [item.toolCallId, item.title, item.status, item.content, item.locations];
    case 'notice':
      return 'code' in item ? [item.code, item.params] : [item.title];
    case 'subagent':
      return [item.agentId, item.title, item.task, item.status, item.canStop];
    case 'compaction':
      return [item.status, item.summary];
    case 'plan':
      return [item.planId, item.text, item.isRemoved];
    case 'turn_end':
      return item.outcome;
  }
}

/** The items of the last turn, in the order of the transcript. What belongs to no turn may have arrived before it. */
function itemsOfLast({ items, turn }: SessionState): readonly TranscriptItem[] {
  const ends = items.flatMap((item, index) => (item.kind === 'turn_end' ? [index] : []));
  const [from = -1, to = items.length] = turn.type === 'idle' ? [ends.at(-2), ends.at(-1)] : [ends.at(-1)];
  const end = items[to];
  const turnId = turn.type === 'idle' ? end?.kind === 'turn_end' && end.turnId : turn.turnId;
  const since = items.slice(from + 1, to);
  const begin = since.findIndex((item) => 'turnId' in item && item.turnId === turnId);
  const own = begin < 0 ? [] : since.slice(begin).filter((item) => !('turnId' in item) || item.turnId === turnId);
  return end === undefined ? own : [...own, end];
}

it('the events of the last turn lead to what its items say', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
      const whole = reduceAll(empty, events);
      const told = reduceAll(empty, lastTurnOf(whole));
      if (whole.turn.type === 'idle' && !whole.items.some(({ kind }) => kind === 'turn_end')) return void assert.deepEqual(told, empty);
      assert.deepEqual(told.items.map(readable), itemsOfLast(whole).map(readable));
      assert.deepEqual([told.turn.type, told.requests, told.queue], [whole.turn.type, whole.requests, whole.queue]);
    }),
    { numRuns: 1_000 },
  );
});

it('a running turn is told with its prompt, its calls and what it waits for', () => {
  const request = { id: 'ask1', kind: 'form', sessionId: 's', at: 7, message: 'Go on?', fields: [] } as const;
  const call = { title: 'ls', toolKind: 'execute' } as const;
  const events: readonly SessionEvent[] = [
    { type: 'turn_started', at: 1, turnId: 'a', content: [{ type: 'text', text: 'before' }] },
    { type: 'turn_ended', at: 2, turnId: 'a', outcome: { type: 'ended', stopReason: 'end_turn', silent: true } },
    { type: 'turn_started', at: 3, turnId: 'b', promptId: 'p', content: [{ type: 'text', text: 'list' }] },
    { type: 'message', at: 4, role: 'agent', content: { type: 'text', text: 'I list ' } },
    { type: 'message', at: 5, role: 'agent', content: { type: 'text', text: 'them.' } },
    { type: 'tool', at: 6, id: 'x', toolCallId: 'x', patch: { ...call, status: 'pending' } },
    { type: 'request_opened', at: 7, request },
  ];
  assert.deepEqual(lastTurnOf(reduceAll(empty, events)), [
    { type: 'turn_started', at: 3, turnId: 'b', promptId: 'p', content: [{ type: 'text', text: 'list' }] },
    { type: 'message', at: 4, role: 'agent', content: { type: 'text', text: 'I list them.' } },
    { type: 'tool', at: 6, id: 'x', toolCallId: 'x', patch: { ...call, content: [], locations: [], status: 'pending' } },
    { type: 'request_opened', at: 7, request },
  ]);
});

/** Each turn has an id of its own. */
function withOwnTurns(events: readonly SessionEvent[]): readonly SessionEvent[] {
  let turns = 0;
  return events.map((event) => {
    if (event.type === 'turn_started') turns++;
    return 'turnId' in event ? { ...event, turnId: `t${turns}` } : event;
  });
}

/** Without the notices that the end of a turn or of a request makes itself. */
const toldIn = ({ items }: SessionState): unknown =>
  items
    .filter((item) => item.kind !== 'notice' || !('code' in item) || !['plan_finished', 'request_closed_unanswered'].includes(item.code))
    .map(readable);

/** Ids are unique outside of this test. */
function openIn({ turn, requests, queue, plans }: SessionState): unknown {
  const idsOf = (some: readonly { readonly id: string }[]): readonly string[] => [...new Set(some.map(({ id }) => id))].sort();
  const steps = new Map(plans.flatMap(({ planId, entries }) => (entries.length === 0 ? [] : [[planId, entries]])));
  return [turn.type, idsOf(requests), idsOf(queue), steps];
}

/** A plan that is older than the turn in which it is removed. */
const removedInATurn: readonly SessionEvent[] = [
  { type: 'plan', at: 1, planId: 'p1', entries: [], text: { markdown: '' } },
  { type: 'turn_started', at: 1, turnId: 't1', content: [] },
  { type: 'plan', at: 1, planId: 'p1', entries: [] },
];

const madeAgainInATurn: readonly SessionEvent[] = [
  ...removedInATurn,
  { type: 'plan', at: 1, planId: 'p1', entries: [], text: { markdown: 'Read' } },
];

const stepsRemoved: readonly SessionEvent[] = [
  { type: 'plan', at: 1, planId: 'p1', entries: [{ content: 'Read', priority: 'high', status: 'pending' }] },
  { type: 'plan', at: 1, planId: 'p1', entries: [] },
];

const stepsThenText: readonly SessionEvent[] = [
  { type: 'plan', at: 1, planId: 'p1', entries: [{ content: 'Read', priority: 'high', status: 'pending' }] },
  { type: 'plan', at: 1, planId: 'p1', entries: [], text: { markdown: 'Read' } },
];

/** A plan that is older than a turn, and changed after it. */
const changedAfterATurn: readonly SessionEvent[] = [
  { type: 'plan', at: 1, planId: 'p1', entries: [], text: { markdown: '' } },
  { type: 'turn_started', at: 1, turnId: 't1', content: [] },
  { type: 'turn_ended', at: 1, turnId: 't1', outcome: { type: 'ended', stopReason: 'end_turn', silent: false } },
  { type: 'plan', at: 1, planId: 'p1', entries: [], text: { markdown: 'Read' } },
];

it('what a program missed is told to it', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60 }), fc.nat(60), (all, seen) => {
      const events = withOwnTurns(all);
      const before = reduceAll(empty, events.slice(0, seen));
      const after = reduceAll(before, events.slice(seen));
      const told = reduceAll(before, eventsSince(before, after));
      assert.deepEqual(toldIn(told), toldIn(after));
      assert.deepEqual(openIn(told), openIn(after));
    }),
    {
      numRuns: 1_000,
      examples: [
        [removedInATurn, 2],
        [madeAgainInATurn, 2],
        [stepsRemoved, 1],
        [stepsThenText, 1],
        [changedAfterATurn, 2],
      ],
    },
  );
});
