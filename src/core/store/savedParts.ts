/** Parts of saved files that earlier versions stored elsewhere. */
import * as z from 'zod/mini';
import type { HoldReason, OutboxPrompt } from '../conversation/state.js';
import { parsePromptContent } from '../journal/parsePromptContent.js';
import type { ContentBlock } from '../session/model.js';

export const placeSchema = z.object({
  agentId: z.string(),
  sessionId: z.string(),
  createdAt: z.optional(z.number()),
  continues: z.optional(z.string()),
  withContext: z._default(z.boolean(), false),
});
const promptSchema = z.object({
  id: z.string(),
  at: z.number(),
  content: z.custom<readonly ContentBlock[]>((value) => parsePromptContent(value) !== undefined),
  held: z.catch(z.optional(z.string()), undefined),
});
export const promptsSchema = z.array(promptSchema);

/** The reasons for holding a prompt, by their current names and by those up to version 0.1. */
const holdReasons: ReadonlyMap<string | undefined, HoldReason> = new Map([
  ['turn_interrupted', 'turn_interrupted'],
  ['front_end_closed', 'front_end_closed'],
  ['context_lost', 'context_lost'],
  ['may_hang', 'may_hang'],
  ['turn_cut', 'turn_interrupted'],
  ['window_closed', 'front_end_closed'],
  ['freezes', 'may_hang'],
]);

export function toPrompt(prompt: z.infer<typeof promptSchema>): OutboxPrompt {
  return { ...prompt, held: holdReasons.get(prompt.held) };
}
