/** The parts that several things on the page consist of. */
import * as z from 'zod/mini';
import type { Action } from './actions.js';

const optionalText = z.optional(z.string());

/** The page only sends it back, and then the extension checks it (pageMessages.ts). The page's script does without the list. */
const actionSchema = z.custom<Action>((id) => typeof id === 'string');

/** The first button of a list is the most likely one. `methodId` is the way to sign in, and `itemId` anything else that the button is for. */
export const buttonSchema = z.object({ action: actionSchema, label: z.string(), methodId: optionalText, itemId: optionalText });
export type ButtonView = z.infer<typeof buttonSchema>;

/** `text` is what the agent reads of it, shown collapsed. */
export const attachmentSchema = z.object({
  kind: z.enum(['image', 'audio', 'resource', 'link', 'other']),
  label: z.string(),
  uri: optionalText,
  mimeType: optionalText,
  data: optionalText,
  text: optionalText,
});
export type AttachmentView = z.infer<typeof attachmentSchema>;

/** A change of one file. Without `oldText`, the file is new. The texts are hunks without line numbers. */
export const diffSchema = z.object({
  path: z.string(),
  /** The path, shortened. */ label: optionalText,
  oldText: optionalText,
  newText: z.string(),
  /** The line number of the beginning of both texts; 1 if absent. */
  firstLine: z.optional(z.number()),
  /** Nobody knows where the texts are in the file. */
  isUnnumbered: z.optional(z.literal(true)),
  added: z.number(),
  removed: z.number(),
});
export type DiffView = z.infer<typeof diffSchema>;

/** `line` is 1-based. `label` is the short text to show. */
export const locationSchema = z.object({ path: z.string(), line: z.optional(z.number()), label: z.string() });
export type LocationView = z.infer<typeof locationSchema>;

/** How much was changed: the number of files in words, and of lines. */
export const countsSchema = z.object({ files: z.string(), added: z.number(), removed: z.number() });
export type CountsView = z.infer<typeof countsSchema>;

/**
 * A file that a turn changed. `path` is relative to the folder and names the file to the host. `notes` say what is out of the ordinary.
 * `isFixed`: it can neither be compared nor taken back.
 */
const changedFileSchema = z.object({
  path: z.string(),
  status: z.enum(['added', 'modified', 'deleted', 'renamed']),
  added: z.number(),
  removed: z.number(),
  notes: z.array(z.string()),
  isUndone: z.optional(z.literal(true)),
  isFixed: z.optional(z.literal(true)),
});
export type ChangedFileView = z.infer<typeof changedFileSchema>;

/** What a turn changed. `more` counts the files that are not listed; `notes` say why something may be missing. */
export const changesSchema = z.object({
  counts: countsSchema,
  files: z.array(changedFileSchema),
  more: optionalText,
  notes: z.array(z.string()),
  isUndone: z.optional(z.literal(true)),
  /** For all files. */
  buttons: z.array(buttonSchema),
});
export type ChangesView = z.infer<typeof changesSchema>;

// The fields of a form as the page draws them, and the values that it sends back by their names.

const base = { name: z.string(), label: optionalText, description: optionalText, required: z.boolean() };
const choice = z.object({ value: z.string(), label: z.string(), description: optionalText });
const number = { min: z.optional(z.number()), max: z.optional(z.number()), defaultValue: z.optional(z.number()) };
/** `allowCustom`: the list also has "Other…". */
const choosing = { choices: z.array(choice), allowCustom: z.boolean() };

export const fieldSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    ...base,
    multiline: z.optional(z.boolean()),
    placeholder: optionalText,
    minLength: z.optional(z.number()),
    maxLength: z.optional(z.number()),
    format: z.optional(z.enum(['email', 'uri', 'date', 'date-time'])),
    /** Only shown, never evaluated. */
    pattern: optionalText,
    defaultValue: optionalText,
  }),
  z.object({ type: z.literal('number'), ...base, ...number }),
  z.object({ type: z.literal('integer'), ...base, ...number }),
  z.object({ type: z.literal('boolean'), ...base, defaultValue: z.optional(z.boolean()) }),
  z.object({ type: z.literal('select'), ...base, ...choosing, defaultValue: optionalText }),
  z.object({
    type: z.literal('multiselect'),
    ...base,
    ...choosing,
    minItems: z.optional(z.number()),
    maxItems: z.optional(z.number()),
    defaultValue: z.optional(z.array(z.string())),
  }),
]);
export type FieldView = z.infer<typeof fieldSchema>;

/** The value of a multiselect field is an array. */
export const fieldValuesSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));
export type FieldValuesView = z.infer<typeof fieldValuesSchema>;
