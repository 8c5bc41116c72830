import { homedir } from 'node:os';
import { basename } from 'node:path';
import { type LeftOutServer, type McpServers, messageOf, parseMcpFile, readMcpServers } from '../../core/index.js';
import { leftOutText } from '../../text/mcpText.js';
import type { ConversationRequest } from '../arguments/request.js';
import { usageError } from '../arguments/usageError.js';
import { type ChosenAgent, chooseAgent } from '../system/agents.js';
import { existingFolder, readText } from '../system/files.js';
import type { Io } from '../system/io.js';
import { agentOf, newestSession, readAllSaved, sessionWithId } from '../system/saved.js';

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
  readonly mcp: McpServers & { readonly secretValues: readonly string[] };
  /** Absolute, without symbolic links. */
  readonly otherFolders: readonly string[];
}

const noServers: ConversationTarget['mcp'] = { servers: [], problems: [], secretValues: [] };

/** @throws HostError `usage`, and other errors before there is an agent */
export async function findTarget(request: ConversationRequest, io: Io): Promise<ConversationTarget> {
  const cwd = await existingFolder(request.cwd ?? '.');
  const mcp = request.mcpConfig === undefined ? noServers : await serversIn(request.mcpConfig, cwd, io);
  const otherFolders = await Promise.all(request.otherFolders.map(existingFolder));
  return { ...(await findConversation(request, cwd, io)), mcp, otherFolders };
}

async function findConversation(
  request: ConversationRequest,
  cwd: string,
  io: Io,
): Promise<Omit<ConversationTarget, 'mcp' | 'otherFolders'>> {
  const wanted = request.agent && (await chooseAgent(request.agent, io, cwd));
  const { session } = request;
  if (session.type === 'new') {
    const agent = wanted ?? (await chooseAgent(undefined, io, cwd));
    return { cwd, agent, sessionId: undefined, conversationId: undefined };
  }
  const saved = await readAllSaved({ state: request.state }, io);
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
async function serversIn(file: string, cwd: string, io: Io): Promise<ConversationTarget['mcp']> {
  const text = await readText(file).catch((error: unknown) => {
    throw usageError(`--mcp-config: ${messageOf(error)}`);
  });
  const content = parseMcpFile(text);
  if (content === undefined || Object.keys(content.entries).length === 0)
    throw usageError(`--mcp-config: ${file} has no JSON object \`mcpServers\` or \`servers\` with servers`);
  const values: Record<string, string> = {};
  const secretValues: string[] = [];
  for (const { id, isSecret, fallback } of content.inputs) {
    const value = io.env[inputVariable(id)] ?? fallback;
    if (value === undefined) continue;
    values[`input:${id}`] = value;
    if (isSecret) secretValues.push(value);
  }
  const folder = { workspaceFolder: cwd, workspaceFolderBasename: basename(cwd), userHome: homedir() };
  const { servers, problems } = readMcpServers(content.entries, { ...io.env, ...folder, ...values });
  const mistake = problems.find((problem) => !needsInput(problem));
  if (mistake !== undefined) throw usageError(`--mcp-config: ${leftOutText(mistake)}`);
  return { servers, problems, secretValues };
}

/** Nobody gave a value, which is no mistake in the file. */
function needsInput({ code, variable }: LeftOutServer): boolean {
  return code === 'variable' && variable?.startsWith('input:') === true;
}

/** The environment variable with the value of an input, by the convention of GitHub Actions: `api-key` is in `INPUT_API_KEY`. */
function inputVariable(id: string): string {
  return `INPUT_${id.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
}
