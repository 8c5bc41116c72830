/** A method of several agents for prompts that reach a running turn, which ACP does not have. */
import type { PromptRequest } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import type { MethodSpec } from '../../../rpc/peer.js';

const steeringSchema = z.object({ steering: z.object({ supported: z.literal(true) }) });
const steeringResult = z.looseObject({ outcome: z.catch(z.optional(z.string()), undefined) });

/**
 * `isRefused`: no turn is running any more, so the agent did not take the prompt. Source: claude-agent-acp 0.101 and codex-acp 2.6, which
 * also answer `injected`, and `startedNewTurn` unless the request wants to know instead (`idleBehavior`).
 */
export const steering: MethodSpec<PromptRequest, { readonly isRefused: boolean }> = {
  method: '_session/steering',
  parseResult: (result) => ({ isRefused: steeringResult.parse(result).outcome === 'promptRequired' }),
};

export const steeringMeta = { steering: { idleBehavior: 'promptRequired' } } as const;

/** @param meta of the answer to `initialize` */
export function offersSteering(meta: unknown): boolean {
  return steeringSchema.safeParse(meta).success;
}
