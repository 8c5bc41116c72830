/** Every message between the extension and a page, both ways, as closed unions. Nothing is posted to a page before its `ready`. */
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

/** One change of the view. Item operations come in order; a section is replaced whole. */
export const opSchema = z.discriminatedUnion('op', [
  /** Replaces the item with this id in its place, or appends it. */
  z.object({ op: z.literal('item'), item: itemSchema }),
  /** Appends to `markdown` of an agent item, to `text` of a thought or user item, to `output` of a tool item. */
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

/** Host to page. `revision` counts up by one per message of a page; a gap makes the page send `resync`. */
export const hostMessageSchema = z.discriminatedUnion('type', [
  /**
   * `conversation`: the id of the one that the page shows from now on; absent: of none in particular. `draft`: what its composer held when it was
   * last seen.
   */
  z.object({
    type: z.literal('snapshot'),
    revision: z.number(),
    view: chatViewSchema,
    draft: z.string(),
    conversation: z.optional(z.string()),
  }),
  z.object({ type: z.literal('patch'), revision: z.number(), ops: z.array(opSchema) }),
  /** Puts the keyboard where the user wants it: the composer, or the oldest prompt. */
  z.object({ type: z.literal('focus'), target: z.enum(['composer', 'prompt']) }),
  /** Those of the names of a `lookUp` that are files, and where they are. */
  z.object({ type: z.literal('files'), files: z.array(z.object({ name: z.string(), path: z.string() })) }),
  /** The picture of a `loadImage`, as a `data:` address. */
  z.object({ type: z.literal('image'), path: z.string(), data: z.string() }),
  /** Puts text into the composer at the caret, e.g. a selection of the editor. */
  z.object({ type: z.literal('insertText'), text: z.string() }),
]);
export type HostMessage = z.infer<typeof hostMessageSchema>;

/** What the user wants, by name. */
const intentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('resync') }),
  /** `steers`: into the turn that runs. */
  z.object({ type: z.literal('send'), text: z.string(), steers: z.optional(z.boolean()) }),
  z.object({ type: z.literal('unqueue'), id: z.string() }),
  z.object({ type: z.literal('draft'), text: z.string() }),
  /** The user is about to write: the composer has the keyboard. */
  z.object({ type: z.literal('composing') }),
  /** The page has the keyboard, or lost it. */
  z.object({ type: z.literal('focused'), focused: z.boolean() }),
  z.object({ type: z.literal('select'), promptId: z.string(), optionId: z.string() }),
  /** Accepts it; `values` by the names of the fields, `text` of an editor, none of a confirmation. */
  z.object({ type: z.literal('answer'), promptId: z.string(), values: fieldValuesSchema }),
  z.object({ type: z.literal('decline'), promptId: z.string() }),
  /** Opens the address of a `url` prompt; opened, it is accepted. */
  z.object({ type: z.literal('openUrl'), promptId: z.string() }),
  /** Closed without a decision: the agent is told `cancelled`. */
  z.object({ type: z.literal('dismiss'), promptId: z.string() }),
  z.object({ type: z.literal('setOption'), selectorId: z.string(), value: z.union([z.string(), z.boolean()]) }),
  z.object({ type: z.literal('removeChip'), id: z.string() }),
  /** Its text, as a document of the editor. */
  z.object({ type: z.literal('openChip'), id: z.string() }),
  /** `line`: 1-based. The host opens it only inside the folder, or after asking. */
  z.object({ type: z.literal('openLocation'), path: z.string(), line: z.optional(z.number()) }),
  /** Whether there are files of these bare names. */
  z.object({ type: z.literal('lookUp'), names: z.array(z.string()).check(z.maxLength(50)) }),
  /** A picture of the workspace. */
  z.object({ type: z.literal('loadImage'), path: z.string() }),
  z.object({ type: z.literal('openDiff'), itemId: z.string(), index: z.number() }),
  z.object({ type: z.literal('openLink'), href: z.string() }),
  /** The complete input or output of a tool call, as a document of the editor. `id`: of an item or a prompt. */
  z.object({ type: z.literal('openRaw'), id: z.string(), part: z.enum(['input', 'output']) }),
  z.object({ type: z.literal('copy'), text: z.string() }),
  /** Code of an answer: into the file that is open, or beside it. */
  z.object({ type: z.literal('insertCode'), text: z.string() }),
  z.object({ type: z.literal('compareCode'), text: z.string() }),
  /** `itemId`: the item whose button it was; `methodId`: as of the button. */
  z.object({ type: z.literal('action'), action: actionSchema, itemId: z.optional(z.string()), methodId: z.optional(z.string()) }),
  /** The page found something wrong in itself; for the log. */
  z.object({ type: z.literal('pageError'), message: z.string() }),
]);
/** Page to host. `conversation`: the one that the page showed at that moment, which the host may have replaced meanwhile. */
export const pageMessageSchema = z.intersection(intentSchema, z.object({ conversation: z.optional(z.string()) }));
export type PageMessage = z.infer<typeof pageMessageSchema>;

/** What a page draws: the whole chat, or only the prompts (the panel in the editor area). In the page's `data-surface`. */
export const surfaceSchema = z.enum(['chat', 'prompts']);
export type Surface = z.infer<typeof surfaceSchema>;
