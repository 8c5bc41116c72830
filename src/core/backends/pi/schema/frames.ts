/** Pi's events. A frame of an unknown kind or of the wrong shape is left out, and affects nothing else. */
import * as z from 'zod/mini';
import { failureText } from '../../agentInput.js';
import { idSchema, listOf, maybe, messageSchema, resultFields, toolCallSchema, validOf } from './messages.js';

const fields = z.catch(z.record(z.string(), z.unknown()), {});
const call = { toolCallId: idSchema, toolName: z.string(), args: fields };
/** A text alone is a result too. */
const result = z.pipe(
  z.transform((value: unknown) => (typeof value === 'string' ? { content: value } : value)),
  z.catch(z.object(resultFields), { content: [], details: undefined, structuredContent: undefined }),
);
const compactionEnd = {
  result: maybe(z.object({ summary: maybe(z.string()) })),
  aborted: maybe(z.boolean()),
  willRetry: maybe(z.boolean()),
  errorMessage: maybe(z.string()),
  /** omp: there was nothing to compact. */
  skipped: maybe(z.boolean()),
};
/** Their messages are parsed elsewhere, and most of them are not needed. */
const message = { message: z.optional(z.unknown()) };

const index = { contentIndex: z.catch(z.number(), 0) };
const deltaSchema = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['text_delta', 'thinking_delta']), ...index, delta: z.string() }),
  z.object({ type: z.enum(['text_end', 'thinking_end']), ...index, content: maybe(z.string()) }),
  /** Up to 0.83, `partial` contains the call; later versions have members for it. */
  z.object({
    type: z.literal('toolcall_start'),
    ...index,
    id: maybe(idSchema),
    toolName: maybe(z.string()),
    partial: maybe(z.object({ content: z.array(z.unknown()) })),
  }),
  z.object({ type: z.literal('toolcall_end'), ...index, toolCall: toolCallSchema }),
]);
export type PiDelta = z.infer<typeof deltaSchema>;

const timeout = { timeout: maybe(z.number()) };
const ui = { type: z.literal('extension_ui_request'), id: z.string() };
const dialogSchema = z.discriminatedUnion('method', [
  z.object({ ...ui, method: z.literal('select'), title: z.string(), options: z.array(z.string()), ...timeout }),
  z.object({ ...ui, method: z.literal('confirm'), title: z.string(), message: maybe(z.string()), ...timeout }),
  z.object({ ...ui, method: z.literal('input'), title: z.string(), placeholder: maybe(z.string()), ...timeout }),
  z.object({ ...ui, method: z.literal('editor'), title: z.string(), prefill: maybe(z.string()) }),
]);
export type PiDialog = z.infer<typeof dialogSchema>;

const noticeSchema = z.discriminatedUnion('method', [
  z.object({ ...ui, method: z.literal('notify'), message: z.string(), notifyType: maybe(z.enum(['info', 'warning', 'error'])) }),
  z.object({ ...ui, method: z.literal('setStatus'), statusKey: z.string(), statusText: maybe(z.string()) }),
  z.object({ ...ui, method: z.literal('setWidget'), widgetKey: z.string(), widgetLines: maybe(z.array(z.string())) }),
  z.object({ ...ui, method: z.literal('setTitle'), title: z.string() }),
  z.object({ ...ui, method: z.literal('set_editor_text'), text: z.string() }),
  z.object({ ...ui, method: z.literal('cancel'), targetId: z.string() }),
]);
const uiSchema = z.union([dialogSchema, noticeSchema]);
/** A request that cannot be shown. */
const unknownRequestSchema = z.object({ id: z.string(), method: z.catch(z.string(), '') });
export type PiUiRequest = z.infer<typeof uiSchema>;

const eventSchemas = {
  agent_start: z.object({ type: z.literal('agent_start') }),
  /** `isTerminal: false` (omp 18.2.3) and `willContinue` (omp 17): the run goes on after a pause. */
  agent_end: z.object({
    type: z.literal('agent_end'),
    willRetry: maybe(z.boolean()),
    isTerminal: maybe(z.boolean()),
    willContinue: maybe(z.boolean()),
  }),
  agent_settled: z.object({ type: z.literal('agent_settled') }),
  message_start: z.object({ type: z.literal('message_start'), ...message }),
  message_end: z.object({ type: z.literal('message_end'), ...message }),
  tool_execution_start: z.object({ type: z.literal('tool_execution_start'), ...call, intent: maybe(z.string()) }),
  tool_execution_update: z.object({ type: z.literal('tool_execution_update'), ...call, partialResult: result }),
  tool_execution_end: z.object({
    type: z.literal('tool_execution_end'),
    toolCallId: idSchema,
    toolName: z.string(),
    result,
    isError: maybe(z.boolean()),
  }),
  /** Without one of the lists, it is not known what waits, so the queue stays as it was. */
  queue_update: z.object({ type: z.literal('queue_update'), steering: validOf(z.string()), followUp: validOf(z.string()) }),
  compaction_start: z.object({ type: z.literal('compaction_start') }),
  compaction_end: z.object({ type: z.literal('compaction_end'), ...compactionEnd }),
  auto_compaction_start: z.object({ type: z.literal('auto_compaction_start') }),
  auto_compaction_end: z.object({ type: z.literal('auto_compaction_end'), ...compactionEnd }),
  auto_retry_start: z.object({
    type: z.literal('auto_retry_start'),
    attempt: maybe(z.number()),
    maxAttempts: maybe(z.number()),
    delayMs: z.catch(z.number(), 0),
    errorMessage: z.catch(z.string(), ''),
  }),
  auto_retry_end: z.object({ type: z.literal('auto_retry_end'), success: maybe(z.boolean()), finalError: maybe(z.string()) }),
  retry_fallback_applied: z.object({ type: z.literal('retry_fallback_applied'), from: z.string(), to: z.string() }),
  extension_error: z.object({
    type: z.literal('extension_error'),
    extensionPath: z.catch(z.string(), ''),
    event: z.catch(z.string(), ''),
    error: z.string(),
  }),
  session_info_changed: z.object({ type: z.literal('session_info_changed'), name: maybe(z.string()) }),
  thinking_level_changed: z.object({ type: z.literal('thinking_level_changed'), level: z.string() }),
  todo_auto_clear: z.object({ type: z.literal('todo_auto_clear') }),
  bash_execution_update: z.object({ type: z.literal('bash_execution_update'), delta: z.string() }),
  host_tool_call: z.object({ type: z.literal('host_tool_call'), id: z.string(), toolName: z.string(), arguments: fields }),
  host_tool_cancel: z.object({ type: z.literal('host_tool_cancel'), targetId: z.string() }),
  extension_ui_request: uiSchema,
} as const;

/** Events that the host does not use. */
const passedOver: ReadonlySet<string> = new Set([
  'turn_start',
  'turn_end',
  'todo_reminder',
  'entry_appended',
  'ttsr_triggered',
  'retry_fallback_succeeded',
  'summarization_retry_scheduled',
  'summarization_retry_attempt_start',
  'summarization_retry_finished',
]);

type Schemas = typeof eventSchemas;
export type PiEvent =
  | { readonly [K in keyof Schemas]: z.infer<Schemas[K]> }[keyof Schemas]
  | { readonly type: 'message_update'; readonly delta: PiDelta };

/** Some programs log frames that have only the type. */
const responseSchema = z.pipe(
  z.object({
    type: z.literal('response'),
    id: maybe(idSchema),
    command: z.catch(z.string(), ''),
    success: z.optional(z.unknown()),
    data: z.optional(z.unknown()),
    error: z.optional(z.unknown()),
  }),
  z.transform(({ id, success, error, ...rest }) => {
    const failure = failureText(error);
    const isEmpty = id === undefined && success === undefined && failure === undefined;
    const isSuccess = typeof success === 'boolean' ? success : failure === undefined;
    return { ...rest, id, success: isSuccess, error: failure ?? '', isEmpty };
  }),
);
export type PiResponse = z.infer<typeof responseSchema>;

const readySchema = z.object({ supportedProtocolVersions: listOf(z.number()) });
/** A part of a frame that is too long for one line. `byteLength` is that of the whole frame, `data` is Base64. */
const chunkSchema = z.object({ chunkId: z.string(), index: z.number(), count: z.number(), byteLength: z.number(), data: z.string() });
export type PiChunk = z.infer<typeof chunkSchema>;

export type PiFrame =
  | { readonly kind: 'response'; readonly response: PiResponse }
  /** `versions`: the versions of the protocol between which the host can choose; empty if there is only one. */
  | { readonly kind: 'ready'; readonly versions: readonly number[] }
  | { readonly kind: 'chunk'; readonly chunk: PiChunk }
  | { readonly kind: 'event'; readonly event: PiEvent }
  | { readonly kind: 'ignored' }
  /** `problem` names what the frame appeared to be. `waitsAs`: the id of a request for which the agent may await an answer. */
  | { readonly kind: 'unknown'; readonly problem: string; readonly waitsAs?: string }
  | { readonly kind: 'invalid' };

const ignored = { kind: 'ignored' } as const;

export function parseFrame(value: unknown): PiFrame {
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string') return { kind: 'invalid' };
  const { type } = value;
  if (type === 'message_update') return parseUpdate(value);
  if (type === 'response') {
    const response = responseSchema.safeParse(value);
    return response.data?.isEmpty === false ? { kind: 'response', response: response.data } : { kind: 'invalid' };
  }
  if (type === 'ready') return { kind: 'ready', versions: readySchema.parse(value).supportedProtocolVersions };
  if (type === 'rpc_chunk') {
    const chunk = chunkSchema.safeParse(value);
    return chunk.success ? { kind: 'chunk', chunk: chunk.data } : { kind: 'invalid' };
  }
  if (passedOver.has(type)) return ignored;
  if (!isKnown(type)) return { kind: 'unknown', problem: `event ${type}` };
  const event = eventSchemas[type].safeParse(value);
  if (event.success) return { kind: 'event', event: event.data };
  const { data: request } = type === 'extension_ui_request' ? unknownRequestSchema.safeParse(value) : {};
  if (request === undefined) return { kind: 'unknown', problem: `shape of ${type}` };
  return { kind: 'unknown', problem: `${type} ${request.method}`, waitsAs: request.id };
}

function isKnown(type: string): type is keyof Schemas {
  return Object.hasOwn(eventSchemas, type);
}

/** Parts of an update that contain nothing that does not arrive again. */
const passedDeltas: ReadonlySet<unknown> = new Set(['start', 'text_start', 'thinking_start', 'toolcall_delta', 'done', 'error']);

/** Nine of ten frames pass through here, so pieces of text are parsed without a schema. */
function parseUpdate(value: object): PiFrame {
  const piece = 'assistantMessageEvent' in value ? value.assistantMessageEvent : undefined;
  if (typeof piece !== 'object' || piece === null || !('type' in piece)) return { kind: 'unknown', problem: 'shape of message_update' };
  const { type } = piece;
  if (passedDeltas.has(type)) return ignored;
  if (type === 'text_delta' || type === 'thinking_delta') {
    const delta = 'delta' in piece ? piece.delta : undefined;
    const contentIndex = 'contentIndex' in piece && typeof piece.contentIndex === 'number' ? piece.contentIndex : 0;
    if (typeof delta === 'string') return { kind: 'event', event: { type: 'message_update', delta: { type, contentIndex, delta } } };
  }
  const parsed = deltaSchema.safeParse(piece);
  if (!parsed.success) return { kind: 'unknown', problem: `message_update ${String(type)}` };
  return { kind: 'event', event: { type: 'message_update', delta: parsed.data } };
}

export const parseMessage = (value: unknown): z.infer<typeof messageSchema> | undefined => messageSchema.safeParse(value).data;
