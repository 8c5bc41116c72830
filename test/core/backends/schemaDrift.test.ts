/** Compares the schemas with the SDK's official schema, so that an update of the SDK shows what changed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import * as z from 'zod/mini';
import { knownAgents } from '../../../src/core/agents/knownAgents.js';
import { parseContentBlock, parseToolContent } from '../../../src/core/backends/acp/schema/content.js';
import { requests } from '../../../src/core/backends/acp/schema/methods.js';
import { stopReasons } from '../../../src/core/backends/acp/schema/promptEnd.js';
import { permissionOptionKinds } from '../../../src/core/session/userRequest.js';
import { parseConfigOption } from '../../../src/core/backends/acp/schema/session.js';
import { toolKinds, toolStatuses } from '../../../src/core/backends/acp/schema/toolCall.js';
import { parseUpdate, updateKinds } from '../../../src/core/backends/acp/schema/updates.js';

const definition = z.looseObject({
  required: z.optional(z.array(z.string())),
  properties: z.optional(z.record(z.string(), z.looseObject({ const: z.optional(z.string()) }))),
  oneOf: z.optional(z.array(z.unknown())),
  anyOf: z.optional(z.array(z.unknown())),
  allOf: z.optional(z.array(z.unknown())),
  $ref: z.optional(z.string()),
  const: z.optional(z.string()),
  enum: z.optional(z.array(z.string())),
  'x-method': z.optional(z.string()),
});
type Definition = z.infer<typeof definition>;

const file = createRequire(import.meta.url).resolve('@agentclientprotocol/sdk/schema/v1/schema.json');
const { $defs } = z.looseObject({ $defs: z.record(z.string(), z.unknown()) }).parse(JSON.parse(readFileSync(file, 'utf8')));

function defined(name: string): Definition {
  assert.ok(name in $defs, `the schema has no ${name}`);
  return definition.parse($defs[name]);
}

const variantsOf = (name: string): readonly Definition[] =>
  (defined(name).oneOf ?? defined(name).anyOf ?? []).map((variant) => definition.parse(variant));

const valuesOf = (name: string): readonly string[] => {
  const { enum: values } = defined(name);
  return values ?? variantsOf(name).flatMap((variant) => (variant.const === undefined ? [] : [variant.const]));
};

const discriminators = (name: string, key: string): readonly string[] =>
  variantsOf(name).flatMap((variant) => variant.properties?.[key]?.const ?? []);

/** All required members of a definition, including those of its parts. */
function requiredOf(variant: Definition): readonly string[] {
  const parts = [...(variant.allOf ?? []), ...(variant.$ref === undefined ? [] : [variant])].map(
    (part) => definition.parse(part).$ref?.split('/').at(-1) ?? '',
  );
  return [...(variant.required ?? []), ...parts.flatMap((part) => requiredOf(defined(part)))];
}

const sorted = (values: Iterable<string>): readonly string[] => [...values].sort();

test('every update of the schema has a parser, and no parser is obsolete', () => {
  // Stable since 2026-11-20, and not yet in this SDK.
  const later = ['plan_removed', 'plan_update', 'session_message', 'session_message_chunk', 'subagent_update'];
  assert.deepEqual(sorted(updateKinds), sorted([...discriminators('SessionUpdate', 'sessionUpdate'), ...later]));
});

describe('every enumeration value of the schema is known', () => {
  for (const [name, known] of [
    ['ToolKind', toolKinds],
    ['ToolCallStatus', toolStatuses],
    ['StopReason', stopReasons],
    ['PermissionOptionKind', permissionOptionKinds.filter((kind) => kind !== 'other')],
  ] as const) {
    test(name, () => assert.deepEqual(sorted(known), sorted(valuesOf(name))));
  }
});

const block = { type: 'text', text: 'x' };
const complete: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  user_message_chunk: { content: block },
  agent_message_chunk: { content: block },
  agent_thought_chunk: { content: block },
  tool_call: { toolCallId: 'c', title: 't' },
  tool_call_update: { toolCallId: 'c' },
  plan: { entries: [] },
  available_commands_update: { availableCommands: [] },
  current_mode_update: { currentModeId: 'm' },
  config_option_update: { configOptions: [] },
  session_info_update: {},
  usage_update: { used: 1, size: 2 },
  notice: { severity: 'info', title: 't' },
  compaction_update: { compactionId: 'c', status: 'completed' },
  compaction_summary_chunk: { compactionId: 'c', content: block },
};

describe('a parser requires exactly the members that the schema requires', () => {
  for (const variant of variantsOf('SessionUpdate')) {
    const kind = variant.properties?.['sessionUpdate']?.const ?? '';
    test(kind, () => {
      const update = { sessionUpdate: kind, ...complete[kind] };
      assert.deepEqual(sorted(Object.keys(update)), sorted(new Set(requiredOf(variant))));
      assert.deepEqual(parseUpdate(update), { update });
    });
  }
});

describe('the unions of content types', () => {
  const blocks: Readonly<Record<string, unknown>> = {
    text: block,
    image: { type: 'image', data: 'AA==', mimeType: 'image/png' },
    audio: { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
    resource_link: { type: 'resource_link', uri: 'file:///a', name: 'a' },
    resource: { type: 'resource', resource: { uri: 'file:///a', text: 'x' } },
  };
  test('content blocks', () => {
    assert.deepEqual(sorted(Object.keys(blocks)), sorted(discriminators('ContentBlock', 'type')));
    for (const known of Object.values(blocks)) assert.deepEqual(parseContentBlock(known), known);
  });

  const contents: Readonly<Record<string, unknown>> = {
    content: { type: 'content', content: block },
    diff: { type: 'diff', path: '/a', newText: 'x' },
    terminal: { type: 'terminal', terminalId: 't' },
  };
  test('content of tool calls', () => {
    assert.deepEqual(sorted(Object.keys(contents)), sorted(discriminators('ToolCallContent', 'type')));
    for (const known of Object.values(contents)) assert.deepEqual(parseToolContent(known), known);
  });

  const options: Readonly<Record<string, unknown>> = {
    select: { id: 'o', name: 'O', type: 'select', currentValue: 'a', options: [{ value: 'a', name: 'A' }] },
    boolean: { id: 'o', name: 'O', type: 'boolean', currentValue: true },
  };
  test('options of a session', () => {
    assert.deepEqual(sorted(Object.keys(options)), sorted(discriminators('SessionConfigOption', 'type')));
    for (const known of Object.values(options)) assert.deepEqual(parseConfigOption(known), known);
  });
});

const methodsOfProtocol = new Set(Object.keys($defs).flatMap((name) => definition.safeParse($defs[name]).data?.['x-method'] ?? []));

test('every method that the host calls is part of the protocol, except for two that are not stable, one that was removed and one that no agent has', () => {
  assert.deepEqual(
    Object.values(requests)
      .map(({ method }) => method)
      .filter((method) => !methodsOfProtocol.has(method)),
    ['session/fork', 'session/set_title', 'session/set_model', '_acphost/ping'],
  );
});

test('the methods listed as quirks of one agent are not part of the protocol', () => {
  const own = knownAgents.flatMap(({ askUserMethod, acpQuirks }) => [askUserMethod, acpQuirks?.('').listModelsMethod]);
  assert.deepEqual(
    own.filter((method) => method !== undefined && methodsOfProtocol.has(method)),
    [],
  );
});
