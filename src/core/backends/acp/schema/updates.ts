/**
 * Parses `session/update` by its discriminator. Source: ACP v1, `SessionUpdate` of schema/v1/schema.json (SDK 2.4.0), and what became
 * stable after it: plan operations and sub-agents (2026-11-20).
 */
import type { ContentBlock, PlanEntry, SessionUpdate as SdkUpdate } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import { parseContentBlock } from './content.js';
import {
  type Check,
  every,
  type Fields,
  isFields,
  isMeta,
  isNumber,
  isText,
  itemParser,
  listOf,
  meta,
  nullish,
  oneOf,
  orNull,
  replacingListOf,
  shape,
  withoutBad,
} from './lenient.js';
import { isCommand, parseCommand, parseConfigOption } from './session.js';
import { isToolCall, isToolCallUpdate, toolCallFields, toolCallUpdateFields } from './toolCall.js';

interface PlanUpdate {
  readonly sessionUpdate: 'plan_update';
  readonly plan: { readonly planId: string } & (
    | { readonly type: 'items'; readonly entries: readonly PlanEntry[] }
    | { readonly type: 'markdown'; readonly content: string; readonly path?: string | null }
    /** Of drafts, also of SDK 2.4.0. */
    | { readonly type: 'file'; readonly uri: string }
  );
  readonly _meta?: Record<string, unknown> | null;
}

interface PlanRemoved {
  readonly sessionUpdate: 'plan_removed';
  readonly planId: string;
  readonly _meta?: Record<string, unknown> | null;
}

export interface SubagentUpdate {
  readonly sessionUpdate: 'subagent_update';
  /** Of the sub-agent. */
  readonly sessionId: string;
  readonly title?: string | null;
  readonly description?: string | null;
  readonly capabilities?: { readonly cancel?: Record<string, unknown> | null } | null;
  readonly state?: {
    readonly state: string;
    readonly stopReason?: string | null;
    readonly error?: { readonly message?: string | null } | null;
  } | null;
  readonly cwd?: string | null;
  readonly _meta?: Record<string, unknown> | null;
}

/** A message between the sessions of an agent and its sub-agents. */
interface SessionMessage {
  readonly sessionUpdate: 'session_message';
  readonly messageId: string;
  readonly senderSessionId?: string | null;
  readonly content?: readonly ContentBlock[] | null;
  readonly _meta?: Record<string, unknown> | null;
}

interface SessionMessageChunk {
  readonly sessionUpdate: 'session_message_chunk';
  readonly messageId: string;
  readonly content: ContentBlock;
  readonly _meta?: Record<string, unknown> | null;
}

export type SessionUpdate = SdkUpdate | PlanUpdate | PlanRemoved | SubagentUpdate | SessionMessage | SessionMessageChunk;
export type UpdateKind = SessionUpdate['sessionUpdate'];
type ChunkKind = 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk';
type UpdateOf<K extends UpdateKind> = Extract<SessionUpdate, { sessionUpdate: K }>;

/** `problem` says for the log why the host cannot use the update; `isLost`: it should have been shown in the transcript. */
export type ParsedUpdate<K extends UpdateKind = UpdateKind> =
  | { readonly update: UpdateOf<K> }
  | { readonly problem: string; readonly isLost: boolean };

interface Variant<K extends UpdateKind> {
  /** Accepts valid updates unchanged; absent for updates that are too rare to matter. */
  readonly guard?: (value: Fields) => value is Fields & UpdateOf<K>;
  readonly schema: z.ZodMiniType<UpdateOf<K>>;
  /** Members in which `null` has a meaning, so that an invalid value must be removed instead. */
  readonly dropBad?: Readonly<Record<string, Check>>;
  /** It is no part of what the agent says or does. */
  readonly isBeside?: boolean;
}

function reader<K extends UpdateKind>({ guard, schema, dropBad = {}, isBeside = false }: Variant<K>): (value: Fields) => ParsedUpdate<K> {
  return (value) => {
    if (guard?.(value) === true) return { update: value };
    const result = schema.safeParse(withoutBad(value, dropBad));
    return result.success
      ? { update: result.data }
      : { problem: `${String(value['sessionUpdate'])}: ${z.prettifyError(result.error)}`, isLost: !isBeside };
  };
}

const block = z.pipe(
  z.unknown(),
  z.transform((value, context) => {
    const parsed = parseContentBlock(value);
    if (parsed !== undefined) return parsed;
    context.issues.push({ code: 'custom', message: 'no content block', input: value });
    return z.NEVER;
  }),
);

const is =
  (kind: UpdateKind): Check =>
  (value) =>
    value === kind;

const chunk = { content: block, messageId: orNull(z.string()), _meta: meta };

const priorities = ['high', 'medium', 'low'] as const satisfies readonly PlanEntry['priority'][];
const planStatuses = ['pending', 'in_progress', 'completed'] as const satisfies readonly PlanEntry['status'][];

const planEntry: z.ZodMiniType<PlanEntry> = z.looseObject({
  content: z.string(),
  priority: z.catch(z.enum(priorities), 'medium'),
  status: z.catch(z.enum(planStatuses), 'pending'),
  _meta: meta,
});
const isPlanEntry = shape<PlanEntry>({ content: isText, priority: oneOf(priorities), status: oneOf(planStatuses), _meta: isMeta });

const cost = z.looseObject({ amount: z.number(), currency: z.string(), _meta: meta });
const isCost = shape<NonNullable<UpdateOf<'usage_update'>['cost']>>({ amount: isNumber, currency: isText, _meta: isMeta });

/** A page of the specification (session-modes) has `modeId` where the schema has `currentModeId`. */
const currentMode = z.pipe(
  z.transform((value) => (isFields(value) && value['currentModeId'] === undefined ? { ...value, currentModeId: value['modeId'] } : value)),
  z.looseObject({ sessionUpdate: z.literal('current_mode_update'), currentModeId: z.string(), _meta: meta }),
);

const readers: { readonly [K in UpdateKind]: (value: Fields) => ParsedUpdate<K> } = {
  user_message_chunk: reader({ schema: z.looseObject({ sessionUpdate: z.literal('user_message_chunk'), ...chunk }) }),
  agent_message_chunk: reader({ schema: z.looseObject({ sessionUpdate: z.literal('agent_message_chunk'), ...chunk }) }),
  agent_thought_chunk: reader({ schema: z.looseObject({ sessionUpdate: z.literal('agent_thought_chunk'), ...chunk }) }),
  tool_call: reader({
    guard: (value): value is Fields & UpdateOf<'tool_call'> => isToolCall(value),
    schema: z.looseObject({ sessionUpdate: z.literal('tool_call'), ...toolCallFields }),
  }),
  tool_call_update: reader({
    guard: (value): value is Fields & UpdateOf<'tool_call_update'> => isToolCallUpdate(value),
    schema: z.looseObject({ sessionUpdate: z.literal('tool_call_update'), ...toolCallUpdateFields }),
  }),
  plan: reader({
    guard: shape<UpdateOf<'plan'>>({ sessionUpdate: is('plan'), entries: every(isPlanEntry), _meta: isMeta }),
    schema: z.looseObject({ sessionUpdate: z.literal('plan'), entries: replacingListOf(itemParser(planEntry)), _meta: meta }),
  }),
  plan_update: reader({
    schema: z.looseObject({
      sessionUpdate: z.literal('plan_update'),
      plan: z.discriminatedUnion('type', [
        z.looseObject({ type: z.literal('items'), planId: z.string(), entries: replacingListOf(itemParser(planEntry)) }),
        z.looseObject({ type: z.literal('markdown'), planId: z.string(), content: z.string(), path: orNull(z.string()) }),
        z.looseObject({ type: z.literal('file'), planId: z.string(), uri: z.string() }),
      ]),
      _meta: meta,
    }),
  }),
  plan_removed: reader({ schema: z.looseObject({ sessionUpdate: z.literal('plan_removed'), planId: z.string(), _meta: meta }) }),
  subagent_update: reader({
    schema: z.looseObject({
      sessionUpdate: z.literal('subagent_update'),
      sessionId: z.string().check(z.minLength(1)),
      title: orNull(z.string()),
      description: orNull(z.string()),
      capabilities: orNull(z.looseObject({ cancel: orNull(z.record(z.string(), z.unknown())) })),
      state: orNull(
        z.looseObject({
          state: z.string(),
          stopReason: orNull(z.string()),
          error: orNull(z.looseObject({ message: orNull(z.string()) })),
        }),
      ),
      cwd: orNull(z.string()),
      _meta: meta,
    }),
    dropBad: {
      title: nullish(isText),
      description: nullish(isText),
      capabilities: nullish(isFields),
      state: nullish(isFields),
      cwd: nullish(isText),
    },
  }),
  session_message: reader({
    schema: z.looseObject({
      sessionUpdate: z.literal('session_message'),
      messageId: z.string(),
      senderSessionId: orNull(z.string()),
      content: orNull(listOf(parseContentBlock)),
      _meta: meta,
    }),
  }),
  session_message_chunk: reader({
    schema: z.looseObject({ sessionUpdate: z.literal('session_message_chunk'), messageId: z.string(), content: block, _meta: meta }),
  }),
  available_commands_update: reader({
    guard: shape<UpdateOf<'available_commands_update'>>({
      sessionUpdate: is('available_commands_update'),
      availableCommands: every(isCommand),
      _meta: isMeta,
    }),
    schema: z.looseObject({
      sessionUpdate: z.literal('available_commands_update'),
      availableCommands: replacingListOf(parseCommand),
      _meta: meta,
    }),
  }),
  current_mode_update: reader({ schema: currentMode }),
  config_option_update: reader({
    schema: z.looseObject({
      sessionUpdate: z.literal('config_option_update'),
      configOptions: replacingListOf(parseConfigOption),
      _meta: meta,
    }),
  }),
  session_info_update: reader({
    schema: z.looseObject({
      sessionUpdate: z.literal('session_info_update'),
      title: orNull(z.string()),
      updatedAt: orNull(z.string()),
      _meta: meta,
    }),
    dropBad: { title: nullish(isText), updatedAt: nullish(isText) },
  }),
  usage_update: reader({
    guard: shape<UpdateOf<'usage_update'>>({
      sessionUpdate: is('usage_update'),
      used: isNumber,
      size: isNumber,
      cost: nullish(isCost),
      _meta: isMeta,
    }),
    schema: z.looseObject({
      sessionUpdate: z.literal('usage_update'),
      used: z.number(),
      size: z.number(),
      cost: orNull(cost),
      _meta: meta,
    }),
    // Agents that don't know how large the context is have no number for it.
    isBeside: true,
  }),
  notice: reader({
    schema: z.looseObject({
      sessionUpdate: z.literal('notice'),
      severity: z.string(),
      title: z.string().check(z.minLength(1)),
      description: orNull(z.string()),
      _meta: meta,
    }),
  }),
  compaction_update: reader({
    schema: z.looseObject({
      sessionUpdate: z.literal('compaction_update'),
      compactionId: z.string(),
      status: z.string(),
      summary: orNull(listOf(parseContentBlock)),
      error: orNull(z.string()),
      _meta: meta,
    }),
    dropBad: { summary: nullish(Array.isArray), error: nullish(isText) },
  }),
  compaction_summary_chunk: reader({
    schema: z.looseObject({ sessionUpdate: z.literal('compaction_summary_chunk'), compactionId: z.string(), content: block, _meta: meta }),
  }),
};

export const updateKinds: readonly string[] = Object.keys(readers);

const isUpdateKind = (kind: unknown): kind is UpdateKind => typeof kind === 'string' && Object.hasOwn(readers, kind);

/**
 * Nine of ten messages are one piece of text, so this only makes a few comparisons and allocates nothing but the result (see the benchmark
 * "wire").
 */
function isTextChunk(value: Fields): value is Fields & UpdateOf<ChunkKind> {
  const { sessionUpdate: kind, content, messageId, _meta } = value;
  if (kind !== 'agent_message_chunk' && kind !== 'agent_thought_chunk' && kind !== 'user_message_chunk') return false;
  if (typeof content !== 'object' || content === null || !('type' in content) || content.type !== 'text') return false;
  if (!('text' in content) || typeof content.text !== 'string' || 'annotations' in content || '_meta' in content) return false;
  return (messageId == null || typeof messageId === 'string') && (_meta == null || isFields(_meta));
}

/** Whether it changes the options of its session. */
export function isOfOptions({ sessionUpdate }: { readonly sessionUpdate?: unknown }): boolean {
  return sessionUpdate === 'config_option_update' || sessionUpdate === 'current_mode_update';
}

export function parseUpdate(value: Fields): ParsedUpdate {
  if (isTextChunk(value)) return { update: value };
  const kind = value['sessionUpdate'];
  if (isUpdateKind(kind)) return readers[kind](value);
  return typeof kind === 'string'
    ? { problem: `unknown update "${kind.slice(0, 60)}"`, isLost: false }
    : { problem: 'the update has no `sessionUpdate`', isLost: true };
}

/** Returns the sessions that the content of a tool call names. */
export function linkedSessions({ content }: Fields): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) =>
    isFields(part) && part['type'] === 'session' && typeof part['sessionId'] === 'string' ? [part['sessionId']] : [],
  );
}

/** Parses the envelope only, because an unknown update still belongs to its session. Returns undefined if it names no session. */
export function parseSessionNotification(params: unknown): { readonly sessionId: string; readonly update: Fields } | undefined {
  if (!isFields(params)) return undefined;
  const { sessionId, update } = params;
  return typeof sessionId === 'string' && isFields(update) ? { sessionId, update } : undefined;
}
