/** What the page keeps over a reload of its own, for each conversation that it showed: texts that were not sent, and where its reader was. */
import * as z from 'zod/mini';
import type { HostLink } from './hostLink.js';

const conversationStateSchema = z.object({
  draft: z.optional(z.string()),
  /** Sent, but not yet seen in the conversation. */
  unconfirmed: z.optional(z.string()),
  /** The item on top of what was read, and how far below the edge it began; absent: the reader was at the end. */
  place: z.optional(z.object({ itemId: z.string(), offset: z.number() })),
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
const pageStateSchema = z.object({
  /** The one on the page. The extension reads it when the editor brings a tab back. */
  conversation: z.optional(z.string()),
  /** By their ids, the one that was left last at the end. */
  conversations: z.record(z.string(), conversationStateSchema),
});
type PageState = z.infer<typeof pageStateSchema>;
export type ConversationPageState = z.infer<typeof conversationStateSchema>;
export type FieldDraft = NonNullable<ConversationPageState['forms']>[string][string];

/** The host keeps drafts of its own; what is forgotten here is a place to read on. */
const keptConversations = 50;
/** Of a page that shows no conversation in particular. */
const noConversation = '';

/** About the conversation on the page. */
export interface PageMemory {
  readonly state: ConversationPageState;
  change(change: Partial<ConversationPageState>): void;
  /** Another conversation is on the page. @param conversation its id; undefined: none in particular */
  enter(conversation: string | undefined): void;
}

export function openPageMemory(link: HostLink): PageMemory {
  const parsed = pageStateSchema.safeParse(link.readState());
  let state: PageState = parsed.success ? parsed.data : { conversations: {} };
  const write = (next: PageState): void => {
    state = next;
    link.writeState(state);
  };
  const current = (): ConversationPageState => state.conversations[state.conversation ?? noConversation] ?? {};
  return {
    get state() {
      return current();
    },
    change(change) {
      const id = state.conversation ?? noConversation;
      const { [id]: before, ...others } = state.conversations;
      const kept = Object.entries(others).slice(1 - keptConversations);
      write({ ...state, conversations: { ...Object.fromEntries(kept), [id]: { ...before, ...change } } });
    },
    enter(conversation) {
      if (state.conversation === conversation) return;
      // The host has the draft of the one that is left, and another page may change it there.
      const left = state.conversation ?? noConversation;
      const { [left]: before, ...others } = state.conversations;
      const conversations = before === undefined ? others : { ...others, [left]: { ...before, draft: undefined } };
      write({ conversation, conversations });
    },
  };
}
