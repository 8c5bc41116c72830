import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import { HostError } from '../base/errors.js';

/**
 * The user's home folder; absolute. An empty or relative HOME, which would lead into the current folder, is not one.
 * @throws HostError `usage` if the system knows none either
 */
export function homeFolder(): string {
  const found = [homedir, () => userInfo().homedir].map(orNone).find((folder) => path.isAbsolute(folder));
  if (found === undefined) throw new HostError('usage', { reason: 'no_home' });
  return found;
}

function orNone(read: () => string): string {
  try {
    return read();
  } catch {
    // The user is not in the system's list of users.
    return '';
  }
}
