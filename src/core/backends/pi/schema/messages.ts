/** Pi's messages, as in its events and its history. */
import * as z from 'zod/mini';
import { idSchema, listOf, maybe } from './lenient.js';

export const textSchema = z.object({ type: z.literal('text'), text: z.string() });
export const imageSchema = z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() });
const thinkingSchema = z.object({ type: z.literal('thinking'), thinking: z.string() });
export const toolCallSchema = z.object({
  type: z.literal('toolCall'),
  id: idSchema,
  name: z.string(),
  arguments: z.catch(z.record(z.string(), z.unknown()), {}),
});
export type PiToolCall = z.infer<typeof toolCallSchema>;

export const contentSchema = listOf(z.union([textSchema, imageSchema]));
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

export const usageSchema = z.object({
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
