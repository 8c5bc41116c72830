/** Prompts that reach a turn that runs, and wait in the agent for it, which ACP does not have: an extension of this program's own, in `_meta`. `serve` offers it, and a client may use it. */
import * as z from 'zod/mini';
import type { ContentBlock, Meta, QueuedPrompt } from '../../../session/model.js';
import type { Delivery } from '../../agentBackend.js';

const owner = 'acp-host';
const delivery = z.enum(['turn', 'steer', 'followUp']);
const offerSchema = z.object({ [owner]: z.object({ deliveries: z.array(delivery) }) });
const promptSchema = z.object({ [owner]: z.object({ delivery }) });
const queueSchema = z.object({ [owner]: z.object({ queue: z.array(z.object({ id: z.string(), text: z.string() })) }) });

/** A prompt that waits in the agent, by its words. */
export type ToldPrompt = z.output<typeof queueSchema>[typeof owner]['queue'][number];

/** Of the answer that opens a session. */
export function deliveryOffer(deliveries: readonly Delivery[]): Meta {
  return { [owner]: { deliveries } };
}

export function offeredDeliveries(meta: unknown): readonly Delivery[] {
  return offerSchema.safeParse(meta).data?.[owner].deliveries ?? ['turn'];
}

/** Of a prompt. */
export function deliveryMeta(of: Delivery): Meta {
  return { [owner]: { delivery: of } };
}

export function deliveryIn(meta: unknown): Delivery {
  return promptSchema.safeParse(meta).data?.[owner].delivery ?? 'turn';
}

/** Of an update of the session: all that waits, in order. */
export function queueMeta(queue: readonly QueuedPrompt[]): Meta {
  return { [owner]: { queue: queue.map(({ id, content }) => ({ id, text: content.map(wordsOf).join('\n') })) } };
}

/** @returns undefined where nothing is said of a queue */
export function queueIn(meta: unknown): readonly ToldPrompt[] | undefined {
  return queueSchema.safeParse(meta).data?.[owner].queue;
}

function wordsOf(block: ContentBlock): string {
  return block.type === 'text' ? block.text : `[${block.type}]`;
}
