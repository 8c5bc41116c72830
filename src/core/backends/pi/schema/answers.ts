/** The answers to Pi's commands. Source: Pi's RPC document of 0.74, and pi 1.6.0 for what it adds. */
import * as z from 'zod/mini';
import { listOf, maybe, messageSchema, validOf } from './messages.js';

/** An answer without data. */
export const nothing = z.unknown();

export const modelSchema = z.object({
  provider: z.string(),
  id: z.string(),
  name: maybe(z.string()),
  reasoning: maybe(z.boolean()),
});
export type PiModel = z.infer<typeof modelSchema>;

const todoSchema = z.object({ content: z.string(), status: maybe(z.string()) });
const phaseSchema = z.object({ name: maybe(z.string()), tasks: listOf(todoSchema) });
export const todoPhasesSchema = listOf(phaseSchema);
export type TodoPhases = z.infer<typeof todoPhasesSchema>;

/** The number of tokens is null if it is unknown, as right after a compaction. */
const contextUsageSchema = maybe(z.object({ tokens: z.nullable(z.number()), contextWindow: z.number() }));

export const stateSchema = z.object({
  sessionId: z.string(),
  model: maybe(modelSchema),
  thinkingLevel: maybe(z.string()),
  isStreaming: maybe(z.boolean()),
  isCompacting: maybe(z.boolean()),
  steeringMode: maybe(z.string()),
  followUpMode: maybe(z.string()),
  interruptMode: maybe(z.string()),
  sessionFile: maybe(z.string()),
  sessionName: maybe(z.string()),
  autoCompactionEnabled: maybe(z.boolean()),
  messageCount: maybe(z.number()),
  queuedMessageCount: maybe(z.number()),
  /** The plan stays as it was if this is no list. */
  todoPhases: maybe(validOf(phaseSchema)),
  contextUsage: contextUsageSchema,
});
export type PiState = z.infer<typeof stateSchema>;

export const modelsSchema = z.object({ models: listOf(modelSchema) });
export const levelsSchema = z.object({ levels: listOf(z.string()) });
export const messagesSchema = z.object({ messages: listOf(messageSchema) });
export const commandsSchema = z.object({ commands: listOf(z.object({ name: z.string(), description: maybe(z.string()) })) });
/** `cancelled`: an extension prevented it. */
export const switchedSchema = z.object({ cancelled: maybe(z.boolean()), text: maybe(z.string()) });
export const queueSchema = z.object({ steering: listOf(z.string()), followUp: listOf(z.string()) });
export const hostToolsSchema = z.object({ toolNames: listOf(z.string()) });
/** Since 0.99; `handled` means that there will be no run. */
export const promptSchema = z.catch(z.object({ disposition: maybe(z.string()) }), { disposition: undefined });

export const statsSchema = z.object({
  cost: maybe(z.number()),
  contextUsage: contextUsageSchema,
});
/** What the planning tool reports about the current plan. */
export const todoDetailsSchema = z.object({ phases: z.array(z.unknown()) });
