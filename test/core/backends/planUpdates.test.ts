/** Plan operations of ACP, which became stable after the SDK that the tests use: the updates are written by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acpQuirksOf } from '../../../src/core/agents/knownAgents.js';
import { clientCapabilities } from '../../../src/core/backends/acp/features/features.js';
import { UpdateMap } from '../../../src/core/backends/acp/map.js';
import { parseUpdate } from '../../../src/core/backends/acp/schema/updates.js';
import type { SessionEvent } from '../../../src/core/session/event.js';

function mapping(
  state = new UpdateMap(acpQuirksOf(undefined), '/workspace', 'p'),
): (update: Readonly<Record<string, unknown>>) => SessionEvent | string | undefined {
  return (update) => {
    const parsed = parseUpdate(update);
    return 'problem' in parsed ? 'problem' : state.toEvent(parsed.update, 1);
  };
}

const entry = { content: 'step', priority: 'high', status: 'pending' };
const update = (plan: unknown): Readonly<Record<string, unknown>> => ({ sessionUpdate: 'plan_update', plan });
const markdown = (planId: string): Readonly<Record<string, unknown>> => update({ type: 'markdown', planId, content: '# Plan' });

test('the host declares them', () => {
  assert.deepEqual(clientCapabilities({ terminalAuth: false, files: false, isRelayed: false }).plan, {});
});

test('items, Markdown and a file become plans with ids', () => {
  const map = mapping();
  assert.deepEqual(map(update({ type: 'items', planId: 'a', entries: [entry, 7] })), {
    type: 'plan',
    at: 1,
    planId: 'a',
    entries: [entry],
  });
  const text = (of: object): SessionEvent => ({ type: 'plan', at: 1, planId: 'b', entries: [], text: { markdown: '', ...of } });
  assert.deepEqual(map(update({ type: 'markdown', planId: 'b', content: 'x', path: '/p.md' })), text({ markdown: 'x', path: '/p.md' }));
  assert.deepEqual(map(update({ type: 'markdown', planId: 'b', content: 'x', path: null })), text({ markdown: 'x' }));
  assert.deepEqual(map(update({ type: 'file', planId: 'b', uri: 'file:///p.md' })), text({ path: '/p.md' }));
  assert.deepEqual(map(update({ type: 'file', planId: 'b', uri: 'https://example.com/p' })), text({}));
});

test('a plan is removed, also one of an earlier process', () => {
  const map = mapping();
  assert.deepEqual(map({ sessionUpdate: 'plan_removed', planId: 'a' }), { type: 'plan', at: 1, planId: 'a', entries: [] });
});

test('what is malformed is a problem, and no plan', () => {
  const map = mapping();
  for (const plan of [
    undefined,
    null,
    7,
    {},
    { type: 'items', planId: 'a' },
    { type: 'items', entries: [] },
    { type: 'markdown', planId: 'a' },
    { type: 'poem', planId: 'a' },
  ])
    assert.equal(map(update(plan)), 'problem');
  assert.equal(map({ sessionUpdate: 'plan_removed' }), 'problem');
});

test('an agent tells about at most 64 plans in a turn', () => {
  const state = new UpdateMap(acpQuirksOf(undefined), '/workspace', 'p');
  const map = mapping(state);
  const removed = (planId: string): ReturnType<typeof map> => map({ sessionUpdate: 'plan_removed', planId });
  for (let index = 0; index < 64; index++) assert.notEqual(map(markdown(String(index))), undefined);
  assert.equal(map(markdown('another')), undefined);
  assert.equal(removed('another'), undefined);
  assert.notEqual(map(markdown('7')), undefined);
  assert.notEqual(removed('7'), undefined);
  state.beginTurn('next', []);
  assert.notEqual(map(markdown('another')), undefined);
});

test('a long history may have a plan in each of its turns', () => {
  const map = mapping();
  for (let index = 0; index < 100; index++) {
    map({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'again' } });
    assert.notEqual(map(markdown(String(index))), undefined);
  }
});
