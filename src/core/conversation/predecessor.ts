import type { SessionState } from '../session/model.js';
import { reduceAll } from '../session/reducer.js';
import type { ConversationPorts } from './ports.js';
import type { ConversationState, SessionKey } from './state.js';

/** The same conversation of this process, which is being closed: its agent may take a while to end, and what it says until then is yet to be saved. */
export interface Predecessor {
  readonly state: ConversationState;
  /** Resolves when all of it is saved and it has let go of the conversation. */
  readonly ended: Promise<void>;
}

/** What was on screen of it is shown until it has ended: not all of it is on disk before. */
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
  // A turn that runs is stopped with it.
  return [...earlierSessions, reduceAll(session, [{ type: 'opened', at, cwd: session.cwd, by: 'loaded' }])];
}
