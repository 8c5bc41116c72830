/** What an agent sends can be saved and read back, whichever of its optional members is absent, null or odd. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { standardQuirks } from '../../../src/core/agents/standardQuirks.js';
import { isFields } from '../../../src/core/base/fields.js';
import { parseEvent } from '../../../src/core/journal/eventSchema.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { fedSessions, feed } from './feed.js';

type Fields = Readonly<Record<string, unknown>>;

const block = { type: 'text', text: 'words', annotations: { audience: ['user'], priority: 1 }, _meta: { a: 1 } };
const blocks = [
  block,
  { type: 'image', data: 'aaaa', mimeType: 'image/png', uri: 'file:///a.png' },
  { type: 'audio', data: 'aaaa', mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'file:///a', name: 'a', title: 'A', description: 'an A', mimeType: 'text/plain', size: 1 },
  { type: 'resource', resource: { uri: 'file:///a', text: 'a', mimeType: 'text/plain', _meta: { a: 1 } } },
];
const call = {
  toolCallId: 'c',
  title: 'Shell: ls',
  kind: 'execute',
  status: 'in_progress',
  rawInput: { command: 'ls' },
  rawOutput: { exitCode: 1 },
  content: [
    { type: 'content', content: block },
    { type: 'diff', path: '/a', oldText: 'a', newText: 'b' },
  ],
  locations: [{ path: '/a', line: 1 }],
};
const updates: readonly Fields[] = [
  ...blocks.map((content) => ({ sessionUpdate: 'agent_message_chunk', messageId: 'm', content })),
  { sessionUpdate: 'agent_thought_chunk', content: block },
  { sessionUpdate: 'tool_call', ...call },
  { sessionUpdate: 'tool_call_update', ...call },
  { sessionUpdate: 'plan', entries: [{ content: 'a', priority: 'high', status: 'pending', _meta: { a: 1 } }] },
  {
    sessionUpdate: 'available_commands_update',
    availableCommands: [{ name: 'a', description: 'an A', input: { hint: 'of' }, _meta: { a: 1 } }],
  },
  { sessionUpdate: 'current_mode_update', currentModeId: 'ask' },
  { sessionUpdate: 'session_info_update', title: 'A', updatedAt: '2026-01-01T00:00:00Z' },
  { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount: 0.5, currency: 'USD' } },
  { sessionUpdate: 'notice', severity: 'info', title: 'A', description: 'an A' },
  { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed', summary: [block], error: 'none' },
  { sessionUpdate: 'compaction_summary_chunk', compactionId: 'c', content: block },
];

const odd: readonly unknown[] = [undefined, null, 7, 'odd', true, [], {}, [null], { odd: null }];

/** All copies in which one member, at any depth, has another value or is absent. */
function* variants(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) for (const other of variants(one)) yield value.with(index, other);
    return;
  }
  if (!isFields(value)) return;
  for (const key of Object.keys(value)) {
    for (const other of [...odd, ...variants(value[key])]) yield { ...value, [key]: other };
  }
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Without what is for programs. */
function seen(event: SessionEvent): readonly unknown[] {
  if (event.type === 'extension') return [];
  const { meta: _, origin: _origin, updatedAt: _updatedAt, ...rest }: Fields = { ...event };
  return [asJson(rest)];
}

function assertSaved(event: SessionEvent): void {
  for (const told of seen(event)) {
    const read = parseEvent(told);
    assert.ok(read !== undefined, `this cannot be read back: ${JSON.stringify(told)}`);
    assert.deepEqual(asJson(read), told);
  }
}

describe('an event of the agent is read back as it was told', () => {
  for (const update of updates) {
    test(`${String(update['sessionUpdate'])} ${JSON.stringify(update).slice(0, 120)}`, async () => {
      for (const variant of [update, ...variants(update)]) {
        const fed = fedSessions();
        await fed.open().answer({ sessionId: 's' });
        fed.update('s', asJson(variant) as Fields);
        for (const event of fed.events) assertSaved(event);
      }
    });
  }

  test('a permission request', () => {
    for (const isAnnounced of [false, true]) {
      for (const variant of [call, { toolCallId: 'c' }, ...variants(call)]) {
        const fed = feed(standardQuirks);
        fed.turn('t');
        if (isAnnounced) fed.tool('tool_call', 'c', { title: 'Shell' });
        const { request } = fed.ask(asJson(variant) as Fields);
        for (const event of fed.events) assertSaved(event);
        assertSaved({ type: 'request_opened', at: 1, request: { ...request, id: 'ask', at: 1 } });
      }
    }
  });
});
