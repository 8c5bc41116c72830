/** Parses the sessions that an agent lists. Source: ACP v1 (SDK 2.4.0), `ListSessionsResponse`. */
import * as z from 'zod/mini';
import { isFields, orNull } from './lenient.js';

/** A page of the list. An entry is undefined if it could not be read. */
export interface SessionPage {
  readonly sessions: readonly (ListedSession | undefined)[];
  /** Opaque. Absent at the end of the list. */
  readonly nextCursor: string | undefined;
}

export interface ListedSession {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title: string | undefined;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number | undefined;
}

/** No agent has longer ones; every front end holds each of them. */
const idChars = 1_000;
const pathChars = 4_096;
const titleChars = 200;

/** `null` and a missing list are an empty one; anything else that is no list is an error. */
export const sessionPage: z.ZodMiniType<SessionPage> = z.pipe(
  z.looseObject({ sessions: z.optional(z.nullable(z.array(z.unknown()))), nextCursor: orNull(z.string()) }),
  z.transform(
    ({ sessions, nextCursor }): SessionPage => ({
      sessions: (sessions ?? []).map(parseEntry),
      nextCursor: typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined,
    }),
  ),
);

function parseEntry(entry: unknown): ListedSession | undefined {
  if (!isFields(entry)) return undefined;
  const { sessionId, cwd, title, updatedAt } = entry;
  if (!isTextUpTo(sessionId, idChars) || !isTextUpTo(cwd, pathChars)) return undefined;
  const words = typeof title === 'string' ? title.slice(0, titleChars).trim() : '';
  const at = typeof updatedAt === 'string' ? Date.parse(updatedAt) : NaN;
  return { sessionId, cwd, title: words === '' ? undefined : words, updatedAt: Number.isNaN(at) ? undefined : at };
}

function isTextUpTo(value: unknown, chars: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= chars;
}
