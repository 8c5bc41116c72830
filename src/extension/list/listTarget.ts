import * as z from 'zod/mini';

/** The argument of a command: the row on which it was invoked, or what its key binding in package.json passes. */
const rowSchema = z.object({ type: z.literal('conversation'), id: z.string() });
const keySchema = z.object({ from: z.literal('list') });

/**
 * @param selected the selected rows that are conversations
 * @returns the conversation in the list that a command applies to, without an id if none is selected; undefined if the command was invoked
 * elsewhere
 */
export function listTarget(argument: unknown, selected: readonly string[]): { readonly id: string | undefined } | undefined {
  const row = rowSchema.safeParse(argument);
  if (row.success) return { id: row.data.id };
  return keySchema.safeParse(argument).success ? { id: selected[0] } : undefined;
}

const otherSchema = z.object({ type: z.enum(['session', 'others']), id: z.string() });
const moreSchema = z.object({ type: z.literal('more'), of: z.string() });

/** @returns the id of the row that a command for the other sessions of an agent applies to; undefined if it was invoked elsewhere */
export function otherTarget(argument: unknown): string | undefined {
  return otherSchema.safeParse(argument).data?.id ?? moreSchema.safeParse(argument).data?.of;
}
