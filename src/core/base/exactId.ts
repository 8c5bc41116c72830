/**
 * Ids that JSON.parse changes, or that are neither text nor an integer. Whoever asks waits for an answer with exactly its id, so such an id
 * is carried as a text that begins with a mark, and is written without it. So is a text that happens to begin with the mark.
 */
import { isFields } from './fields.js';

const mark = 'json:';

/** An id that is null, of what is a request nevertheless. */
export const nullId = `${mark}null`;

/** Returns the id as it is carried; `undefined` and `null` stay as they are. @param source how the agent wrote it */
export function exactId(id: unknown, source?: string): unknown {
  const isUnchanged = typeof id === 'string' ? !id.startsWith(mark) : id == null || Number.isSafeInteger(id);
  // Not as a default, which every message would compute.
  return isUnchanged ? id : mark + (source ?? JSON.stringify(id));
}

/** Carries the id of a message that was just parsed. @param line returns what was parsed */
export function withExactId(message: unknown, line: () => string): unknown {
  if (!isFields(message)) return message;
  const { id } = message;
  if (id === exactId(id)) return message;
  return { ...message, id: exactId(id, typeof id === 'number' ? digitsOf(id, line()) : undefined) };
}

/** JSON.parse rounds numbers beyond 2^53, and doesn't say how they were written. */
function digitsOf(id: number, line: string): string | undefined {
  for (const [, digits] of line.matchAll(/"id"\s*:\s*(-?[0-9][0-9.eE+-]*)/g)) if (Number(digits) === id) return digits;
  return undefined;
}

/** Writes a message; the id of an answer is written as the agent wrote it. @throws TypeError like JSON.stringify */
export function stringify(message: object): string {
  const id = 'id' in message && typeof message.id === 'string' && message.id.startsWith(mark) ? message.id.slice(mark.length) : undefined;
  if (id === undefined) return JSON.stringify(message);
  return `{"id":${id},${JSON.stringify({ ...message, id: undefined }).slice(1)}`;
}
