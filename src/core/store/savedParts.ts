/** Schemas of parts that several saved files have. */
import * as z from 'zod/mini';
import type { OutboxPrompt } from '../conversation/state.js';
import { parsePromptContent } from '../journal/parsePromptContent.js';
import type { ContentBlock } from '../session/model.js';

export const placeSchema = z.object({
  agentId: z.string(),
  sessionId: z.string(),
  over: z.optional(z.number()),
  withContext: z._default(z.boolean(), false),
});
const promptSchema = z.object({
  id: z.string(),
  at: z.number(),
  content: z.custom<readonly ContentBlock[]>((value) => parsePromptContent(value) !== undefined),
  held: z.catch(z.optional(z.enum(['turn_interrupted', 'engine_ended', 'context_lost'])), undefined),
});
export const promptsSchema = z.array(promptSchema);

export function toPrompt({ id, at, content, held }: z.infer<typeof promptSchema>): OutboxPrompt {
  return { id, at, content, held };
}
