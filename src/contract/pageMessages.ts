/**
 * Every message from a page to the extension, as a closed union. A file of its own, because only the extension parses these: the page's
 * script does without the schemas.
 */
import * as z from 'zod/mini';
import { actionIds } from './actions.js';
import { fieldValuesSchema } from './viewParts.js';

const optionalText = z.optional(z.string());

/** What the user wants, by name. */
const intentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('resync') }),
  /** `id`: that of the prompt, unique for ever. `steers`: send it to the running turn. */
  z.object({ type: z.literal('send'), id: z.string(), text: z.string(), steers: z.optional(z.boolean()) }),
  /** `edits`: its text is in the composer now, and its other parts should be attached there. */
  z.object({ type: z.literal('unqueue'), id: z.string(), edits: z.optional(z.boolean()) }),
  z.object({ type: z.literal('sendQueued'), id: z.string() }),
  /** `before` is the id of the message that it precedes from now on; absent: it becomes the last one. */
  z.object({ type: z.literal('moveQueued'), id: z.string(), before: optionalText }),
  z.object({ type: z.literal('draft'), text: z.string() }),
  /** The user is about to write, because the composer has the keyboard focus. */
  z.object({ type: z.literal('composing') }),
  /** The page got or lost the keyboard focus. */
  z.object({ type: z.literal('focused'), focused: z.boolean() }),
  /** `drawn` is that of the prompt. */
  z.object({ type: z.literal('select'), promptId: z.string(), optionId: z.string(), drawn: optionalText }),
  /** Saves the files with unsaved changes that the prompt is about, and selects the option if that is done. */
  z.object({ type: z.literal('saveAndSelect'), promptId: z.string(), optionId: z.string(), drawn: optionalText }),
  /** Compares a file with unsaved changes with what is saved. */
  z.object({ type: z.literal('compareWithSaved'), promptId: z.string(), path: z.string() }),
  /** Accepts the prompt. `values` are by the names of the fields; `text` for an editor, none for a confirmation. */
  z.object({ type: z.literal('answer'), promptId: z.string(), values: fieldValuesSchema }),
  z.object({ type: z.literal('decline'), promptId: z.string() }),
  /** Opens the URL of a `url` prompt; once it is open, the prompt is accepted. */
  z.object({ type: z.literal('openUrl'), promptId: z.string() }),
  /** Closes the prompt without a decision: the agent gets `cancelled`, and `feedback` as what it is to do instead. */
  z.object({ type: z.literal('dismiss'), promptId: z.string(), feedback: z.optional(z.string()) }),
  z.object({ type: z.literal('setOption'), selectorId: z.string(), value: z.union([z.string(), z.boolean()]) }),
  z.object({ type: z.literal('removeChip'), id: z.string() }),
  /** Opens its text as a document of the editor. Pasted text is put into the composer instead. */
  z.object({ type: z.literal('openChip'), id: z.string() }),
  /**
   * `line` is 1-based. `rest` is what a link has from its first `#` or `?`: a heading or a query, or still a part of the file's name. The host
   * opens the file only if it is inside the folder, or after asking.
   */
  z.object({ type: z.literal('openLocation'), path: z.string(), line: z.optional(z.number()), rest: z.optional(z.string()) }),
  /** Asks which of these bare names and paths are files. */
  z.object({ type: z.literal('lookUp'), names: z.array(z.string()).check(z.maxLength(50)) }),
  /** Asks which files the user may mean with `@` and these letters. */
  z.object({ type: z.literal('suggestFiles'), typed: z.string() }),
  /** Attaches a suggested file to the message. */
  z.object({ type: z.literal('addFile'), path: z.string() }),
  /** Attaches files and folders that were dropped on the page. */
  z.object({ type: z.literal('addDropped'), uris: z.array(z.string()) }),
  /** Attaches a pasted or dropped picture, as a `data:` URL. */
  z.object({ type: z.literal('addImage'), data: z.string() }),
  /** Attaches a pasted text that is too long for the composer, or the text of a file that has no path here, with the name of the file. */
  z.object({ type: z.literal('addText'), text: z.string(), name: z.optional(z.string()) }),
  /** Asks for a picture in the workspace, or for that of a chip, by its id. */
  z.object({ type: z.literal('loadImage'), path: z.string() }),
  z.object({ type: z.literal('openDiff'), itemId: z.string(), index: z.number() }),
  /** Compares a file that a turn changed with the one before, takes its change back, or takes that back. `itemId` is the end of the turn. */
  z.object({ type: z.literal('openChange'), itemId: z.string(), path: z.string() }),
  z.object({ type: z.literal('undoFile'), itemId: z.string(), path: z.string() }),
  z.object({ type: z.literal('redoFile'), itemId: z.string(), path: z.string() }),
  z.object({ type: z.literal('openLink'), href: z.string() }),
  /** Opens the complete input or output of a tool call as a document of the editor. `id` belongs to an item or a prompt. */
  z.object({ type: z.literal('openRaw'), id: z.string(), part: z.enum(['input', 'output']) }),
  /** Ends the command that runs for a tool call, or shows its output as a terminal of the editor. `id` belongs to the item. */
  z.object({ type: z.literal('stopCommand'), id: z.string() }),
  z.object({ type: z.literal('openTerminal'), id: z.string() }),
  z.object({ type: z.literal('copy'), text: z.string() }),
  /** Sends an earlier message again from its place, with another text. `restores`: with the files as they were before it. */
  z.object({ type: z.literal('sendFrom'), itemId: z.string(), text: z.string(), restores: z.boolean() }),
  /** Inserts code of an answer into the file that is open, replaces its own lines there, or compares the two. */
  z.object({ type: z.literal('insertCode'), text: z.string() }),
  z.object({ type: z.literal('applyCode'), text: z.string() }),
  z.object({ type: z.literal('compareCode'), text: z.string() }),
  /** The set of actions is closed. `itemId` is the item with the button, or that of the button, as `methodId`. */
  z.object({ type: z.literal('action'), action: z.enum(actionIds), itemId: z.optional(z.string()), methodId: z.optional(z.string()) }),
  /** The page reports an error of its own for the log. */
  z.object({ type: z.literal('pageError'), message: z.string() }),
]);
/** From the page to the host. `conversation` is the one that the page showed at that moment; the host may have replaced it since. */
export const pageMessageSchema = z.intersection(intentSchema, z.object({ conversation: z.optional(z.string()) }));
export type PageMessage = z.infer<typeof pageMessageSchema>;
