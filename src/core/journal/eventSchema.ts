/** Session events as they are read back from a disk: parsed, not believed. Shapes of ACP v1 (SDK 2.4.0) where they are ACP's. */
import * as z from 'zod/mini';
import { openedBy, type SessionEvent } from '../session/event.js';
import type { AvailableCommand, ContentBlock, PermissionOption, PlanEntry, ToolCallContent, ToolCallLocation } from '../session/model.js';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';

function hasContentBlockShape(value: unknown): boolean {
  if (!isFields(value)) return false;
  switch (value['type']) {
    case 'text':
      return isText(value['text']);
    case 'image':
    case 'audio':
      return isText(value['data']) && isText(value['mimeType']);
    case 'resource_link':
      return isText(value['uri']) && isText(value['name']);
    case 'resource':
      return isFields(value['resource']) && isText(value['resource']['uri']);
    default:
      return false;
  }
}

function hasToolContentShape(value: unknown): boolean {
  if (!isFields(value)) return false;
  switch (value['type']) {
    case 'content':
      return hasContentBlockShape(value['content']);
    case 'diff':
      return isText(value['path']) && isText(value['newText']);
    case 'terminal':
      return isText(value['terminalId']);
    default:
      return false;
  }
}

const choice = z.object({ value: z.string(), name: z.string(), description: z.optional(z.string()) });
const optionBase = { id: z.string(), name: z.string(), description: z.optional(z.string()), category: z.optional(z.string()) };
const option = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('select'),
    ...optionBase,
    currentValue: z.string(),
    choices: z.array(z.union([z.object({ group: z.string(), name: z.string(), choices: z.array(choice) }), choice])),
  }),
  z.object({ type: z.literal('boolean'), ...optionBase, currentValue: z.boolean() }),
]);

const contentBlock = z.custom<ContentBlock>(hasContentBlockShape);
const toolContent = z.custom<ToolCallContent>(hasToolContentShape);
const location = z.custom<ToolCallLocation>((value) => isFields(value) && isText(value['path']));
const command = z.custom<AvailableCommand>((value) => isFields(value) && isText(value['name']) && isText(value['description']));
const planEntry: z.ZodMiniType<PlanEntry> = z.object({
  content: z.string(),
  priority: z.enum(['high', 'medium', 'low']),
  status: z.enum(['pending', 'in_progress', 'completed']),
});
const permissionOption: z.ZodMiniType<PermissionOption> = z.object({
  optionId: z.string(),
  name: z.string(),
  kind: z.enum(['allow_once', 'allow_always', 'reject_once', 'reject_always']),
});

const toolKind = z.enum(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other']);
const toolStatus = z.enum(['pending', 'in_progress', 'completed', 'failed', 'cancelled']);
const stopReason = z.enum(['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled']);
const askClosedWhy = z.enum(['turn_cancelled', 'agent_gone', 'session_closed', 'deadline', 'withdrawn', 'no_options', 'not_interactive']);

const errorData = z.object({ code: z.string(), message: z.string(), data: z.record(z.string(), z.unknown()) });
const outcome = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ended'), stopReason, silent: z.boolean(), stderrTail: z.optional(z.string()) }),
  z.object({ type: z.literal('failed'), error: errorData, stderrTail: z.optional(z.string()) }),
  z.object({ type: z.literal('interrupted'), error: errorData, stderrTail: z.optional(z.string()) }),
]);

const subject = z.object({
  itemId: z.optional(z.string()),
  toolCallId: z.string(),
  title: z.string(),
  toolKind,
  rawInput: z.unknown(),
  content: z.array(toolContent),
  locations: z.array(location),
});
const askBase = { id: z.string(), sessionId: z.string(), at: z.number(), deadlineAt: z.optional(z.number()) };
const ask = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('permission'), ...askBase, subject, options: z.array(permissionOption), alwaysScope: z.optional(z.string()) }),
  z.object({
    kind: z.literal('question'),
    ...askBase,
    header: z.optional(z.string()),
    question: z.string(),
    options: z.array(z.string()),
    multiple: z.boolean(),
    allowCustom: z.boolean(),
  }),
]);
const answer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('selected'), optionId: z.string() }),
  z.object({ type: z.literal('answered'), text: z.string() }),
  z.object({ type: z.literal('cancelled'), why: z.optional(askClosedWhy) }),
]);

const at = z.number();
const wait = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('retry'), reason: z.string(), until: z.number() }),
  z.object({ kind: z.literal('not_reading'), queuedBytes: z.number() }),
]);
const patch = z.object({
  title: z.optional(z.string()),
  toolKind: z.optional(toolKind),
  status: z.optional(toolStatus),
  content: z.optional(z.array(toolContent)),
  locations: z.optional(z.array(location)),
  rawInput: z.optional(z.unknown()),
  rawOutput: z.optional(z.unknown()),
  caveat: z.optional(z.string()),
});

const eventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('opened'),
    at,
    cwd: z.string(),
    by: z.enum(openedBy),
    continues: z.optional(z.string()),
  }),
  z.object({ type: z.literal('turn_started'), at, turnId: z.string(), content: z.optional(z.array(contentBlock)) }),
  z.object({ type: z.literal('wait'), at, wait: z.nullable(wait) }),
  z.object({ type: z.literal('turn_cancelling'), at, turnId: z.string() }),
  z.object({ type: z.literal('turn_ended'), at, turnId: z.string(), outcome }),
  z.object({
    type: z.literal('message'),
    at,
    role: z.enum(['user', 'agent', 'thought']),
    messageId: z.optional(z.string()),
    content: contentBlock,
  }),
  z.object({ type: z.literal('tool'), at, id: z.string(), toolCallId: z.string(), patch }),
  z.object({ type: z.literal('plan'), at, entries: z.array(planEntry) }),
  z.object({ type: z.literal('commands'), at, commands: z.array(command) }),
  z.object({ type: z.literal('options'), at, options: z.array(option) }),
  z.object({ type: z.literal('info'), at, title: z.optional(z.nullable(z.string())) }),
  z.object({
    type: z.literal('usage'),
    at,
    usage: z.object({ used: z.number(), size: z.number(), cost: z.optional(z.looseObject({ amount: z.number(), currency: z.string() })) }),
  }),
  z.object({
    type: z.literal('notice'),
    at,
    severity: z.enum(['info', 'warning', 'error']),
    title: z.string(),
    description: z.optional(z.string()),
  }),
  z.object({
    type: z.literal('compaction'),
    at,
    id: z.string(),
    status: z.optional(z.string()),
    summary: z.optional(z.array(contentBlock)),
    summaryChunk: z.optional(contentBlock),
    error: z.optional(z.nullable(z.string())),
  }),
  z.object({ type: z.literal('ask_opened'), at, ask }),
  z.object({ type: z.literal('ask_closed'), at, askId: z.string(), answer }),
  z.object({ type: z.literal('queued'), at, prompt: z.object({ id: z.string(), content: z.array(contentBlock), at: z.number() }) }),
  z.object({ type: z.literal('unqueued'), at, promptId: z.string() }),
]);

/** @returns undefined for anything that is no event of this version */
export function parseEvent(value: unknown): SessionEvent | undefined {
  const text = parseTextMessage(value);
  if (text !== undefined) return text;
  const parsed = eventSchema.safeParse(value);
  // The schema mirrors the type but for `undefined` members, which exactOptionalPropertyTypes tells apart and JSON does not.
  return parsed.success ? (parsed.data as SessionEvent) : undefined;
}

/** Most events of a long conversation are pieces of text; told apart by hand they are read several times as fast. Same as the schema (test: eventSchema). */
function parseTextMessage(value: unknown): SessionEvent | undefined {
  if (!isFields(value) || value['type'] !== 'message') return undefined;
  const { at: time, role, messageId, content } = value;
  if (!Number.isFinite(time) || typeof time !== 'number' || (role !== 'user' && role !== 'agent' && role !== 'thought')) return undefined;
  if (!isFields(content) || content['type'] !== 'text' || !isText(content['text'])) return undefined;
  if (messageId !== undefined && !isText(messageId)) return undefined;
  const block: ContentBlock = { ...content, type: 'text', text: content['text'] };
  return { type: 'message', at: time, role, ...(messageId === undefined ? {} : { messageId }), content: block };
}
