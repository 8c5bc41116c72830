/** What the page keeps over a reload of its own: texts that the user typed and did not send. */
import * as z from 'zod/mini';
import type { HostLink } from './hostLink.js';

const pageStateSchema = z.object({
  draft: z.optional(z.string()),
  /** Sent, but not yet seen in the conversation. */
  unconfirmed: z.optional(z.string()),
  /** By id of the prompt. */
  answers: z.record(
    z.string(),
    z.object({ text: z.string(), chosen: z.array(z.string()), /** The text counts although options are offered. */ other: z.boolean() }),
  ),
});
export type PageState = z.infer<typeof pageStateSchema>;
export type AnswerDraft = PageState['answers'][string];

export interface PageMemory {
  readonly state: PageState;
  change(change: Partial<PageState>): void;
}

export function openPageMemory(link: HostLink): PageMemory {
  const parsed = pageStateSchema.safeParse(link.readState());
  let state: PageState = parsed.success ? parsed.data : { answers: {} };
  return {
    get state() {
      return state;
    },
    change(change) {
      state = { ...state, ...change };
      link.writeState(state);
    },
  };
}
