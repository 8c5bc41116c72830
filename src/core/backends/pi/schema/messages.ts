/** Pi's messages, as in its events, its history and the files in which it saves sessions. */
import * as z from 'zod/mini';

/** Versions of the agent differ: an invalid member counts as absent. */
export function maybe<T extends z.ZodMiniType>(inner: T) {
  return z.optional(z.catch(z.optional(inner), undefined));
}

/** Leaves out invalid items. */
export function validOf<T>(item: z.ZodMiniType<T>) {
  return z.pipe(
    z.array(z.unknown()),
    z.transform((items) =>
      items.flatMap((one) => {
        const parsed = item.safeParse(one);
        return parsed.success ? [parsed.data] : [];
      }),
    ),
  );
}

/** As `validOf`; anything but a list is an empty one. */
export function listOf<T>(item: z.ZodMiniType<T>) {
  return z.catch(validOf(item), []);
}

/** An id that the host returns or compares as a text. */
export const idSchema = z.pipe(z.union([z.string(), z.number()]), z.transform(String));

const textSchema = z.object({ type: z.literal('text'), text: z.string() });
const imageSchema = z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() });
const thinkingSchema = z.object({ type: z.literal('thinking'), thinking: z.string() });
export const toolCallSchema = z.object({
  type: z.literal('toolCall'),
  id: idSchema,
  name: z.string(),
  arguments: z.catch(z.record(z.string(), z.unknown()), {}),
});
export type PiToolCall = z.infer<typeof toolCallSchema>;

const contentSchema = listOf(z.union([textSchema, imageSchema]));
export type PiContent = z.infer<typeof contentSchema>;

/** A string stands for one text block. */
const saidSchema = z.pipe(
  z.union([z.string(), z.array(z.unknown())]),
  z.transform((said) => (typeof said === 'string' ? [{ type: 'text' as const, text: said }] : contentSchema.parse(said))),
);

/** The result of a tool. Newer versions repeat it as data in `structuredContent`. */
export const resultFields = {
  content: z.catch(saidSchema, []),
  details: z.optional(z.unknown()),
  structuredContent: z.optional(z.unknown()),
};

const usageSchema = z.object({
  input: z.catch(z.number(), 0),
  output: z.catch(z.number(), 0),
  cacheRead: z.catch(z.number(), 0),
  cacheWrite: z.catch(z.number(), 0),
  totalTokens: maybe(z.number()),
});
export type PiUsage = z.infer<typeof usageSchema>;

const assistantSchema = z.object({
  role: z.literal('assistant'),
  /** `contentIndex` refers to positions in this list, so no item may be left out. */
  content: z.catch(z.array(z.catch(z.union([textSchema, thinkingSchema, toolCallSchema]), { type: 'text', text: '' } as const)), []),
  usage: maybe(usageSchema),
  stopReason: maybe(z.string()),
  errorMessage: maybe(z.string()),
});
export type PiAssistantMessage = z.infer<typeof assistantSchema>;

/** Messages with any other role, such as a system prompt, are not shown. */
export const messageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: saidSchema }),
  assistantSchema,
  z.object({
    role: z.literal('toolResult'),
    toolCallId: idSchema,
    toolName: z.string(),
    ...resultFields,
    isError: maybe(z.boolean()),
  }),
  z.object({
    role: z.literal('bashExecution'),
    command: z.string(),
    output: z.catch(z.string(), ''),
    exitCode: maybe(z.number()),
    cancelled: maybe(z.boolean()),
  }),
  /** A message of an extension. */
  z.object({ role: z.literal('custom'), content: saidSchema, display: maybe(z.boolean()) }),
]);
export type PiMessage = z.infer<typeof messageSchema>;

const at = { timestamp: maybe(z.string()) };

/** A line of the file of a session. Source: pi 1.6.0, docs/session-format.md; pi 0.74.2 and omp 14.9.9 have the same. */
export const savedLineSchema = z.discriminatedUnion('type', [
  /** The first line. */
  z.object({ type: z.literal('session'), id: z.string(), cwd: z.string(), ...at }),
  /** The last of these lines counts. */
  z.object({ type: z.literal('session_info'), name: maybe(z.string()), ...at }),
  z.object({ type: z.literal('message'), message: maybe(messageSchema), ...at }),
]);
export type SavedLine = z.infer<typeof savedLineSchema>;
