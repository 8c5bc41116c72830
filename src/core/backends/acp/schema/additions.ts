/** What agents and this program add to ACP v1, most of it in `_meta`: ways to sign in, prompts for a running turn, forks in the middle. */
import * as z from 'zod/mini';
import type { PromptRequest } from '@agentclientprotocol/sdk';
import type { Delivery } from '../../agentBackend.js';
import type { ContentBlock, Meta, QueuedPrompt } from '../../../session/model.js';
import type { MethodSpec } from '../../../rpc/peer.js';

const steeringSchema = z.object({ steering: z.object({ supported: z.literal(true) }) });
const steeringResult = z.looseObject({ outcome: z.catch(z.optional(z.string()), undefined) });

/**
 * A method of several agents for prompts that reach a running turn. `isRefused`: no turn is running any more, so the agent did not take the prompt. Source: claude-agent-acp 0.101 and codex-acp 2.6, which
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

/**
 * Prompts that reach a running turn or wait for it in the agent: this program's own extension, which `serve` offers and any client may use.
 */
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

const terminalAuth = z.looseObject({
  command: z.string().check(z.minLength(1)),
  args: z.catch(z.array(z.string()), []),
  env: z.catch(z.record(z.string(), z.string()), {}),
});
const apiKey = z.looseObject({ provider: z.catch(z.optional(z.string()), undefined) });
const variable = z.looseObject({ name: z.string().check(z.minLength(1)), optional: z.catch(z.optional(z.boolean()), undefined) });

const extras = z.looseObject({
  vars: z.catch(z.optional(z.array(variable)), undefined),
  _meta: z.catch(
    z.optional(
      z.looseObject({
        'terminal-auth': z.catch(z.optional(terminalAuth), undefined),
        'api-key': z.catch(z.optional(apiKey), undefined),
      }),
    ),
    undefined,
  ),
});

/**
 * What agents add to a way to sign in: `vars` of the removed type `env_var` (RFD auth-methods, 2026-07-27), and the members `terminal-auth` and
 * `api-key` of `_meta`, which several agents send.
 */
export interface AuthMethodExtras {
  /** A complete command to run in a terminal instead of the agent's own. */
  readonly terminal: z.output<typeof terminalAuth> | undefined;
  /** Variables with its keys. */
  readonly variables: readonly { readonly name: string; readonly optional?: boolean | undefined }[];
  /** The provider whose key it accepts. */
  readonly keyProvider: string | undefined;
}

export function parseAuthMethodExtras(method: unknown): AuthMethodExtras {
  const parsed = extras.safeParse(method).data;
  const meta = parsed?._meta;
  return { terminal: meta?.['terminal-auth'], variables: parsed?.vars ?? [], keyProvider: meta?.['api-key']?.provider };
}
