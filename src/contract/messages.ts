/** Every message between the extension and a page, in both directions, as closed unions. Nothing is posted to a page before its `ready`. */
import * as z from 'zod/mini';
import { fieldValuesSchema } from './formField.js';
import {
  bannerSchema,
  chatViewSchema,
  composerSchema,
  emptySchema,
  headerSchema,
  heldSchema,
  itemSchema,
  planEntrySchema,
  promptSchema,
  queuedSchema,
  waitSchema,
} from './view.js';
import { actionSchema } from './viewParts.js';

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
  z.object({ op: z.literal('plan'), plan: z.array(planEntrySchema) }),
  z.object({ op: z.literal('prompts'), prompts: z.array(promptSchema) }),
  z.object({ op: z.literal('wait'), wait: z.nullable(waitSchema) }),
  z.object({ op: z.literal('queue'), queue: z.array(queuedSchema) }),
  z.object({ op: z.literal('held'), held: z.array(heldSchema) }),
  z.object({ op: z.literal('composer'), composer: composerSchema }),
]);
export type Op = z.infer<typeof opSchema>;

/** From the host to the page. `revision` increases by one per message of a page; after a gap, the page sends `resync`. */
export const hostMessageSchema = z.discriminatedUnion('type', [
  /**
   * `conversation` is the id of the one that the page shows from now on; absent if it shows no particular one. `draft` is what its composer
   * contained when it was last visible.
   */
  z.object({
    type: z.literal('snapshot'),
    revision: z.number(),
    view: chatViewSchema,
    draft: z.string(),
    conversation: z.optional(z.string()),
  }),
  z.object({ type: z.literal('patch'), revision: z.number(), ops: z.array(opSchema) }),
  /** Moves the keyboard focus to the composer or to the oldest prompt. */
  z.object({ type: z.literal('focus'), target: z.enum(['composer', 'prompt']) }),
  /** The names of a `lookUp` that are files, with their paths. */
  z.object({ type: z.literal('files'), files: z.array(z.object({ name: z.string(), path: z.string() })) }),
  /** The files that match a `suggestFiles`, best first, relative to the conversation's folder. */
  z.object({ type: z.literal('suggestedFiles'), paths: z.array(z.string()) }),
  /** The picture of a `loadImage`, as a `data:` URL. */
  z.object({ type: z.literal('image'), path: z.string(), data: z.string() }),
  /** Inserts text into the composer after the caret or the selection, for example a prompt that will not be sent. */
  z.object({ type: z.literal('insertText'), text: z.string() }),
  /** What was written in another page of the conversation. */
  z.object({ type: z.literal('draft'), text: z.string() }),
]);
export type HostMessage = z.infer<typeof hostMessageSchema>;

/** What the user wants, by name. */
const intentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('resync') }),
  /** `steers`: send it to the running turn. */
  z.object({ type: z.literal('send'), text: z.string(), steers: z.optional(z.boolean()) }),
  /** `edits`: its text is in the composer now, and its other parts should be attached there. */
  z.object({ type: z.literal('unqueue'), id: z.string(), edits: z.optional(z.boolean()) }),
  z.object({ type: z.literal('draft'), text: z.string() }),
  /** The user is about to write, because the composer has the keyboard focus. */
  z.object({ type: z.literal('composing') }),
  /** The page got or lost the keyboard focus. */
  z.object({ type: z.literal('focused'), focused: z.boolean() }),
  z.object({ type: z.literal('select'), promptId: z.string(), optionId: z.string() }),
  /** Accepts the prompt. `values` are by the names of the fields; `text` for an editor, none for a confirmation. */
  z.object({ type: z.literal('answer'), promptId: z.string(), values: fieldValuesSchema }),
  z.object({ type: z.literal('decline'), promptId: z.string() }),
  /** Opens the URL of a `url` prompt; once it is open, the prompt is accepted. */
  z.object({ type: z.literal('openUrl'), promptId: z.string() }),
  /** Closes the prompt without a decision: the agent gets `cancelled`. */
  z.object({ type: z.literal('dismiss'), promptId: z.string() }),
  z.object({ type: z.literal('setOption'), selectorId: z.string(), value: z.union([z.string(), z.boolean()]) }),
  z.object({ type: z.literal('removeChip'), id: z.string() }),
  /** Opens its text as a document of the editor. */
  z.object({ type: z.literal('openChip'), id: z.string() }),
  /** `line` is 1-based. The host opens the file only if it is inside the folder, or after asking. */
  z.object({ type: z.literal('openLocation'), path: z.string(), line: z.optional(z.number()) }),
  /** Asks which of these bare names are files. */
  z.object({ type: z.literal('lookUp'), names: z.array(z.string()).check(z.maxLength(50)) }),
  /** Asks which files the user may mean with `@` and these letters. */
  z.object({ type: z.literal('suggestFiles'), typed: z.string() }),
  /** Attaches a file of the conversation's folder to the message. */
  z.object({ type: z.literal('addFile'), path: z.string() }),
  /** Attaches a pasted picture, as a `data:` URL. */
  z.object({ type: z.literal('addImage'), data: z.string() }),
  /** Asks for a picture in the workspace. */
  z.object({ type: z.literal('loadImage'), path: z.string() }),
  z.object({ type: z.literal('openDiff'), itemId: z.string(), index: z.number() }),
  z.object({ type: z.literal('openLink'), href: z.string() }),
  /** Opens the complete input or output of a tool call as a document of the editor. `id` belongs to an item or a prompt. */
  z.object({ type: z.literal('openRaw'), id: z.string(), part: z.enum(['input', 'output']) }),
  z.object({ type: z.literal('copy'), text: z.string() }),
  /** Inserts code of an answer into the file that is open, or compares the two. */
  z.object({ type: z.literal('insertCode'), text: z.string() }),
  z.object({ type: z.literal('compareCode'), text: z.string() }),
  /** `itemId` is the item with the button; `methodId` is that of the button. */
  z.object({ type: z.literal('action'), action: actionSchema, itemId: z.optional(z.string()), methodId: z.optional(z.string()) }),
  /** The page reports an error of its own for the log. */
  z.object({ type: z.literal('pageError'), message: z.string() }),
]);
/** From the page to the host. `conversation` is the one that the page showed at that moment; the host may have replaced it since. */
export const pageMessageSchema = z.intersection(intentSchema, z.object({ conversation: z.optional(z.string()) }));
export type PageMessage = z.infer<typeof pageMessageSchema>;

/** What a page draws: the whole chat, or only the prompts (the panel in the editor area). The page reads it from its `data-surface`. */
export const surfaceSchema = z.enum(['chat', 'prompts']);
export type Surface = z.infer<typeof surfaceSchema>;
