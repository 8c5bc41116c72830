import { type McpServer, messageOf, readMcpServers, serversInFile } from '../../core/index.js';
import { mcpProblemText } from '../../text/mcpText.js';
import type { ConversationRequest } from '../arguments/request.js';
import { usageError } from '../arguments/usageError.js';
import { type ChosenAgent, chooseAgent } from '../system/agents.js';
import { useEngine } from '../system/engine.js';
import { existingFolder, readText } from '../system/files.js';
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
  /** What its agent may connect to. */
  readonly mcpServers: readonly McpServer[];
}

/** @throws HostError `usage`, and other errors before there is an agent */
export async function findTarget(request: ConversationRequest, io: Io): Promise<ConversationTarget> {
  const cwd = await existingFolder(request.cwd ?? '.');
  const mcpServers = request.mcpConfig === undefined ? [] : await serversIn(request.mcpConfig, cwd, io);
  return { ...(await findConversation(request, cwd, io)), mcpServers };
}

async function findConversation(request: ConversationRequest, cwd: string, io: Io): Promise<Omit<ConversationTarget, 'mcpServers'>> {
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

/** @throws HostError `usage` */
async function serversIn(file: string, cwd: string, io: Io): Promise<readonly McpServer[]> {
  const text = await readText(file).catch((error: unknown) => {
    throw usageError(`--mcp-config: ${messageOf(error)}`);
  });
  const entries = serversInFile(text);
  if (entries === undefined) throw usageError(`--mcp-config: ${file} has no JSON object \`mcpServers\` or \`servers\``);
  const { servers, problems } = readMcpServers(entries, { ...io.env, workspaceFolder: cwd });
  const [problem] = problems;
  if (problem !== undefined) throw usageError(`--mcp-config: ${mcpProblemText(problem)}`);
  return servers;
}

async function savedOf({ state }: ConversationRequest, io: Io): Promise<Saved> {
  const engine = await useEngine({ state }, io);
  try {
    return await readSaved(engine.client);
  } finally {
    await engine.end();
  }
}
