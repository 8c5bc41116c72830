/** Parses complete and partial tool calls. Source: ACP v1, `ToolCall` and `ToolCallUpdate` of schema/v1/schema.json (SDK 2.4.0). */
import type { ToolCall, ToolCallStatus, ToolCallUpdate, ToolKind } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import { isLocation, isPlainToolContent, parseLocation, parseToolContent } from './content.js';
import { anything, every, isMeta, isText, listOf, maybe, meta, nullish, oneOf, orDefault, orNull, shape } from './lenient.js';

export const toolKinds = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
] as const satisfies readonly ToolKind[];
export const toolStatuses = ['pending', 'in_progress', 'completed', 'failed'] as const satisfies readonly ToolCallStatus[];

const kind = z.catch(z.exactOptional(z.nullable(z.enum(toolKinds))), 'other');

export const toolCallUpdateFields = {
  toolCallId: z.string(),
  title: orNull(z.string()),
  name: orNull(z.string()),
  kind,
  status: orNull(z.enum(toolStatuses)),
  content: orNull(listOf(parseToolContent)),
  locations: orNull(listOf(parseLocation)),
  rawInput: z.exactOptional(z.unknown()),
  rawOutput: z.exactOptional(z.unknown()),
  _meta: meta,
};

export const toolCallUpdate: z.ZodMiniType<ToolCallUpdate> = z.looseObject(toolCallUpdateFields);

/** A missing title, which ACP requires, becomes the empty text; the front end shows a better one. */
export const toolCallFields = {
  toolCallId: z.string(),
  title: z.catch(z.string(), ''),
  name: orNull(z.string()),
  kind: orDefault(z.enum(toolKinds), 'other'),
  status: orDefault(z.enum(toolStatuses), 'pending'),
  content: orDefault(listOf(parseToolContent), []),
  locations: orDefault(listOf(parseLocation), []),
  rawInput: z.exactOptional(z.unknown()),
  rawOutput: z.exactOptional(z.unknown()),
  _meta: meta,
};

export const isToolCall = shape<ToolCall>({
  toolCallId: isText,
  title: isText,
  name: nullish(isText),
  kind: maybe(oneOf(toolKinds)),
  status: maybe(oneOf(toolStatuses)),
  content: maybe(every(isPlainToolContent)),
  locations: maybe(every(isLocation)),
  rawInput: anything,
  rawOutput: anything,
  _meta: isMeta,
});

export const isToolCallUpdate = shape<ToolCallUpdate>({
  toolCallId: isText,
  title: nullish(isText),
  name: nullish(isText),
  kind: nullish(oneOf(toolKinds)),
  status: nullish(oneOf(toolStatuses)),
  content: nullish(every(isPlainToolContent)),
  locations: nullish(every(isLocation)),
  rawInput: anything,
  rawOutput: anything,
  _meta: isMeta,
});
