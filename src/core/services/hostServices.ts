/** What an agent may ask of its host. The core decides policy; a front end only answers. */
import type { UserAnswer, UserRequest } from '../session/userRequest.js';
import type { ConfinedNavigation } from './codeNavigation.js';
import type { FileAccess } from './files.js';

type Unopened<R> = R extends UserRequest ? Omit<R, 'id' | 'at' | 'deadlineAt'> : never;

/** A request before the host gave it its id and times. */
export type NewRequest = Unopened<UserRequest> & {
  /** How long the agent itself waits; absent or 0: as long as the host lets it. */
  readonly timeoutMs?: number;
};

export interface HostServices {
  /**
   * Puts a request of the agent before the user. Resolves exactly once, with an answer that the request allows; every other end is a
   * `cancel` (turn cancelled, agent gone, session closed, host disposed), or a no where nobody decided. Never rejects, never accepts by itself.
   * @param signal aborted when the agent withdraws the request
   */
  requestUser(request: NewRequest, signal: AbortSignal): Promise<UserAnswer>;
  /** The folder that the agent works in. */
  readonly files: FileAccess;
  /** What an editor knows of the code in that folder. Absent: the agent may not ask. */
  readonly codeNavigation?: ConfinedNavigation;
}
