/** Whatever an agent can have many of costs the same for each, however many there are, in one batch or in many. */
import { describe, test } from 'node:test';
import type { SessionEvent } from '../../../src/core/session/event.js';
import type { SessionState, ToolStatus } from '../../../src/core/session/model.js';
import { emptySession, reduceAll } from '../../../src/core/session/reducer.js';
import { eventsSince } from '../../../src/core/session/stateAsEvents.js';
import { assertLinear } from '../../linearTime.js';

const picture: SessionEvent = { type: 'message', at: 1, role: 'agent', content: { type: 'image', data: '', mimeType: 'image/png' } };
const say = (messageId: string): SessionEvent => ({
  type: 'message',
  at: 1,
  role: 'agent',
  messageId,
  content: { type: 'text', text: 'a' },
});
const tool = (id: string, status: ToolStatus = 'in_progress'): SessionEvent => ({
  type: 'tool',
  at: 1,
  id,
  toolCallId: id,
  patch: { status },
});
const asks = (id: string, itemId: string): SessionEvent => ({
  type: 'request_opened',
  at: 2,
  request: {
    kind: 'permission',
    id,
    sessionId: 's',
    at: 2,
    subject: { itemId, toolCallId: 'c', title: 'x', toolKind: 'execute', rawInput: undefined, content: [], locations: [] },
    options: [],
  },
});
const answered = (requestId: string): SessionEvent => ({
  type: 'request_closed',
  at: 3,
  requestId,
  answer: { type: 'accept', values: {} },
});

const times = (count: number, make: (index: number) => readonly SessionEvent[]): readonly SessionEvent[] =>
  Array.from({ length: count }, (_, index) => make(index)).flat();

const kinds: Readonly<Record<string, (count: number) => readonly SessionEvent[]>> = {
  'blocks of a message': (count) => times(count, () => [picture]),
  'blocks of a summary': (count) => times(count, () => [{ type: 'compaction', at: 1, id: 'c', summaryChunk: { type: 'text', text: 'a' } }]),
  'messages that go on below a tool call': (count) => {
    const all = times(count, (i) => [say(`m${i}`)]);
    return [...all, tool('a'), ...all, tool('b'), ...all];
  },
  'sub-agents that take turns': (count) =>
    times(count, (i) => [
      { type: 'subagent', at: 1, agentId: `k${i % 256}`, patch: { title: `${i}`, status: i % 2 === 0 ? 'running' : 'idle' } },
      { ...say(`m${i}`), subagentId: `k${i % 256}` },
      { ...tool(`c${i}`), subagentId: `k${(i + 1) % 256}` },
    ]),
  'turns beside sub-agents': (count) =>
    times(count, (i) => [
      { type: 'turn_started', at: 1, turnId: `t${i}` },
      { ...tool(`c${i}`), subagentId: `k${i % 256}` },
      { type: 'turn_ended', at: 2, turnId: `t${i}`, outcome: { type: 'ended', stopReason: 'end_turn', silent: false } },
    ]),
  'requests for tool calls that are all open': (count) => times(count, (i) => [tool(`c${i}`), asks(`r${i}`, `c${i}`), answered(`r${i}`)]),
  'requests that name no tool call, after calls that ended': (count) =>
    times(count, (i) => [tool(`c${i}`, 'completed'), asks(`r${i}`, 'other'), answered(`r${i}`)]),
  'requests that name no tool call, while all are open': (count) =>
    times(count, (i) => [tool(`c${i}`), asks(`r${i}`, 'other'), answered(`r${i}`)]),
};

describe('the cost of events grows with their number alone', () => {
  for (const [name, eventsOf] of Object.entries(kinds)) {
    test(name, () =>
      assertLinear((count) => {
        const events = eventsOf(count);
        return () => void reduceAll(emptySession('s', '/w', 0), events);
      }),
    );
  }

  test('requests in batches of their own', () =>
    assertLinear((count) => {
      // Each batch copies the list of items, which is cheap beside what it does, but not linear.
      const batches = Array.from({ length: count / 32 }, (_, batch) =>
        times(32, (i) => [tool(`c${batch}.${i}`), asks(`r${batch}.${i}`, `c${batch}.${i}`), answered(`r${batch}.${i}`)]),
      );
      return () => void batches.reduce((state, events) => reduceAll(state, events), emptySession('s', '/w', 0));
    }));

  test('queued prompts, plans and requests that a front end missed', () =>
    assertLinear((count) => {
      const empty = emptySession('s', '/w', 0);
      const numbers = Array.from({ length: count }, (_, i) => i);
      const stateOf = (name: string): SessionState => ({
        ...empty,
        plans: numbers.map((i) => ({ planId: `${name}${i}`, entries: [{ content: 'x', status: 'pending', priority: 'low' }] })),
        queue: numbers.map((i) => ({ id: `${name}${i}`, at: 1, content: [] })),
        requests: numbers.map((i) => ({ kind: 'form', id: `${name}${i}`, sessionId: 's', at: 1, message: '', fields: [] })),
      });
      const [before, after] = [stateOf('a'), stateOf('b')];
      return () => eventsSince(before, after);
    }));
});
