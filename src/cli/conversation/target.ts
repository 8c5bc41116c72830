import type { ConversationRequest } from '../arguments/request.js';
import { type ChosenAgent, chooseAgent } from '../system/agents.js';
import { useEngine } from '../system/engine.js';
import { existingFolder } from '../system/files.js';
import type { Io } from '../system/io.js';
import { agentOf, newestSession, readSaved, type Saved, sessionWithId } from '../system/saved.js';

/** What the options of the command line refer to on this machine. */
export interface ConversationTarget {
  /** Absolute, without symbolic links. */
  readonly cwd: string;
  readonly agent: ChosenAgent;
  /** A new session if undefined. */
  readonly sessionId: string | undefined;
  /** The saved conversation that contains the session; a new one if undefined. */
  readonly conversationId: string | undefined;
}

/** @throws HostError `usage`, and other errors before there is an agent */
export async function findTarget(request: ConversationRequest, io: Io): Promise<ConversationTarget> {
  const cwd = await existingFolder(request.cwd ?? '.');
  const wanted = request.agent && (await chooseAgent(request.agent, io, cwd));
  const { session } = request;
  if (session.type === 'new') {
    const agent = wanted ?? (await chooseAgent(undefined, io, cwd));
    return { cwd, agent, sessionId: undefined, conversationId: undefined };
  }
  const saved = await savedOf(request, io);
  if (session.type === 'id') {
    const sessionId = session.id;
    const agent = wanted ?? (await chooseAgent(agentOf(sessionWithId(saved, sessionId)), io, cwd));
    const found = sessionWithId(saved, sessionId, agent.definition.id);
    return { cwd, agent, sessionId: found?.sessionId ?? sessionId, conversationId: found?.conversationId };
  }
  const newest = newestSession(saved, cwd, wanted?.definition.id);
  const { sessionId, conversationId } = newest;
  return { cwd, agent: wanted ?? (await chooseAgent(agentOf(newest), io, cwd)), sessionId, conversationId };
}

async function savedOf({ state }: ConversationRequest, io: Io): Promise<Saved> {
  const engine = await useEngine({ state }, io);
  try {
    return await readSaved(engine.client);
  } finally {
    await engine.end();
  }
}
