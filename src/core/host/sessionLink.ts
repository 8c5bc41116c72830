import type { BackendSession } from '../backends/agentBackend.js';
import { HostError, type HostErrorCode } from '../base/errors.js';
import { within } from '../base/within.js';
import type { KeySignIn } from './signIn.js';

/** Where a session is. `closed`: in no agent, as it was saved. `lost`: it lost its agent. */
export type SessionLink =
  | { readonly state: 'closed' }
  | {
      readonly state: 'live';
      readonly session: BackendSession;
      readonly lost: Promise<HostError>;
      readonly lose: (error: HostError) => void;
      readonly signIn: KeySignIn['signIn'];
      /** Opens and connects it again if the agent loses it while running. */
      readonly reenter: () => Promise<void>;
    }
  | { readonly state: 'lost'; readonly error: HostError };

/** If an agent sends an unexpected response because its launcher was killed, it ends within this time. */
const lastWordsMs = 500;

/** Errors after which no agent can continue the turn. */
export const lossCodes: ReadonlySet<HostErrorCode> = new Set(['agent_exited', 'disposed', 'session_unknown']);

/** Returns why the agent was lost, if it is lost already or within that time. */
export async function lostSoon(link: SessionLink): Promise<HostError | undefined> {
  if (link.state !== 'live') return link.state === 'lost' ? link.error : undefined;
  return within(link.lost, lastWordsMs);
}

export function notRunning(): HostError {
  return new HostError('agent_exited', { reason: 'not_running' });
}
