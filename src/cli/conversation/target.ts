import { type ConversationStore, type Elsewhere, Redactor } from '../../core/index.js';
import type { ConversationRequest } from '../arguments/request.js';
import { choiceOf, type ChosenAgent, chooseAgent } from '../system/agents.js';
import { existingFolder } from '../system/files.js';
import type { Io } from '../system/io.js';
import { agentOfSession, newestSession, openStore } from '../system/saved.js';

/** What the options of the command line refer to on this machine. */
export interface ConversationTarget {
  /** Absolute, without symbolic links. */
  readonly cwd: string;
  readonly agent: ChosenAgent;
  /** A new session if undefined. */
  readonly sessionId: string | undefined;
  /** Identifies the saved conversation if its agent reused the id; the newest one if undefined. */
  readonly createdAt: number | undefined;
  /** The saved conversation that contains the session; a new one if undefined. */
  readonly conversationId: string | undefined;
  /** Another process works in the conversation. */
  readonly elsewhere: Elsewhere | undefined;
}

/** @throws HostError `usage`, and other errors before there is an agent */
export async function findTarget(request: ConversationRequest, io: Io): Promise<ConversationTarget> {
  const cwd = await existingFolder(request.cwd ?? '.');
  const wanted = request.agent && (await chooseAgent(request.agent, io, cwd));
  const { session } = request;
  if (session.type === 'new') {
    const agent = wanted ?? (await chooseAgent(undefined, io, cwd));
    return { cwd, agent, sessionId: undefined, createdAt: undefined, conversationId: undefined, elsewhere: undefined };
  }
  if (session.type === 'id') {
    const sessionId = session.id;
    return withStore(request, io, async (store) => {
      await store.load();
      const agent = wanted ?? (await chooseAgent(agentOfSession(store, sessionId), io, cwd));
      const saved = store.find({ agentId: agent.definition.id, sessionId });
      const elsewhere = saved && store.seats.elsewhere(saved.id);
      return { cwd, agent, sessionId, createdAt: undefined, conversationId: saved?.id, elsewhere };
    });
  }
  const newest = await withStore(request, io, (store) => newestSession(store, cwd, wanted?.definition.id));
  return {
    cwd,
    agent: wanted ?? (await chooseAgent(choiceOf(newest.agentId), io, cwd)),
    sessionId: newest.sessionId,
    createdAt: newest.createdAt,
    conversationId: newest.conversationId,
    elsewhere: newest.elsewhere,
  };
}

async function withStore<T>(request: ConversationRequest, io: Io, use: (store: ConversationStore) => Promise<T>): Promise<T> {
  const store = openStore(request.state, io, new Redactor());
  try {
    return await use(store);
  } finally {
    store.dispose();
  }
}
