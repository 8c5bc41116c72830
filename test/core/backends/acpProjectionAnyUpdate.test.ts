/** Generated updates of an agent that follows ACP, through the adapter and the projection. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AcpProjection } from '../../../src/core/backends/acp/acpProjection.js';
import { updateKinds } from '../../../src/core/backends/acp/schema/updates.js';
import { isFields } from '../../../src/core/base/fields.js';
import { fedSessions } from './feed.js';

const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));
const present = json.filter((value) => value !== null);
const word = fc.string({ minLength: 1, maxLength: 8 });
const fieldsOf = fc.dictionary(word, json, { maxKeys: 3 }).map((fields): Readonly<Record<string, unknown>> => ({ ...fields }));
const meta = fc.nat().map((n) => ({ n, own: { deep: [n] } }));
const block = fc.oneof(
  word.map((text) => ({ type: 'text', text })),
  fc.record({ type: fc.constant('text'), text: word, annotations: fieldsOf, _meta: fieldsOf }),
  fc.record({ type: fc.constant('image'), data: fc.base64String(), mimeType: fc.constant('image/png') }),
  fc.record({ type: fc.constant('resource_link'), uri: word, name: word, size: fc.nat() }),
  fc.record({ type: fc.constant('resource'), resource: fc.record({ uri: word, text: word }) }),
);
const toolCallId = fc.constantFrom('a', 'b', 'c');
const status = fc.constantFrom('pending', 'in_progress', 'completed', 'failed');
const toolFields = {
  toolCallId,
  kind: fc.constantFrom('read', 'edit', 'other'),
  status,
  rawInput: present,
  rawOutput: present,
  content: fc.array(
    block.map((content) => ({ type: 'content', content })),
    { maxLength: 2 },
  ),
  locations: fc.array(fc.record({ path: word }), { minLength: 1, maxLength: 2 }),
  _meta: meta,
};

/** Well-formed updates of an agent that follows ACP. Each has a `_meta`, so that each produces an event. */
const anyUpdate = fc
  .oneof(
    fc.record(
      {
        sessionUpdate: fc.constantFrom('agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk'),
        content: block,
        messageId: word,
        _meta: meta,
      },
      { requiredKeys: ['sessionUpdate', 'content', '_meta'] },
    ),
    fc.record(
      { sessionUpdate: fc.constant('tool_call'), title: word, ...toolFields },
      { requiredKeys: ['sessionUpdate', 'toolCallId', 'title', '_meta'] },
    ),
    fc.record(
      { sessionUpdate: fc.constant('tool_call_update'), title: word, ...toolFields },
      { requiredKeys: ['sessionUpdate', 'toolCallId', '_meta'] },
    ),
    fc.record(
      { sessionUpdate: fc.constant('session_info_update'), title: fc.option(word), updatedAt: word, _meta: meta },
      { requiredKeys: ['sessionUpdate', '_meta'] },
    ),
    fc.record({ sessionUpdate: fc.constant('usage_update'), used: fc.nat(), size: fc.nat(), _meta: meta }),
    fc.record({ sessionUpdate: fc.constant('notice'), severity: fc.constantFrom('info', 'warning', 'error'), title: word, _meta: meta }),
    fc.record({ sessionUpdate: fc.constant('compaction_update'), compactionId: word, status: word, error: fc.option(word), _meta: meta }),
    fc.record({ sessionUpdate: fc.constant('compaction_summary_chunk'), compactionId: word, content: block, _meta: meta }),
    fc.record({
      sessionUpdate: fc.constant('available_commands_update'),
      // Names that users can type after a slash; how others are cleaned is a test of its own.
      availableCommands: fc.uniqueArray(fc.record({ name: fc.stringMatching(/^[a-z][a-z-]*$/), description: word, _meta: fieldsOf }), {
        maxLength: 2,
        selector: ({ name }) => name,
      }),
      _meta: meta,
    }),
    fc.record({
      sessionUpdate: fc.constant('plan'),
      entries: fc.array(fc.record({ content: word, priority: fc.constant('high'), status: fc.constant('pending'), _meta: fieldsOf }), {
        maxLength: 2,
      }),
      _meta: meta,
    }),
    fc.record({
      sessionUpdate: fc.constant('plan_update'),
      plan: fc.oneof(
        fc.record({
          type: fc.constant('items'),
          planId: fc.constant('p'),
          entries: fc.array(fc.record({ content: word, priority: fc.constant('high'), status: fc.constant('pending') }), { minLength: 1 }),
        }),
        fc.record({ type: fc.constant('markdown'), planId: fc.constant('q'), content: word }),
      ),
      _meta: meta,
    }),
    fc
      .tuple(
        fieldsOf,
        word.filter((kind) => !updateKinds.includes(kind)),
      )
      .map(([fields, kind]) => ({ ...fields, sessionUpdate: kind })),
  )
  .map((update): Readonly<Record<string, unknown>> & { readonly sessionUpdate: string } => JSON.parse(JSON.stringify(update)));

/**
 * Returns the parts of a tool call update that programs rely on. The others depend on earlier updates.
 * @param told what the agent sent: if it had no content, the host may show that of the raw output
 */
function essence(update: unknown, told: unknown): unknown {
  assert.ok(isFields(update) && (told === undefined || isFields(told)));
  const { sessionUpdate, toolCallId, rawInput, rawOutput, content, locations, _meta } = update;
  const hasContent = Array.isArray(told?.['content']) && told['content'].length > 0;
  return sessionUpdate === 'tool_call' || sessionUpdate === 'tool_call_update'
    ? { toolCallId, rawInput, rawOutput, ...(hasContent && { content }), locations, _meta }
    : update;
}

test('any update of a standard agent keeps its ids, raw input and output, _meta, unknown kinds and order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyUpdate, { maxLength: 20 }), fc.boolean(), async (updates, inTurn) => {
      const fed = fedSessions();
      const opening = fed.open();
      await opening.answer({ sessionId: 's' });
      if (inTurn) void opening.session().prompt('t1', [], 'turn');
      for (const update of updates) fed.update('s', update);
      const projection = new AcpProjection();
      const projected = fed.events.flatMap((event) => projection.project(event));
      const told = (update: unknown, index: number): unknown => essence(update, updates[index]);
      assert.deepEqual(projected.map(told), updates.map(told));
    }),
    { numRuns: 300 },
  );
});

test('an invalid update of a known kind is passed on unchanged', async () => {
  const fed = fedSessions();
  await fed.open().answer({ sessionId: 's' });
  const broken = { sessionUpdate: 'usage_update', used: 'much', _meta: { a: 1 } };
  fed.update('s', broken);
  fed.update('s', { of: 'no kind' });
  const projection = new AcpProjection();
  assert.deepEqual(
    fed.events.flatMap((event) => projection.project(event)),
    [broken],
  );
  assert.equal(fed.problems.length, 2);
});
