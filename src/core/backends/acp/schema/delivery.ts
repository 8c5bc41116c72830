/**
 * The `_meta` for when a prompt reaches the agent and where a fork begins: this program's own extension for prompts that reach a running turn
 * or wait for it in the agent, which `serve` offers and any client may use, and one of JetBrains. The library exports some of it, so the
 * declarations of this file must not need a package.
 */
import * as z from 'zod/mini';
import type { ContentBlock, Meta, QueuedPrompt } from '../../../session/model.js';
import type { Delivery } from '../../agentBackend.js';

const owner = 'acp-host';
const delivery = z.enum(['turn', 'steer', 'followUp']);
const offerSchema = z.object({ [owner]: z.object({ deliveries: z.array(delivery) }) });
const promptSchema = z.object({ [owner]: z.object({ delivery }) });
const promptIdSchema = z.object({ [owner]: z.object({ promptId: z.string().check(z.minLength(1)) }) });
const queueSchema = z.object({ [owner]: z.object({ queue: z.array(z.object({ id: z.string(), text: z.string() })) }) });

/** A prompt that waits in the agent, with its text. */
export interface ReportedPrompt {
  readonly id: string;
  readonly text: string;
}

/** Returns the `_meta` of an answer that opens a session. */
export function deliveryOffer(deliveries: readonly Delivery[]): Meta {
  return { [owner]: { deliveries } };
}

export function offeredDeliveries(meta: unknown): readonly Delivery[] {
  return offerSchema.safeParse(meta).data?.[owner].deliveries ?? ['turn'];
}

/** Returns the `_meta` of a prompt, with the id under which the agent is to report it. */
export function deliveryMeta(of: Delivery, promptId?: string): Meta {
  return { [owner]: { delivery: of, ...(promptId !== undefined && { promptId }) } };
}

/** Returns the `_meta` of a message of the user that was a prompt for a running turn. */
export function promptIdMeta(promptId: string): Meta {
  return { [owner]: { promptId } };
}

/** Returns the id of a prompt from its `_meta`, or from that of the message that it became. */
export function promptIdIn(meta: unknown): string | undefined {
  return promptIdSchema.safeParse(meta).data?.[owner].promptId;
}

/** Returns when a prompt is to be delivered, from its `_meta`; `turn` if that is absent or invalid. */
export function deliveryIn(meta: unknown): Delivery {
  return promptSchema.safeParse(meta).data?.[owner].delivery ?? 'turn';
}

/** Returns the `_meta` of a session update: all waiting prompts, in order. */
export function queueMeta(queue: readonly QueuedPrompt[]): Meta {
  return { [owner]: { queue: queue.map(({ id, content }) => ({ id, text: content.map(wordsOf).join('\n') })) } };
}

/** @returns undefined if the update does not mention a queue */
export function queueIn(meta: unknown): readonly ReportedPrompt[] | undefined {
  return queueSchema.safeParse(meta).data?.[owner].queue;
}

function wordsOf(block: ContentBlock): string {
  return block.type === 'text' ? block.text : `[${block.type}]`;
}

/**
 * The message after which a session is forked: an extension of JetBrains, version 1, that agents follow
 * without a declaration (claude-agent-acp 0.101, codex-acp 2.6).
 */
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
