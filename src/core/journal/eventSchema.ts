/** Schemas of session events that are read from disk, and of their content, which front ends also send: parsed, not trusted. Shapes of ACP v1 (SDK 2.4.0) where they come from ACP. */
import * as z from 'zod/mini';
import { hostErrorCodes } from '../base/errors.js';
import { isFields, withoutAbsent } from '../base/fields.js';
import { modeHints, retryReasons, toolCaveats } from '../session/agentHint.js';
import { type Meta, toolKinds } from '../session/content.js';
import { frontEndPrograms, openedBy, type SessionEvent } from '../session/event.js';
import { type ContentBlock, hostCommands, noticeSeverities, stopReasons, subagentStatuses, toolStatuses } from '../session/model.js';
import { type HostNoticeCode, missingCauses, unansweredReasons, unaskedActs } from '../session/hostNotice.js';
import { leftOutCodes } from '../session/sessionContext.js';
import { closeReasons, hostQuestions, type PermissionOption, permissionOptionKinds, textFormats } from '../session/userRequest.js';

/**
 * An optional member. One of the wrong shape, or `null` from a program that writes it for nothing, costs only itself. Most are absent, which
 * costs the least with `optional` outside.
 */
function maybe<T extends z.ZodMiniType>(schema: T): z.ZodMiniOptional<z.ZodMiniCatch<z.ZodMiniOptional<T>>> {
  return z.optional(z.catch(z.optional(schema), undefined));
}

const meta = maybe(z.nullable(z.custom<Meta>(isFields)));
const text = maybe(z.nullable(z.string()));
const annotated = { annotations: meta, _meta: meta };
const resource = { uri: z.string(), mimeType: text, _meta: meta };

const contentBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), ...annotated }),
  z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string(), uri: text, ...annotated }),
  z.object({ type: z.literal('audio'), data: z.string(), mimeType: z.string(), ...annotated }),
  z.object({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string(),
    title: text,
    description: text,
    mimeType: text,
    size: maybe(z.nullable(z.number())),
    ...annotated,
  }),
  z.object({
    type: z.literal('resource'),
    resource: z.union([z.object({ ...resource, text: z.string() }), z.object({ ...resource, blob: z.string() })]),
    ...annotated,
  }),
]);

/** A block of a prompt. The cast is that of `parseEvent`. */
export const promptBlock = contentBlock as z.ZodMiniType<ContentBlock>;

const toolContent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('content'), content: contentBlock, _meta: meta }),
  z.object({ type: z.literal('diff'), path: z.string(), oldText: text, newText: z.string(), _meta: meta }),
  z.object({ type: z.literal('terminal'), terminalId: z.string(), output: maybe(z.string()), _meta: meta }),
]);
const location = z.object({ path: z.string(), line: maybe(z.nullable(z.number())), _meta: meta });

const optionChoice = z.object({
  value: z.string(),
  name: z.string(),
  description: maybe(z.string()),
  hint: maybe(z.enum(modeHints)),
});
const optionBase = { id: z.string(), name: z.string(), description: maybe(z.string()), category: maybe(z.string()) };
const option = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('select'),
    ...optionBase,
    currentValue: z.string(),
    choices: z.array(z.union([z.object({ group: z.string(), name: z.string(), choices: z.array(optionChoice) }), optionChoice])),
    custom: maybe(z.enum(['text', 'count'])),
  }),
  z.object({ type: z.literal('boolean'), ...optionBase, currentValue: z.boolean() }),
]);

const command = z.object({
  name: z.string(),
  host: maybe(z.enum(hostCommands)),
  description: z.string(),
  input: maybe(z.nullable(z.object({ hint: z.string() }))),
  _meta: meta,
});
const planEntry = z.object({
  content: z.string(),
  priority: z.enum(['high', 'medium', 'low']),
  status: z.enum(['pending', 'in_progress', 'completed']),
  _meta: meta,
});
const permissionOption: z.ZodMiniType<PermissionOption> = z.object({
  optionId: z.string(),
  name: z.string(),
  kind: z.enum(permissionOptionKinds),
});

const toolKind = z.enum(toolKinds);
const toolStatus = z.enum(toolStatuses);
const stopReason = z.enum(stopReasons);

/** Reads a code or a reason that this version doesn't know as if it knew it. */
const errorData = z.object({
  code: z.catch(z.enum(hostErrorCodes), 'internal'),
  params: z.looseObject({ reason: maybe(z.string()), detail: maybe(z.string()) }),
});
const turnUsage = z.object({
  totalTokens: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  thoughtTokens: maybe(z.number()),
  cachedReadTokens: maybe(z.number()),
  cachedWriteTokens: maybe(z.number()),
});
const outcome = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ended'),
    stopReason,
    silent: z.boolean(),
    stderrTail: maybe(z.string()),
    usage: maybe(turnUsage),
  }),
  z.object({ type: z.literal('failed'), error: errorData, stderrTail: maybe(z.string()) }),
  z.object({ type: z.literal('interrupted'), error: errorData, stderrTail: maybe(z.string()) }),
]);

const subject = z.object({
  itemId: maybe(z.string()),
  toolCallId: z.string(),
  title: z.string(),
  toolKind,
  rawInput: z.optional(z.unknown()),
  content: z.array(toolContent),
  locations: z.array(location),
});
const requestBase = {
  id: z.string(),
  sessionId: z.string(),
  at: z.number(),
  deadlineAt: maybe(z.number()),
  subagent: maybe(z.object({ id: z.string(), name: z.string() })),
};
const fieldBase = {
  name: z.string(),
  label: maybe(z.string()),
  description: maybe(z.string()),
  required: z.boolean(),
};
const choice = z.object({ value: z.string(), label: z.string(), description: maybe(z.string()) });
const number = {
  ...fieldBase,
  min: maybe(z.number()),
  max: maybe(z.number()),
  defaultValue: maybe(z.number()),
};
const choosing = { ...fieldBase, choices: z.array(choice), allowCustom: z.boolean() };
const field = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    ...fieldBase,
    multiline: maybe(z.boolean()),
    placeholder: maybe(z.string()),
    minLength: maybe(z.number()),
    maxLength: maybe(z.number()),
    format: maybe(z.enum(textFormats)),
    pattern: maybe(z.string()),
    defaultValue: maybe(z.string()),
  }),
  z.object({ type: z.literal('number'), ...number }),
  z.object({ type: z.literal('integer'), ...number }),
  z.object({ type: z.literal('boolean'), ...fieldBase, defaultValue: maybe(z.boolean()) }),
  z.object({ type: z.literal('select'), ...choosing, defaultValue: maybe(z.string()) }),
  z.object({
    type: z.literal('multiselect'),
    ...choosing,
    minItems: maybe(z.number()),
    maxItems: maybe(z.number()),
    defaultValue: maybe(z.array(z.string())),
  }),
]);
const alwaysScope = z.object({ code: z.literal('session_tool'), params: z.object({ tool: z.string() }) });
const request = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('permission'),
    ...requestBase,
    subject,
    byHost: maybe(z.literal(true)),
    calls: maybe(z.array(subject)),
    moreCalls: maybe(z.number()),
    options: z.array(permissionOption),
    alwaysScope: maybe(alwaysScope),
  }),
  z.object({
    kind: z.literal('form'),
    ...requestBase,
    title: maybe(z.string()),
    message: z.string(),
    question: maybe(z.enum(hostQuestions)),
    fields: z.array(field),
    canDecline: maybe(z.boolean()),
  }),
  z.object({
    kind: z.literal('url'),
    ...requestBase,
    message: z.string(),
    url: z.string(),
    pageId: maybe(z.string()),
    isOpened: maybe(z.literal(true)),
  }),
  z.object({ kind: z.literal('confirm'), ...requestBase, title: z.string(), message: maybe(z.string()) }),
  z.object({ kind: z.literal('editor'), ...requestBase, title: z.string(), prefill: z.string() }),
]);
const fieldValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
/** With any reason, there was no decision of the user. */
const why = z.optional(z.catch(z.enum(closeReasons), 'dismissed'));
const answer = z.discriminatedUnion('type', [
  z.object({ type: z.literal('accept'), values: z.record(z.string(), fieldValue), why }),
  z.object({ type: z.literal('decline') }),
  z.object({ type: z.literal('cancel'), why }),
]);

const at = z.number();
const retryReason = z.object({
  code: z.enum(retryReasons),
  params: z.object({
    attempt: maybe(z.number()),
    attempts: maybe(z.number()),
    status: maybe(z.number()),
    error: maybe(z.string()),
  }),
});
const wait = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('retry'), reason: retryReason, until: z.number() }),
  z.object({ kind: z.literal('not_reading'), queuedBytes: z.number() }),
]);
const members = z.object({
  title: maybe(z.string()),
  toolKind: maybe(toolKind),
  status: maybe(toolStatus),
  content: maybe(z.array(toolContent)),
  locations: maybe(z.array(location)),
  rawInput: z.optional(z.unknown()),
  rawOutput: z.optional(z.unknown()),
  exit: maybe(z.object({ code: maybe(z.number()), signal: maybe(z.string()) })),
  caveat: maybe(z.enum(toolCaveats)),
});
const patch = z.pipe(members, z.transform(withoutAbsent));

const nothing = z.object({});
const unrestored = z.object({ name: z.string(), value: z.union([z.string(), z.boolean()]), error: maybe(errorData) });
const frontEnd = z.object({ program: z.enum(frontEndPrograms), id: z.string() });
const askGate = z.discriminatedUnion('by', [
  z.object({ by: z.literal('mode'), mode: z.string() }),
  z.object({ by: z.literal('extension'), file: z.string() }),
]);
const leftOutServer = z.object({ server: z.string(), code: z.enum(leftOutCodes), variable: maybe(z.string()) });
const noticeParams = {
  events_missing: z.object({ since: z.number(), until: z.number(), events: z.number(), cause: maybe(z.enum(missingCauses)) }),
  beginning_removed: z.object({ bytes: z.number() }),
  tool_output_removed: z.object({ bytes: z.number() }),
  part_removed: nothing,
  settings_not_restored: z.object({ options: z.array(unrestored) }),
  plan_finished: z.object({ entries: z.array(z.string()) }),
  recall_tail_lost: z.object({ prompts: z.number(), since: z.string() }),
  recall_other_conversation: nothing,
  recall_nothing_told: nothing,
  agent_acted_unasked: z.object({ act: z.enum(unaskedActs), title: z.string(), gate: maybe(askGate) }),
  server_unauthenticated: nothing,
  agent_keeps_no_context: nothing,
  continue_refused: z.object({ detail: z.string() }),
  session_made: z.object({ sessionId: z.string() }),
  mcp_servers_left_out: z.object({ names: z.array(z.string()) }),
  mcp_servers_invalid: z.object({ leftOut: z.array(leftOutServer) }),
  system_prompt_left_out: nothing,
  messages_unread: z.object({ messages: z.number() }),
  agent_hangs_after_sleep: nothing,
  request_closed_unanswered: z.object({ request: z.string(), why: z.enum(unansweredReasons) }),
} satisfies { readonly [C in HostNoticeCode]: z.ZodMiniType };
const hostNotice = z.pipe(
  z.object({ type: z.literal('host_notice'), at, severity: z.enum(noticeSeverities), code: z.string(), params: z.unknown() }),
  z.transform((notice, { issues }) => {
    const params = isNoticeCode(notice.code) ? noticeParams[notice.code].safeParse(notice.params) : undefined;
    if (params?.success === true) return { ...notice, params: params.data };
    issues.push({ code: 'custom', input: notice });
    return z.NEVER;
  }),
);

function isNoticeCode(code: string): code is HostNoticeCode {
  return Object.hasOwn(noticeParams, code);
}

const inSubagent = { subagentId: maybe(z.string()) };
const subagentPatch = z.pipe(
  z.object({
    title: maybe(z.string()),
    description: maybe(z.nullable(z.string())),
    task: maybe(z.string()),
    status: maybe(z.enum(subagentStatuses)),
    error: maybe(z.nullable(z.string())),
    canStop: maybe(z.boolean()),
  }),
  z.transform(withoutAbsent),
);
const eventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('opened'),
    at,
    cwd: z.string(),
    by: z.enum(openedBy),
    continues: maybe(z.string()),
    fork: maybe(z.union([z.literal('made'), errorData])),
  }),
  z.object({ type: z.literal('turn_started'), at, turnId: z.string(), promptId: maybe(z.string()), content: maybe(z.array(contentBlock)) }),
  z.object({ type: z.literal('wait'), at, wait: z.nullable(wait) }),
  z.object({ type: z.literal('turn_cancelling'), at, turnId: z.string() }),
  z.object({ type: z.literal('turn_ended'), at, turnId: z.string(), outcome }),
  z.object({
    type: z.literal('message'),
    at,
    role: z.enum(['user', 'agent', 'thought']),
    messageId: maybe(z.string()),
    promptId: maybe(z.string()),
    content: contentBlock,
    ...inSubagent,
  }),
  z.object({ type: z.literal('tool'), at, id: z.string(), toolCallId: z.string(), patch, ...inSubagent }),
  z.object({
    type: z.literal('subagent'),
    at,
    agentId: z.string(),
    patch: subagentPatch,
    toolId: maybe(z.string()),
    ...inSubagent,
  }),
  z.object({
    type: z.literal('plan'),
    at,
    planId: maybe(z.string()),
    entries: z.array(planEntry),
    text: maybe(z.object({ markdown: z.string(), path: maybe(z.string()) })),
    ...inSubagent,
  }),
  z.object({ type: z.literal('commands'), at, commands: z.array(command) }),
  z.object({ type: z.literal('options'), at, options: z.array(option) }),
  z.object({
    type: z.literal('context'),
    at,
    context: z.object({ servers: z.array(z.string()), leftOut: z.array(leftOutServer), folders: z.array(z.string()) }),
  }),
  z.object({ type: z.literal('info'), at, title: maybe(z.nullable(z.string())) }),
  z.object({
    type: z.literal('usage'),
    at,
    usage: maybe(
      z.object({ used: z.number(), size: z.number(), cost: maybe(z.looseObject({ amount: z.number(), currency: z.string() })) }),
    ),
  }),
  z.object({
    type: z.literal('notice'),
    at,
    severity: z.enum(noticeSeverities),
    title: z.string(),
    description: maybe(z.string()),
    ...inSubagent,
  }),
  hostNotice,
  z.object({
    type: z.literal('compaction'),
    at,
    id: z.string(),
    status: maybe(z.string()),
    summary: maybe(z.array(contentBlock)),
    summaryChunk: maybe(contentBlock),
    error: maybe(z.nullable(z.string())),
  }),
  z.object({ type: z.literal('request_opened'), at, request }),
  z.object({ type: z.literal('request_closed'), at, requestId: z.string(), answer, by: maybe(frontEnd) }),
  z.object({ type: z.literal('queued'), at, prompt: z.object({ id: z.string(), content: z.array(contentBlock), at: z.number() }) }),
  z.object({ type: z.literal('unqueued'), at, promptId: z.string() }),
]);

/** @returns undefined for anything that is not an event of this version */
export function parseEvent(value: unknown): SessionEvent | undefined {
  const text = parseTextMessage(value);
  if (text !== undefined) return text;
  const parsed = eventSchema.safeParse(value);
  // The schema mirrors the type except for `undefined` members, which exactOptionalPropertyTypes distinguishes and JSON does not.
  return parsed.success ? (parsed.data as SessionEvent) : undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** A text without other members. */
function isOnlyText(value: unknown): value is Extract<ContentBlock, { type: 'text' }> {
  return isFields(value) && value['type'] === 'text' && isText(value['text']) && Object.keys(value).length === 2;
}

/**
 * Parses text chunks by hand. Most events of a long conversation are text chunks, and this is several times as fast. Must match the schema
 * (test: eventSchema).
 */
function parseTextMessage(value: unknown): SessionEvent | undefined {
  if (!isFields(value) || value['type'] !== 'message') return undefined;
  const { at: time, role, messageId, promptId, content, subagentId } = value;
  if (!Number.isFinite(time) || typeof time !== 'number' || (role !== 'user' && role !== 'agent' && role !== 'thought')) return undefined;
  if (!isOnlyText(content)) return undefined;
  const event = isText(messageId)
    ? ({ type: 'message', at: time, role, messageId, content } as const)
    : ({ type: 'message', at: time, role, content } as const);
  if (!isText(subagentId) && !isText(promptId)) return event;
  return { ...event, ...(isText(promptId) && { promptId }), ...(isText(subagentId) && { subagentId }) };
}
