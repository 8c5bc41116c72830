/**
 * The message after which a session is forked, in the `_meta` of the request: an extension of JetBrains, version 1, that agents follow
 * without a declaration (claude-agent-acp 0.101, codex-acp 2.6).
 */
import * as z from 'zod/mini';

export function forkMeta(messageId: string): { readonly [key: string]: unknown } {
  return { jetbrains: { air: { fork: { version: 1, messageId } } } };
}

const forkPlace = z.object({
  jetbrains: z.object({ air: z.object({ fork: z.object({ version: z.literal(1), messageId: z.string().check(z.minLength(1)) }) }) }),
});

/** Returns the message after which a client wants a fork; undefined: at the end. */
export function forkedAfter(meta: unknown): string | undefined {
  return forkPlace.safeParse(meta).data?.jetbrains.air.fork.messageId;
}
