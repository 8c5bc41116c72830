import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AskAnswer, SessionEvent } from '../../../src/core/index.js';
import { emptySession, reduceAll } from '../../../src/core/index.js';

function closed(answer: AskAnswer) {
  const events: readonly SessionEvent[] = [
    { type: 'turn_started', at: 1, turnId: 't1', content: [{ type: 'text', text: 'go' }] },
    {
      type: 'ask_opened',
      at: 2,
      ask: {
        kind: 'question',
        id: 'a1',
        sessionId: 's',
        at: 2,
        header: undefined,
        question: 'Which?',
        options: [],
        multiple: false,
        allowCustom: true,
      },
    },
    { type: 'ask_closed', at: 3, askId: 'a1', answer },
  ];
  const { items, asks } = reduceAll(emptySession('s', '/p', 0), events);
  assert.deepEqual(asks, []);
  return items.flatMap((item) => (item.kind === 'notice' ? [`${item.title}: ${item.description ?? ''}`] : []));
}

test('a request that nobody answered in time, or whose agent ended, leaves a word', () => {
  assert.deepEqual(closed({ type: 'cancelled', why: 'deadline' }), [
    'Closed unanswered: Which?: Nobody answered in time, so it ended as cancelled.',
  ]);
  assert.deepEqual(closed({ type: 'cancelled', why: 'agent_gone' }), [
    'Closed unanswered: Which?: The agent ended before it was answered.',
  ]);
});

test('one that the user answered, closed or stopped leaves none', () => {
  for (const answer of [
    { type: 'answered', text: 'x' },
    { type: 'cancelled' },
    { type: 'cancelled', why: 'turn_cancelled' },
    { type: 'cancelled', why: 'withdrawn' },
  ] as const)
    assert.deepEqual(closed(answer), []);
});
