import type { SessionState } from '../session/model.js';
import { reduceAll } from '../session/reducer.js';
import type { ConversationPorts } from './ports.js';
import type { ConversationState, SessionKey } from './state.js';

/**
 * The same conversation in this process while it is being closed. Its agent may take a while to end, and its output until then is still to
 * be saved.
 */
export interface Predecessor {
  readonly state: ConversationState;
  /** Resolves when all of its output is saved and it has released the conversation. */
  readonly ended: Promise<void>;
}

/** Returns ports that show what was on screen of the predecessor until it has ended, because not all of it is on disk before that. */
export function portsAfter({ state, ended }: Predecessor, ports: ConversationPorts): ConversationPorts {
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  return {
    ...ports,
    readSaved: async (key) => (hasEnded ? undefined : seenIn(state, key)) ?? ports.readSaved(key),
  };
}

function seenIn({ agent, session, earlierSessions }: ConversationState, key: SessionKey): readonly SessionState[] | undefined {
  const isSame = agent?.id === key.agentId && session?.sessionId === key.sessionId;
  if (!isSame || session === undefined || (key.createdAt !== undefined && key.createdAt !== session.createdAt)) return undefined;
  const at = session.turn.type === 'idle' ? session.createdAt : session.turn.lastEventAt;
  // Closing the conversation stops its running turn.
  return [...earlierSessions, reduceAll(session, [{ type: 'opened', at, cwd: session.cwd, by: 'loaded' }])];
}
