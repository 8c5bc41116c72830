import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SessionEvent, UserAnswer } from '../../../src/core/index.js';
import { emptySession, reduceAll } from '../../../src/core/index.js';

function closed(answer: UserAnswer) {
  const events: readonly SessionEvent[] = [
    { type: 'turn_started', at: 1, turnId: 't1', content: [{ type: 'text', text: 'go' }] },
    {
      type: 'request_opened',
      at: 2,
      request: {
        kind: 'form',
        id: 'a1',
        sessionId: 's',
        at: 2,
        message: 'Which?',
        fields: [{ type: 'text', name: 'answer', required: true }],
      },
    },
    { type: 'request_closed', at: 3, requestId: 'a1', answer },
  ];
  const { items, requests } = reduceAll(emptySession('s', '/p', 0), events);
  assert.deepEqual(requests, []);
  return items.flatMap((item) => (item.kind === 'notice' && 'code' in item ? [[item.code, item.params]] : []));
}

test('a request that timed out, without options, or whose agent ended, leaves a note in the conversation', () => {
  const code = 'request_closed_unanswered';
  assert.deepEqual(closed({ type: 'cancel', why: 'deadline' }), [[code, { request: 'Which?', why: 'deadline' }]]);
  assert.deepEqual(closed({ type: 'accept', values: { option: 'no' }, why: 'deadline' }), [[code, { request: 'Which?', why: 'deadline' }]]);
  assert.deepEqual(closed({ type: 'cancel', why: 'agent_gone' }), [[code, { request: 'Which?', why: 'agent_gone' }]]);
  assert.deepEqual(closed({ type: 'cancel', why: 'no_options' }), [[code, { request: 'Which?', why: 'no_options' }]]);
});

test('a request that the user answered, closed or stopped leaves no note', () => {
  for (const answer of [
    { type: 'accept', values: { answer: 'x' } },
    { type: 'accept', values: { option: 'no' }, why: 'dismissed' },
    { type: 'decline' },
    { type: 'cancel' },
    { type: 'cancel', why: 'turn_cancelled' },
    { type: 'cancel', why: 'withdrawn' },
  ] as const)
    assert.deepEqual(closed(answer), []);
});
