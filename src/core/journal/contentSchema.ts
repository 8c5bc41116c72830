/** Schemas of the content of prompts, messages and tool calls, as it is read from disk and sent by front ends. */
import * as z from 'zod/mini';
import { isFields } from '../base/fields.js';
import type { Meta } from '../session/content.js';
import type { ContentBlock } from '../session/model.js';

/**
 * An optional member. One of the wrong shape, or `null` from a program that writes it for nothing, costs only itself. Most are absent, which
 * costs the least with `optional` outside.
 */
export function maybe<T extends z.ZodMiniType>(schema: T): z.ZodMiniOptional<z.ZodMiniCatch<z.ZodMiniOptional<T>>> {
  return z.optional(z.catch(z.optional(schema), undefined));
}

export const meta = maybe(z.nullable(z.custom<Meta>(isFields)));
export const text = maybe(z.nullable(z.string()));
const annotated = { annotations: meta, _meta: meta };
const resource = { uri: z.string(), mimeType: text, _meta: meta };

export const contentBlock = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), ...annotated }),
  z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string(), uri: text, ...annotated }),
  z.object({ type: z.literal('audio'), data: z.string(), mimeType: z.string(), ...annotated }),
  z.object({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string(),
    title: text,
    description: text,
    mimeType: text,
    size: maybe(z.nullable(z.number())),
    ...annotated,
  }),
  z.object({
    type: z.literal('resource'),
    resource: z.union([z.object({ ...resource, text: z.string() }), z.object({ ...resource, blob: z.string() })]),
    ...annotated,
  }),
]);

/** A block of a prompt. The cast is that of `parseEvent`. */
export const promptBlock = contentBlock as z.ZodMiniType<ContentBlock>;
