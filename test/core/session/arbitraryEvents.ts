import fc from 'fast-check';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { subagentStatuses } from '../../../src/core/session/model.js';
import { anyRequest, anyWrittenAnswer } from './arbitraryRequests.js';

const at = fc.integer({ min: 1, max: 1_000_000 });
const subagentId = fc.constantFrom('k1', 'k2');
const turnId = fc.constantFrom('t1', 't2', 't3');
const words = fc.string({ maxLength: 12 });
const block = words.map((text) => ({ type: 'text' as const, text }));
const status = fc.constantFrom('pending' as const, 'in_progress' as const, 'completed' as const, 'failed' as const);

const anyRetry = fc.record({
  code: fc.constant('status' as const),
  params: fc.record({ attempt: fc.constant(1), attempts: fc.constant(5), status: fc.constantFrom(429, 503) }),
});
const anyHostNotice = fc.oneof(
  fc.record({ code: fc.constant('events_missing' as const), params: fc.record({ since: at, until: at, events: at }) }),
  fc.record({ code: fc.constant('recall_nothing_told' as const), params: fc.constant({}) }),
  fc.record({
    code: fc.constant('settings_not_restored' as const),
    params: fc.record({ options: fc.array(fc.record({ name: words, value: words }), { maxLength: 2 }) }),
  }),
);

/** Events in any order, valid or not: nothing that an agent sends may corrupt the state. */
export const anyEvent: fc.Arbitrary<SessionEvent> = fc
  .oneof(
    fc.record({ type: fc.constant('turn_started' as const), at, turnId, content: fc.array(block, { maxLength: 2 }) }),
    fc.record({ type: fc.constant('turn_cancelling' as const), at, turnId }),
    fc.record({
      type: fc.constant('wait' as const),
      at,
      wait: fc.option(fc.record({ kind: fc.constant('retry' as const), reason: anyRetry, until: at })),
    }),
    fc.record({
      type: fc.constant('turn_ended' as const),
      at,
      turnId,
      outcome: fc.constant({ type: 'ended' as const, stopReason: 'end_turn' as const, silent: false }),
    }),
    fc.record({
      type: fc.constant('message' as const),
      at,
      role: fc.constantFrom('user' as const, 'agent' as const, 'thought' as const),
      content: block,
    }),
    fc.record({
      type: fc.constant('message' as const),
      at,
      role: fc.constant('user' as const),
      promptId: fc.constantFrom('q1', 'q2'),
      content: block,
    }),
    fc.record({
      type: fc.constant('message' as const),
      at,
      role: fc.constant('agent' as const),
      messageId: fc.constantFrom('one', 'two'),
      content: block,
    }),
    fc.record({
      type: fc.constant('tool' as const),
      at,
      id: fc.constantFrom('x', 'y', 'z'),
      toolCallId: fc.constant('call'),
      patch: fc.record({ status, title: words }, { requiredKeys: [] }),
    }),
    fc.record({
      type: fc.constant('message' as const),
      at,
      role: fc.constantFrom('agent' as const, 'thought' as const),
      content: block,
      subagentId,
    }),
    fc.record({
      type: fc.constant('tool' as const),
      at,
      id: fc.constantFrom('sx', 'sy'),
      toolCallId: fc.constant('call'),
      patch: fc.record({ status, title: words }, { requiredKeys: [] }),
      subagentId,
    }),
    fc.record(
      {
        type: fc.constant('subagent' as const),
        at,
        agentId: subagentId,
        patch: fc.record(
          { title: words, description: fc.option(words), task: words, status: fc.constantFrom(...subagentStatuses), canStop: fc.boolean() },
          { requiredKeys: [] },
        ),
        toolId: fc.constantFrom('x', 'sx'),
        subagentId,
      },
      { requiredKeys: ['type', 'at', 'agentId', 'patch'] },
    ),
    fc.record({
      type: fc.constant('plan' as const),
      at,
      entries: fc.array(
        fc.record({
          content: words,
          priority: fc.constant('medium' as const),
          status: fc.constantFrom('pending' as const, 'completed' as const),
        }),
        { maxLength: 3 },
      ),
    }),
    fc.record(
      {
        type: fc.constant('plan' as const),
        at,
        planId: fc.constantFrom('p1', 'p2'),
        entries: fc.constant([]),
        text: fc.record({ markdown: words, path: fc.constant('/workspace/plan.md') }, { requiredKeys: ['markdown'] }),
      },
      { requiredKeys: ['type', 'at', 'planId', 'entries'] },
    ),
    fc.record({ type: fc.constant('notice' as const), at, severity: fc.constant('info' as const), title: words }),
    fc.tuple(at, anyHostNotice).map(([time, notice]): SessionEvent => ({ type: 'host_notice', at: time, severity: 'warning', ...notice })),
    fc.record({ type: fc.constant('compaction' as const), at, id: fc.constantFrom('c1', 'c2'), status: words }),
    fc.record({
      type: fc.constant('options' as const),
      at,
      options: fc.array(
        fc.record({ type: fc.constant('boolean' as const), id: fc.constantFrom('o1', 'o2'), name: words, currentValue: fc.boolean() }),
        { maxLength: 2 },
      ),
    }),
    fc.record({ type: fc.constant('info' as const), at, title: fc.option(words) }),
    fc.record({
      type: fc.constant('queued' as const),
      at,
      prompt: fc.record({ id: fc.constantFrom('q1', 'q2'), content: fc.array(block, { maxLength: 1 }), at }),
    }),
    fc.record({ type: fc.constant('unqueued' as const), at, promptId: fc.constantFrom('q1', 'q2') }),
    fc.record({
      type: fc.constant('opened' as const),
      at,
      cwd: fc.constant('/workspace'),
      by: fc.constantFrom('new' as const, 'loaded' as const, 'resumed' as const, 'replacement' as const),
    }),
    fc.record({ type: fc.constant('request_opened' as const), at, request: anyRequest }),
    fc.record({
      type: fc.constant('request_closed' as const),
      at,
      requestId: fc.constantFrom('ask1', 'ask2', 'ask3'),
      answer: anyWrittenAnswer,
    }),
    // fast-check creates records without a prototype, unlike events from an agent or a journal.
  )
  .map((event): SessionEvent => structuredClone(event));
