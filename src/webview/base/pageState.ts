/** What the page saves over a reload for each conversation that it showed: unsent texts, and the position of the user. */
import * as z from 'zod/mini';
import type { HostLink } from './hostLink.js';

const conversationStateSchema = z.object({
  draft: z.optional(z.string()),
  /** Messages that were sent but not seen in the conversation yet, oldest first. */
  sent: z.optional(z.array(z.object({ id: z.string(), text: z.string() }))),
  /** The first visible item, and how far below the top edge it begins; absent if the user was at the end. */
  place: z.optional(z.object({ itemId: z.string(), offset: z.number() })),
  /** A message that is being edited in its place. */
  edit: z.optional(z.object({ itemId: z.string(), text: z.string() })),
  /** By the id of the prompt, then by the name of the field. */
  forms: z.optional(
    z.record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          text: z.string(),
          /** The values of the choices. */
          chosen: z.array(z.string()),
          /** The text counts, although choices are offered. */
          other: z.boolean(),
          /** For a checkbox; absent if the user left it as it was, and neither the form requires it nor the agent gave a value. */
          on: z.optional(z.boolean()),
        }),
      ),
    ),
  ),
});
const pageStateSchema = z.object({
  /** The conversation on the page. The extension reads it when the editor restores a tab. */
  conversation: z.optional(z.string()),
  /** By id, the most recently left one last. */
  conversations: z.record(z.string(), conversationStateSchema),
});
type PageState = z.infer<typeof pageStateSchema>;
export type ConversationPageState = z.infer<typeof conversationStateSchema>;
export type FieldDraft = NonNullable<ConversationPageState['forms']>[string][string];

/** The host saves drafts itself, so only the position of the user is lost here. */
const keptConversations = 50;
/** For a page that shows no particular conversation. */
const noConversation = '';

/** What the page remembers about the conversation on it. */
export interface PageMemory {
  /** Undefined if the page shows no particular conversation. */
  readonly conversation: string | undefined;
  readonly state: ConversationPageState;
  change(change: Partial<ConversationPageState>): void;
  /**
   * Call this when another conversation is on the page.
   * @param conversation its id; undefined if there is no particular one
   */
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
    get conversation() {
      return state.conversation;
    },
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
      // The host has the draft of the previous conversation, and another page may change it there.
      const left = state.conversation ?? noConversation;
      const { [left]: before, ...others } = state.conversations;
      const conversations = before === undefined ? others : { ...others, [left]: { ...before, draft: undefined } };
      write({ conversation, conversations });
    },
  };
}
