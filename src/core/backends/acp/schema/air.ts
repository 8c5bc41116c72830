/**
 * What some agents report in `_meta.jetbrains.air`, an extension of JetBrains: failures with their kind, and the end of a replay. The host
 * reads it without declaring the extension, which would change much else. Source: claude-agent-acp 0.101 and codex-acp 2.6.
 */
import * as z from 'zod/mini';
import { itemParser, listOf, orNull } from './lenient.js';

const failureActions = ['retry', 'login', 'new_session'] as const;
type FailureAction = (typeof failureActions)[number];

const sessionFailure = z.looseObject({
  id: z.string(),
  revision: z.int(),
  category: z.string(),
  severity: z.catch(z.enum(['warning', 'error']), 'error'),
  title: z.string().check(z.minLength(1)),
  details: orNull(z.string()),
  actions: z.catch(listOf(itemParser(z.enum(failureActions))), []),
});

/** A failure with the same `id` and a higher `revision` replaces an earlier one. */
export type SessionFailure = z.output<typeof sessionFailure>;

const parseFailure = itemParser(sessionFailure);
const parseMeta = itemParser(z.object({ jetbrains: z.object({ air: z.looseObject({}) }) }));

function airIn(meta: unknown): Readonly<Record<string, unknown>> {
  return parseMeta(meta)?.jetbrains.air ?? {};
}

/** @param meta of an update with information about the session */
export function endsReplay(meta: unknown): boolean {
  return airIn(meta)['loadReplayEnd'] === true;
}

/** @param meta of the answer to a prompt, or of an update with information about the session */
export function sessionFailureIn(meta: unknown): SessionFailure | undefined {
  return parseFailure(airIn(meta)['sessionFailure']);
}

/** The host's code for a category; the others say no more than that the request failed. */
const codes = { access: 'auth_required', limit: 'provider_failed', service: 'provider_failed', connection: 'provider_failed' } as const;
export type FailureCode = (typeof codes)[keyof typeof codes];

export function codeOf({ category, actions }: SessionFailure): FailureCode | undefined {
  if (actions.includes('login')) return 'auth_required';
  return Object.hasOwn(codes, category) ? codes[category as keyof typeof codes] : undefined;
}

/** What the agent says that the user can do about a failure, besides signing in; undefined if it does not say. */
export type Remedy = Exclude<FailureAction, 'login'>;

export function remediesOf({ actions }: SessionFailure): readonly Remedy[] | undefined {
  const remedies = actions.filter((action) => action !== 'login');
  return remedies.length === 0 ? undefined : remedies;
}
