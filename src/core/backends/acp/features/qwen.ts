/**
 * What Qwen Code asks beside ACP: after each of its tool calls, for the prompts that are to reach the running turn. If that is refused, it
 * asks no more. Source: qwen-code 0.24.4, measured and read.
 */
import * as z from 'zod/mini';
import { itemParser } from '../schema/lenient.js';
import type { Steer } from '../steering.js';
import type { AcpFeature, FeatureContext } from './feature.js';

export const qwen: AcpFeature = { requests: { 'craft/drainMidTurnQueue': giveSteers } };

const drainRequest = itemParser(z.looseObject({ sessionId: z.string() }));

/** It drops what is beyond. */
const mostItems = 10;

async function giveSteers(context: FeatureContext, params: unknown): Promise<unknown> {
  const request = drainRequest(params);
  const session = request === undefined ? undefined : await context.sessionOf(request.sessionId);
  const items = session?.steering?.take?.(mostItems) ?? [];
  return { items: items.map(toItem), hasQueuedPrompt: false };
}

function toItem({ id, prompt }: Steer): unknown {
  const displayText = prompt.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  return { messageId: id, displayText, content: prompt };
}
