/**
 * Parses what agents add to a way to sign in beyond ACP v1: `vars` of the removed type `env_var` (RFD auth-methods, 2026-07-27), and the
 * members `terminal-auth` and `api-key` of `_meta`, which several agents send.
 */
import * as z from 'zod/mini';

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
