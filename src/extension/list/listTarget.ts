import * as z from 'zod/mini';
import type { ListNode } from './listNodes.js';

/** The argument of a command: the row on which it was invoked, or what its key binding in package.json passes. */
const rowSchema = z.object({ type: z.literal('conversation'), id: z.string() });
const keySchema = z.object({ from: z.literal('list') });

/**
 * @param selected the selected rows, the focused one first
 * @returns the row of a conversation in the list, or for a key of a session, that a command applies to, without an id if none is selected;
 * undefined if the command was invoked elsewhere
 */
export function listTarget(
  argument: unknown,
  selected: readonly Pick<ListNode, 'type' | 'id'>[],
): { readonly type: 'conversation' | 'session'; readonly id: string | undefined } | undefined {
  const row = rowSchema.safeParse(argument);
  if (row.success) return row.data;
  if (!keySchema.safeParse(argument).success) return undefined;
  for (const { type, id } of selected) if (type === 'session' || type === 'conversation') return { type, id };
  return { type: 'conversation', id: undefined };
}

const otherSchema = z.object({ type: z.enum(['session', 'others']), id: z.string() });
const moreSchema = z.object({ type: z.enum(['more', 'sign_in']), of: z.string() });

/** @returns the id of the row that a command for the other sessions of an agent applies to; undefined if it was invoked elsewhere */
export function otherTarget(argument: unknown): string | undefined {
  return otherSchema.safeParse(argument).data?.id ?? moreSchema.safeParse(argument).data?.of;
}
