import { homedir } from 'node:os';
import { basename } from 'node:path';
import {
  type Attaching,
  type ConversationClient,
  type ConversationListEntry,
  type ConversationState,
  type EngineClient,
  type FrontEndServices,
  HostError,
  type LeftOutServer,
  type McpServers,
  messageOf,
  parseMcpFile,
  readMcpServers,
  revealOnOneLine,
  agentSummary,
} from '../../core/index.js';
import { leftOutText } from '../../text/mcpText.js';
import { removedText } from '../../text/noticeText.js';
import { usageError } from '../arguments/optionValues.js';
import type { ChangedRequest, ConversationRequest } from '../arguments/parseArguments.js';
import type { FrontEnd } from '../frontEnds/frontEnd.js';
import { toCliError } from '../output/errorText.js';
import { choiceOf, chooseAgent, type ChosenAgent } from '../system/agents.js';
import {
  agentOf,
  findConversation,
  lastUsed,
  lastUsedIn,
  newestSession,
  readAllSaved,
  readSaved,
  sessionWithId,
} from '../system/conversations.js';
import { type EngineUse, type EngineUseOptions, useEngine } from '../system/engine.js';
import { existingFolder, readText, realFolder } from '../system/files.js';
import type { Io } from '../system/io.js';
import { clientInfo } from '../system/ownPackage.js';
import { isRecording } from './changedTurns.js';
import { Conversation, longestMs } from './conversation.js';

/** Opens the conversation that the options specify, new or saved. Starts no agent yet. @throws HostError why there is no engine */
export async function openConversation(
  request: ConversationRequest,
  target: ConversationTarget,
  frontEnd: FrontEnd,
  io: Io,
  use: Attaching['use'] = 'once',
): Promise<Conversation> {
  const { sessionId, agent, cwd, conversationId } = target;
  const { output } = frontEnd;
  const engine = await useEngine(
    {
      state: request.state,
      services: servicesFor(request, target, io),
      use,
      onNotice: (notice) => {
        // What is not sent ends with a program that does not share the engine anyway.
        if (notice.type === 'failed' && (use === 'share' || notice.error.params.reason !== 'unsent_not_saved'))
          output.error(toCliError(notice.error, frontEnd.agent.label));
        if (notice.type === 'removed')
          output.notice({ severity: 'info', code: 'conversations_removed', message: removedText(notice.removed) });
      },
    },
    io,
  );
  const { connection } = engine.client;
  // It would end with this program, and the turn with it.
  if (use === 'share' && 'engine' in connection && connection.engine.pid === process.pid) {
    await engine.end();
    throw usageError('--detach needs a folder in which conversations can be saved. See ACP_HOST_STATE');
  }
  const session = sessionId === undefined ? undefined : { agentId: agent.definition.id, sessionId };
  const id = conversationId ?? (session && (await engine.client.call('find', session)).id);
  const client = engine.client.open({ cwd, id, session });
  return new Conversation({ request, agent, frontEnd, engine, client, env: io.env });
}

interface Joined {
  readonly engine: EngineUse;
  readonly entry: ConversationListEntry;
  readonly client: ConversationClient;
}

/**
 * Opens a conversation of others, and starts no agent: if nobody who knows more is there, the engine gets its agent as it is known here.
 * @param find gets the current folder, absolute, without symbolic links
 * @throws HostError why there is no engine, and what `find` throws
 */
export async function joinConversation(
  options: Pick<EngineUseOptions, 'state' | 'onlyReads'>,
  io: Io,
  find: (client: EngineClient, folder: string) => ConversationListEntry,
): Promise<Joined> {
  const services = servicesOf(async ({ cwd, agentId }) => {
    try {
      return startable(await chooseAgent(agentId === undefined ? undefined : choiceOf(agentId), io, cwd), io);
    } catch (cause) {
      // The settings of an editor may define it.
      throw new HostError('unsupported', { detail: messageOf(cause) }, { cause });
    }
  });
  const engine = await useEngine({ ...options, use: 'share', services }, io);
  try {
    const entry = await found(engine.client, find);
    return { engine, entry, client: engine.client.open({ cwd: entry.cwd, id: entry.id }) };
  } catch (error) {
    await engine.end();
    throw error;
  }
}

/** @throws HostError what `find` throws, or `storage_failed` if what it looks for may be among conversations that can't be listed */
async function found(client: EngineClient, find: (client: EngineClient, folder: string) => ConversationListEntry) {
  const folder = (await realFolder(process.cwd())) ?? process.cwd();
  try {
    return find(client, folder);
  } catch (error) {
    await readSaved(client);
    throw error;
  }
}

/** When it is told that a turn is still being recorded. */
const recordMarkMs = 1_000;

/**
 * Opens the conversation that the options specify while the work is done. What runs in it goes on.
 * @param work gets the state with everything that was saved
 * @throws HostError `usage` for an unknown ID, why there is no engine, and what the work throws
 */
export async function lookAtConversation<T>(
  { id, last, state, format }: Pick<ChangedRequest, 'id' | 'last' | 'state'> & { readonly format: string },
  io: Io,
  work: (client: EngineClient, state: ConversationState) => Promise<T>,
): Promise<T> {
  const { engine, client } = await joinConversation({ state, onlyReads: true }, io, (engine, folder) => {
    if (id !== undefined) return findConversation(engine, id);
    const entry = last ? lastUsed(engine) : lastUsedIn(engine, folder);
    if (entry.folder !== folder && format === 'text') io.stderr.write(`acp-host: The conversation is in ${revealOnOneLine(entry.cwd)}\n`);
    return entry;
  });
  try {
    return await work(engine.client, await recorded(engine.client, client, io));
  } finally {
    await engine.end();
  }
}

/**
 * Resolves when everything that was saved is known, and what the last turn changed.
 * @throws HostError `usage` if it was deleted, or why the engine is gone
 */
async function recorded(client: EngineClient, replica: ConversationClient, io: Io): Promise<ConversationState> {
  const marking = setTimeout(() => {
    if (isRecording(replica.state)) io.stderr.write('acp-host: Recording what the last turn changed…\n');
  }, recordMarkMs);
  try {
    return await new Promise((resolve, reject) => {
      const look = (): void => {
        if (replica.state.isRestored && !isRecording(replica.state)) resolve(replica.state);
      };
      replica.onChange(look);
      client.onClosed(() => reject(usageError('The conversation was deleted')));
      client.onConnection((connection) => {
        if (connection.state === 'lost') reject(connection.error);
      });
      look();
    });
  } finally {
    clearTimeout(marking);
  }
}

/** What the options of the command line refer to on this machine. */
interface ConversationTarget {
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
  const otherFolders = await Promise.all(request.otherFolders.map((name) => existingFolder(name, '--add-dir')));
  return { ...(await findSession(request, cwd, io)), mcp, otherFolders };
}

async function findSession(request: ConversationRequest, cwd: string, io: Io): Promise<Omit<ConversationTarget, 'mcp' | 'otherFolders'>> {
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
  const content = parseMcpFile(await readText(file, '--mcp-config'));
  if (content === undefined || content.isEmpty)
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

// What the engine asks of the command line: which agent to start, and how.

/** To start an agent without a conversation. */
export function servicesToStart(agent: ChosenAgent, io: Io): FrontEndServices {
  return servicesOf(() => Promise.resolve(startable(agent, io)));
}

function servicesFor(request: ConversationRequest, { agent, mcp, otherFolders }: ConversationTarget, io: Io): FrontEndServices {
  const { startTimeoutMs, systemPrompt } = request;
  const known = startable(agent, io);
  return servicesOf(() =>
    Promise.resolve({
      ...known,
      definition: { ...known.definition, ...(systemPrompt !== undefined && { systemPrompt }) },
      mcpServers: mcp.servers,
      leftOutServers: mcp.problems,
      secretValues: mcp.secretValues,
      otherFolders,
      ...(startTimeoutMs !== undefined && { deadlines: { initializeMs: startTimeoutMs || longestMs } }),
      requestDeadlines: { permissionMs: request.askTimeoutMs, questionMs: request.askTimeoutMs },
      optionDefaults: request.options.map((wish) => ({ ...wish, isRequired: true })),
    }),
  );
}

function servicesOf(choose: NonNullable<FrontEndServices['choose_agent']>): FrontEndServices {
  return { peek_agent: async (which) => agentSummary(await choose(which)), choose_agent: choose };
}

function startable(agent: ChosenAgent, io: Io) {
  return { ...agent, baseEnv: io.env, clientInfo: clientInfo(), optionDefaults: [] };
}
