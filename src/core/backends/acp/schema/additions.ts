/** What agents add to ACP v1, most of it in `_meta`: ways to sign in, and prompts for a running turn. */
import * as z from 'zod/mini';
import type { PromptRequest } from '@agentclientprotocol/sdk';
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
