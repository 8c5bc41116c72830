/**
 * Ids of sessions that only the host knows. The service could not say that it has never heard of one, and whoever resumes a session may have
 * nothing but its id, so the id itself tells whether it was given out here: it ends with a checksum.
 */
import { createHash, randomUUID } from 'node:crypto';

const prefix = 'stateless-';
const checkChars = 8;

export function makeSessionId(): string {
  const name = `${prefix}${randomUUID()}`;
  return `${name}-${checksum(name)}`;
}

/** No proof against somebody who wants to deceive: nothing can be had with such an id. */
export function wasGivenOut(id: string): boolean {
  const name = id.slice(0, -checkChars - 1);
  return name.startsWith(prefix) && id === `${name}-${checksum(name)}`;
}

function checksum(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, checkChars);
}
