/**
 * Prompts that reach a running turn or wait for it in the agent, which ACP does not have: this program's own extension in `_meta`, which
 * `serve` offers and any client may use. Some agents have a method for it (steering.ts).
 */
import * as z from 'zod/mini';
import type { ContentBlock, Meta, QueuedPrompt } from '../../../session/model.js';
import type { Delivery } from '../../agentBackend.js';

const owner = 'acp-host';
const delivery = z.enum(['turn', 'steer', 'followUp']);
const offerSchema = z.object({ [owner]: z.object({ deliveries: z.array(delivery) }) });
const promptSchema = z.object({ [owner]: z.object({ delivery }) });
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

/** Returns the `_meta` of a prompt. */
export function deliveryMeta(of: Delivery): Meta {
  return { [owner]: { delivery: of } };
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
