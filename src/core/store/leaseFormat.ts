/** The small files that record which process works in a conversation, and which one requests it. */
import * as z from 'zod/mini';
import { readSmallFile } from '../node/smallFiles.js';

export const leaseSchema = z.object({
  format: z.literal('acp-host-lease'),
  writer: z.string(),
  pid: z.number(),
  startedAt: z.optional(z.string()),
  host: z.string(),
  program: z.enum(['editor', 'terminal']),
  isBusy: z.boolean(),
});
export type Lease = z.infer<typeof leaseSchema>;
/** A process that requests a conversation writes this next to the lease. */
export const requestSchema = z.object({
  format: z.literal('acp-host-let-go'),
  writer: z.string(),
  program: z.enum(['editor', 'terminal']),
  stopsTurn: z.boolean(),
});

/** @returns undefined if the file is missing, incomplete or foreign */
export function parseLease<T>(schema: z.ZodMiniType<T>, path: string): T | undefined {
  try {
    const file = readSmallFile(path);
    const parsed = file === undefined ? undefined : schema.safeParse(JSON.parse(file.text));
    return parsed?.success === true ? parsed.data : undefined;
  } catch {
    return undefined; // incomplete, or foreign
  }
}
