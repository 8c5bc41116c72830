/**
 * Creates session ids that only the host knows. The service cannot report an unknown session, and a caller that resumes one may have
 * nothing but its id, so the id itself shows that it was created here: it ends with a checksum.
 */
import { createHash, randomUUID } from 'node:crypto';

const prefix = 'stateless-';
const checkChars = 8;

export function makeSessionId(): string {
  const name = `${prefix}${randomUUID()}`;
  return `${name}-${checksum(name)}`;
}

/** This is no protection against deception, but nothing can be gained with a forged id. */
export function wasGivenOut(id: string): boolean {
  const name = id.slice(0, -checkChars - 1);
  return name.startsWith(prefix) && id === `${name}-${checksum(name)}`;
}

function checksum(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, checkChars);
}
