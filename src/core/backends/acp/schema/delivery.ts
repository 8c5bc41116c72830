/** Prompts that reach a turn that runs, which ACP does not have: an extension of this program's own, in `_meta`. `serve` offers it, and a client may use it. */
import * as z from 'zod/mini';
import type { Meta } from '../../../session/model.js';
import type { Delivery } from '../../agentBackend.js';

const owner = 'acp-host';
const delivery = z.enum(['turn', 'steer', 'followUp']);
const offerSchema = z.object({ [owner]: z.object({ deliveries: z.array(delivery) }) });
const promptSchema = z.object({ [owner]: z.object({ delivery }) });

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
