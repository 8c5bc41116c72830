import * as z from 'zod/mini';

/** The argument of a command: the row on which it was invoked, or what its key binding in package.json passes. */
const rowSchema = z.object({ type: z.literal('conversation'), id: z.string() });
const keySchema = z.object({ from: z.literal('list') });

/**
 * @param selected the selected rows
 * @returns the conversation in the list that a command applies to; undefined if the command was invoked elsewhere
 */
export function listTarget(argument: unknown, selected: readonly string[]): string | undefined {
  const row = rowSchema.safeParse(argument);
  if (row.success) return row.data.id;
  return keySchema.safeParse(argument).success ? selected[0] : undefined;
}
