/** What several things on the page are made of. */
import * as z from 'zod/mini';
import { actionIds } from './actions.js';

const optionalText = z.optional(z.string());

/** What a button may ask the host to do. A closed set: there is no generic command. */
export const actionSchema = z.enum(actionIds);

/** The first one of a list is the likeliest. `methodId`: the way to sign in that it is for. */
export const buttonSchema = z.object({ action: actionSchema, label: z.string(), methodId: optionalText });
export type ButtonView = z.infer<typeof buttonSchema>;

/** `text`: what the agent reads of it, shown folded. */
export const attachmentSchema = z.object({
  kind: z.enum(['image', 'audio', 'resource', 'link', 'other']),
  label: z.string(),
  uri: optionalText,
  mimeType: optionalText,
  data: optionalText,
  text: optionalText,
});
export type AttachmentView = z.infer<typeof attachmentSchema>;

/** A change of one file. `oldText` absent: a new file. Line numbers are not known, the texts are hunks. */
export const diffSchema = z.object({
  path: z.string(),
  /** The path, short. */ label: optionalText,
  oldText: optionalText,
  newText: z.string(),
  /** Number of the line that both texts begin with; absent: 1. */
  firstLine: z.optional(z.number()),
  added: z.number(),
  removed: z.number(),
});
export type DiffView = z.infer<typeof diffSchema>;

/** `line`: 1-based. `label`: short, as shown. */
export const locationSchema = z.object({ path: z.string(), line: z.optional(z.number()), label: z.string() });
export type LocationView = z.infer<typeof locationSchema>;
