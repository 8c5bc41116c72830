/** Leniency as in ACP, and guards that change nothing. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { parseContentBlock, parseToolContent } from '../../../src/core/backends/acp/schema/content.js';
import { requests } from '../../../src/core/backends/acp/schema/methods.js';
import { parsePermissionRequest } from '../../../src/core/backends/acp/schema/requests.js';
import { parseConfigOption } from '../../../src/core/backends/acp/schema/session.js';
import { isToolCall, isToolCallUpdate, toolCallFields, toolCallUpdate } from '../../../src/core/backends/acp/schema/toolCall.js';
import { parseSessionNotification, parseUpdate } from '../../../src/core/backends/acp/schema/updates.js';

const junk = fc.oneof(fc.constant(null), fc.integer(), fc.string(), fc.boolean(), fc.constant([]), fc.constant({}));
const textBlock = fc.record(
  { type: fc.constant('text'), text: fc.string(), annotations: fc.oneof(junk, fc.record({ audience: junk, priority: junk })), _meta: junk },
  { requiredKeys: ['type', 'text'] },
);
const toolContent = fc.oneof(
  fc.record({ type: fc.constant('content'), content: fc.oneof(textBlock, junk) }),
  fc.record(
    { type: fc.constant('diff'), path: fc.oneof(fc.string(), junk), oldText: junk, newText: fc.oneof(fc.string(), junk) },
    { requiredKeys: ['type'] },
  ),
  textBlock,
  junk,
);
const toolFields = fc
  .record(
    {
      toolCallId: fc.oneof({ weight: 5, arbitrary: fc.string() }, junk),
      title: fc.oneof(fc.string(), junk),
      name: junk,
      kind: fc.oneof(fc.constantFrom('read', 'edit', 'deploy'), junk),
      status: fc.oneof(fc.constantFrom('pending', 'completed', 'queued'), junk),
      content: fc.oneof(fc.array(toolContent), junk),
      locations: fc.oneof(fc.array(fc.record({ path: fc.oneof(fc.string(), junk), line: junk })), junk),
      rawInput: junk,
      rawOutput: junk,
      _meta: junk,
      other: junk,
    },
    { requiredKeys: [] },
  )
  .map((fields): unknown => JSON.parse(JSON.stringify(fields)));

describe('a schema returns every value that its guard accepts unchanged', () => {
  test('tool calls', () => {
    fc.assert(
      fc.property(toolFields, (fields) => {
        if (isToolCall(fields)) assert.deepEqual(z.looseObject(toolCallFields).safeParse(fields).data, fields);
        if (isToolCallUpdate(fields)) assert.deepEqual(toolCallUpdate.safeParse(fields).data, fields);
      }),
      { numRuns: 500 },
    );
  });
});

describe('no input from an agent throws', () => {
  const kinds = fc.constantFrom(
    'agent_message_chunk',
    'tool_call',
    'tool_call_update',
    'plan',
    'notice',
    'usage_update',
    'compaction_update',
    'available_commands_update',
    'hologram',
  );
  test('updates', () => {
    fc.assert(
      fc.property(kinds, toolFields, fc.dictionary(fc.string(), fc.jsonValue()), (sessionUpdate, fields, others) => {
        const parsed = parseUpdate(Object.assign({}, others, fields, { sessionUpdate }));
        assert.ok('update' in parsed || parsed.problem !== '');
      }),
      { numRuns: 500 },
    );
  });

  test('params of requests and notifications', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (params) => {
        parsePermissionRequest(params);
        parseSessionNotification(params);
        parseContentBlock(params);
        parseToolContent(params);
        parseConfigOption(params);
      }),
      { numRuns: 500 },
    );
  });
});

test('unknown members are kept', () => {
  const update = { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'weird', schema_version: 1, _meta: { a: 1 } };
  assert.deepEqual(parseUpdate(update), { update: { ...update, status: null } });
});

test('`null` clears a member where it has a meaning, an invalid value does not', () => {
  const parsed = (title: unknown): unknown => parseUpdate({ sessionUpdate: 'session_info_update', title });
  assert.deepEqual(parsed(null), { update: { sessionUpdate: 'session_info_update', title: null } });
  assert.deepEqual(parsed(17), { update: { sessionUpdate: 'session_info_update' } });
  const summary = (value: unknown): unknown =>
    parseUpdate({ sessionUpdate: 'compaction_update', compactionId: 'c', status: 's', summary: value, error: 5 });
  assert.deepEqual(summary('bad'), { update: { sessionUpdate: 'compaction_update', compactionId: 'c', status: 's' } });
  assert.deepEqual(summary(null), { update: { sessionUpdate: 'compaction_update', compactionId: 'c', status: 's', summary: null } });
});

test('invalid items of a list are left out, valid ones are kept', () => {
  const parsed = parseUpdate({
    sessionUpdate: 'plan',
    entries: [{ content: 'a', priority: 'high', status: 'completed' }, { priority: 'high' }, 5],
  });
  assert.deepEqual('update' in parsed && parsed.update, {
    sessionUpdate: 'plan',
    entries: [{ content: 'a', priority: 'high', status: 'completed' }],
  });
});

describe('content blocks', () => {
  const cases: readonly (readonly [string, unknown, unknown])[] = [
    ['a bare string', 'x', { type: 'text', text: 'x' }],
    ['an unknown type with a text', { type: 'markdown', text: '# x' }, { type: 'text', text: '# x' }],
    [
      'an image without data',
      { type: 'image', mimeType: 'image/png' },
      { type: 'text', text: '[content of type "image" that cannot be shown]' },
    ],
    ['no type', {}, { type: 'text', text: '[content without a type that cannot be shown]' }],
    ['a bad annotation', { type: 'text', text: 'x', annotations: 'y' }, { type: 'text', text: 'x', annotations: null }],
    ['null', null, undefined],
    [
      'a type that is a property of every object',
      { type: 'toString' },
      { type: 'text', text: '[content of type "toString" that cannot be shown]' },
    ],
  ];
  for (const [name, value, expected] of cases) test(name, () => assert.deepEqual(parseContentBlock(value), expected));
});

test('a change that leaves no text shows what is deleted; without its path or both texts it can show nothing', () => {
  const base = { type: 'diff', path: '/project/a.txt' };
  const deleted = { ...base, oldText: 'one\n', newText: '' };
  for (const change of [{ oldText: 'one\n', newText: null }, { oldText: 'one\n' }])
    assert.deepEqual(parseToolContent({ ...base, ...change }), deleted);
  const { path: _, ...nowhere } = deleted;
  for (const change of [nowhere, base, { ...base, newText: null }, { ...base, oldText: null, newText: null }, { ...base, oldText: 1 }])
    assert.equal(parseToolContent(change)?.type, 'content', JSON.stringify(change));
});

test('an option with grouped values is parsed', () => {
  const option = {
    id: 'm',
    name: 'M',
    type: 'select',
    currentValue: 'a',
    options: [{ group: 'g', name: 'G', options: [{ value: 'a', name: 'A' }] }],
  };
  assert.deepEqual(parseConfigOption(option), option);
});

test('a permission request with an invalid tool call keeps its session and its options', () => {
  const request = parsePermissionRequest({ sessionId: 's', toolCall: null, options: [{ optionId: 'a', name: 'A', kind: 'allow_once' }] });
  assert.deepEqual(request, { sessionId: 's', toolCall: { toolCallId: '' }, options: [{ optionId: 'a', name: 'A', kind: 'allow_once' }] });
});

test('a missing stop reason ends the turn, and an unknown one is a failure', () => {
  const endOf = (result: object): readonly string[] => {
    const { type, stopReason } = requests.prompt.parseResult(result);
    return [type, stopReason];
  };
  for (const result of [{}, { stopReason: null }, { stopReason: 5 }]) assert.deepEqual(endOf(result), ['ended', 'end_turn']);
  for (const stopReason of ['refusal', 'max_tokens', 'cancelled']) assert.deepEqual(endOf({ stopReason }), ['ended', stopReason]);
  assert.deepEqual(endOf({ stopReason: 'bored' }), ['failed', 'bored']);
});
