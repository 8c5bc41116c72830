/** The parts that several things on the page consist of. */
import * as z from 'zod/mini';
import { actionIds } from './actions.js';

const optionalText = z.optional(z.string());

/** What a button may ask the host to do. The set is closed: there is no generic command. */
export const actionSchema = z.enum(actionIds);

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
  added: z.number(),
  removed: z.number(),
});
export type DiffView = z.infer<typeof diffSchema>;

/** `line` is 1-based. `label` is the short text to show. */
export const locationSchema = z.object({ path: z.string(), line: z.optional(z.number()), label: z.string() });
export type LocationView = z.infer<typeof locationSchema>;
