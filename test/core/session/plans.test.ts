/** Plans with ids: steps beside the transcript, and texts in it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { lastTurnOf } from '../../../src/core/session/stateAsEvents.js';
import type { PlanEntry, SessionState } from '../../../src/core/session/model.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';

const empty = emptySession('s', '/workspace', 1);
const begin = (turnId: string): SessionEvent => ({ type: 'turn_started', at: 1, turnId });
const end = (turnId: string): SessionEvent => ({
  type: 'turn_ended',
  at: 5,
  turnId,
  outcome: { type: 'ended', stopReason: 'end_turn', silent: false },
});
const steps = (planId: string, ...statuses: PlanEntry['status'][]): SessionEvent => ({
  type: 'plan',
  at: 2,
  planId,
  entries: statuses.map((status) => ({ content: `${planId} ${status}`, priority: 'medium', status })),
});
const text = (planId: string, markdown: string): SessionEvent => ({ type: 'plan', at: 3, planId, entries: [], text: { markdown } });
const removed = (planId: string): SessionEvent => ({ type: 'plan', at: 4, planId, entries: [] });

const plansOf = ({ plans }: SessionState): unknown => plans.map(({ planId, entries }) => [planId, entries.length]);
const textsOf = ({ items }: SessionState): unknown =>
  items.flatMap((item) => (item.kind === 'plan' ? [[item.text.markdown, item.isRemoved]] : []));

describe('plans with ids', () => {
  it('stand side by side, and each update replaces one', () => {
    const state = reduceAll(empty, [steps('a', 'pending'), steps('b', 'pending'), steps('a', 'completed', 'pending')]);
    assert.deepEqual(plansOf(state), [
      ['a', 2],
      ['b', 1],
    ]);
    assert.deepEqual(plansOf(reduceAll(state, [removed('a'), removed('unknown')])), [['b', 1]]);
  });

  it('the steps of a sub-agent are not those of the agent', () => {
    const own = steps('k/p', 'completed', 'pending');
    const state = reduceAll(empty, [steps('a', 'pending'), { ...own, subagentId: 'k' } as SessionEvent]);
    assert.deepEqual(plansOf(state), [['a', 1]]);
    assert.equal(reduceAll(state, [removed('k/p')]), state);
  });

  it('at the end of a turn, those that are finished become notices', () => {
    const state = reduceAll(empty, [begin('t'), steps('a', 'completed'), steps('b', 'pending'), end('t')]);
    assert.deepEqual(plansOf(state), [['b', 1]]);
    assert.equal(state.items.filter((item) => item.kind === 'notice' && 'code' in item && item.code === 'plan_finished').length, 1);
  });

  it('a text is one item in each turn, and stays when it is removed', () => {
    const first = reduceAll(empty, [begin('t'), text('a', 'one'), text('a', 'two'), end('t')]);
    assert.deepEqual(textsOf(first), [['two', false]]);
    const second = reduceAll(first, [begin('u'), text('a', 'three'), removed('a'), text('a', 'four'), end('u')]);
    assert.deepEqual(textsOf(second), [
      ['two', false],
      ['three', true],
      ['four', false],
    ]);
  });

  it('a plan may become a text, and steps again', () => {
    const state = reduceAll(empty, [steps('a', 'pending'), text('a', 'one')]);
    assert.deepEqual([plansOf(state), textsOf(state)], [[['a', 0]], [['one', false]]]);
    assert.deepEqual(plansOf(reduceAll(state, [steps('a', 'pending')])), [['a', 1]]);
  });

  it('a front end that joins gets them all', () => {
    const state = reduceAll(empty, [begin('t'), text('a', 'one'), removed('a'), text('b', 'two'), steps('c', 'pending')]);
    const joined = reduceAll(empty, lastTurnOf(state));
    assert.deepEqual([textsOf(joined), plansOf(joined)], [textsOf(state), [['b', 0], ['c', 1]]]); // biome-ignore format: one line
  });
});
