/** Every message from the extension to a page, as a closed union. Nothing is posted to a page before its `ready`. */
import * as z from 'zod/mini';
import {
  bannerSchema,
  chatViewSchema,
  composerSchema,
  emptySchema,
  headerSchema,
  heldSchema,
  itemSchema,
  lineSchema,
  planEntrySchema,
  promptSchema,
  queuedSchema,
  waitSchema,
} from './view.js';

/** One change of the view. Operations on items arrive in order; a section is replaced as a whole. */
export const opSchema = z.discriminatedUnion('op', [
  /** Replaces the item with this id in its place, or appends it. */
  z.object({ op: z.literal('item'), item: itemSchema }),
  /** Appends to `markdown` of an agent item, to `text` of a thought or user item, or to `output` of a tool item. */
  z.object({ op: z.literal('append'), id: z.string(), text: z.string() }),
  z.object({ op: z.literal('remove'), id: z.string() }),
  z.object({ op: z.literal('header'), header: headerSchema }),
  z.object({ op: z.literal('banner'), banner: z.nullable(bannerSchema) }),
  z.object({ op: z.literal('empty'), empty: emptySchema }),
  z.object({ op: z.literal('plans'), plans: z.array(z.array(planEntrySchema)) }),
  z.object({ op: z.literal('prompts'), prompts: z.array(promptSchema) }),
  z.object({ op: z.literal('wait'), wait: z.nullable(waitSchema) }),
  z.object({ op: z.literal('queue'), queue: z.array(queuedSchema) }),
  z.object({ op: z.literal('held'), held: z.array(heldSchema) }),
  z.object({ op: z.literal('review'), review: z.nullable(lineSchema) }),
  z.object({ op: z.literal('unsaved'), unsaved: z.nullable(lineSchema) }),
  z.object({ op: z.literal('composer'), composer: composerSchema }),
]);
export type Op = z.infer<typeof opSchema>;

/** From the host to the page. `revision` increases by one per message of a page; after a gap, the page sends `resync`. */
export const hostMessageSchema = z.discriminatedUnion('type', [
  /**
   * `conversation` is the id of the one that the page shows from now on; absent if it shows no particular one. `draft` is what its composer
   * contains; if it is absent, a message with it follows.
   */
  z.object({
    type: z.literal('snapshot'),
    revision: z.number(),
    view: chatViewSchema,
    draft: z.optional(z.string()),
    conversation: z.optional(z.string()),
  }),
  z.object({ type: z.literal('patch'), revision: z.number(), ops: z.array(opSchema) }),
  /** Moves the keyboard focus to the composer or to the oldest prompt. */
  z.object({ type: z.literal('focus'), target: z.enum(['composer', 'prompt']) }),
  /** Scrolls to an item, as soon as the page has it. */
  z.object({ type: z.literal('reveal'), itemId: z.string() }),
  /** The user has sent a message elsewhere, for example from a file, and wants to see what happens. */
  z.object({ type: z.literal('follow') }),
  /** The names of a `lookUp` that are files, with their paths. */
  z.object({ type: z.literal('files'), files: z.array(z.object({ name: z.string(), path: z.string() })) }),
  /** The files that match a `suggestFiles`, best first, relative to the conversation's folder. */
  z.object({ type: z.literal('suggestedFiles'), paths: z.array(z.string()) }),
  /** The picture of a `loadImage`, as a `data:` URL. */
  z.object({ type: z.literal('image'), path: z.string(), data: z.string() }),
  /** Goes to a message of the user and makes it editable. `restore` offers to restore files: a label, and the names of the files. */
  z.object({
    type: z.literal('editMessage'),
    itemId: z.string(),
    restore: z.optional(z.object({ label: z.string(), files: z.string() })),
  }),
  /** Puts a prompt that will not be sent into the composer, below what the user has written. */
  z.object({ type: z.literal('returnText'), text: z.string(), promptId: z.optional(z.string()) }),
  /** What was written in another page or window, or what was saved, if that was not in the snapshot. */
  z.object({ type: z.literal('draft'), text: z.string() }),
]);
export type HostMessage = z.infer<typeof hostMessageSchema>;

/** What a page draws: the whole chat, or only the prompts (the panel in the editor area). The page reads it from its `data-surface`. */
export const surfaceSchema = z.enum(['chat', 'prompts']);
export type Surface = z.infer<typeof surfaceSchema>;
