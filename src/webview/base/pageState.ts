/** What the page keeps over a reload of its own: texts that the user typed and did not send. */
import * as z from 'zod/mini';
import type { HostLink } from './hostLink.js';

const pageStateSchema = z.object({
  draft: z.optional(z.string()),
  /** Sent, but not yet seen in the conversation. */
  unconfirmed: z.optional(z.string()),
  /** By id of the prompt, then by name of the field. */
  forms: z.optional(
    z.record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          text: z.string(),
          /** Values of choices. */
          chosen: z.array(z.string()),
          /** The text counts although choices are offered. */
          other: z.boolean(),
          /** Of a checkbox. */
          on: z.boolean(),
        }),
      ),
    ),
  ),
});
export type PageState = z.infer<typeof pageStateSchema>;
export type FieldDraft = NonNullable<PageState['forms']>[string][string];

export interface PageMemory {
  readonly state: PageState;
  change(change: Partial<PageState>): void;
}

export function openPageMemory(link: HostLink): PageMemory {
  const parsed = pageStateSchema.safeParse(link.readState());
  let state: PageState = parsed.success ? parsed.data : {};
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
