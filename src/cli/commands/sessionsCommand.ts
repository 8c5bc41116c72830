/** `acp-host sessions`: lists the saved sessions, the conversations in which nothing was sent yet, and the sessions that an agent has. */
import { type AgentSessionList, type ConversationHit, type EngineClient, stateFolder } from '../../core/index.js';
import { usageError } from '../arguments/optionValues.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { servicesToStart } from '../conversation/openConversation.js';
import { ExitCode } from '../output/exitCode.js';
import { schemaVersion, type SessionsLine } from '../output/reportSchema.js';
import { oneLine } from '../../text/plainText.js';
import { foundText, missingText } from '../../text/listText.js';
import { localTime, tableText } from '../output/terminalText.js';
import { agentName, chooseAgent } from '../system/agents.js';
import { useEngine } from '../system/engine.js';
import { existingFolder } from '../system/files.js';
import { type Io, isInteractive, writeJson } from '../system/io.js';
import {
  type Hits,
  matching,
  readAllSaved,
  readSaved,
  referencesOf,
  type SavedSession,
  searchSaved,
  shownAgent,
  type UnsentConversation,
} from '../system/conversations.js';
import { confirm } from '../system/askOnce.js';

const TITLE_LENGTH = 60;
const AGENT_LENGTH = 30;

/**
 * @returns the exit code
 * @throws HostError `usage` for an unknown ID, and if nobody can be asked; whatever prevents the agent's start, or its list
 */
export async function listSessions(request: RequestOf<'sessions'>, io: Io): Promise<number> {
  const { format, state, ofAgent, cwd, all, search } = request;
  if (ofAgent !== undefined) return withAgent(ofAgent, request, io);
  const folder = cwd === undefined || all ? undefined : await existingFolder(cwd);
  const options = { state, onlyReads: true };
  const found = search === undefined ? { ...(await readAllSaved(options, io)), hits: undefined } : await searchSaved(search, options, io);
  const { sessions, unsent: unsentAnywhere, hits } = found;
  const isListed = (one: SavedSession | UnsentConversation): boolean => folder === undefined || one.folder === folder;
  const saved = sessions.filter(isListed);
  const unsent = unsentAnywhere.filter(isListed);
  const none = `No saved sessions in ${oneLine(folder ?? stateFolder(state, io))}${search === undefined ? '' : ` with "${oneLine(search)}"`}.\n`;
  if (format === 'json') writeJson(io.stdout, sessionsLine({ saved, unsent, hits }));
  else io.stdout.write(sessionsTable({ saved, unsent, hits }) || none);
  return ExitCode.ended;
}

interface Listed {
  readonly saved: readonly SavedSession[];
  readonly unsent: readonly UnsentConversation[];
  readonly hits?: Hits | undefined;
  /** What the agent has besides. */
  readonly list?: AgentSessionList;
}

async function withAgent(
  choice: NonNullable<RequestOf<'sessions'>['ofAgent']>,
  { format, state, cwd: folder, all }: RequestOf<'sessions'>,
  io: Io,
): Promise<number> {
  const { deleted, yes } = choice;
  if (deleted !== undefined && !yes && !isInteractive(io))
    throw usageError('--delete asks first, which needs a terminal. Without one, use --yes');
  const cwd = await existingFolder(folder ?? '.');
  const agent = await chooseAgent(choice.agent, io, cwd);
  const agentId = agent.definition.id;
  const engine = await useEngine({ state, services: servicesToStart(agent, io) }, io);
  try {
    const scope = all || deleted !== undefined ? 'everywhere' : 'folder';
    const list = await engine.client.call('agent_sessions', { cwd, agentId, scope });
    if (deleted !== undefined) return await remove(engine.client, list, { cwd, wanted: deleted, asks: !yes }, io);
    const ours = (await readSaved(engine.client)).sessions.filter((one) => one.agentId === agentId && (all || one.folder === cwd));
    if (format === 'json') writeJson(io.stdout, sessionsLine({ saved: ours, unsent: [], list }));
    else
      io.stdout.write(
        sessionsTable({ saved: ours, unsent: [], list }) || `${agent.definition.label} has no sessions${all ? '' : ' in this folder'}.\n`,
      );
    for (const line of format === 'text' ? missingText(list) : []) io.stderr.write(`acp-host: ${oneLine(line)}\n`);
    return ExitCode.ended;
  } finally {
    await engine.end();
  }
}

interface Removal {
  readonly cwd: string;
  /** The beginning of an ID is enough if it fits one only, and if the user is asked: nobody sees otherwise which one it is. */
  readonly wanted: string;
  readonly asks: boolean;
}

async function remove(
  client: EngineClient,
  { sessions, agent: { id: agentId, label } }: AgentSessionList,
  { cwd, wanted, asks }: Removal,
  io: Io,
): Promise<number> {
  const [found, ...others] = matching(sessions, wanted, ({ sessionId }) => [sessionId]).filter(
    ({ sessionId }) => asks || sessionId === wanted,
  );
  const agent = oneLine(label, AGENT_LENGTH);
  if (found === undefined) throw usageError(`No session of ${agent} that began elsewhere has the ID "${wanted}". List the IDs with --all`);
  if (others.length > 0) throw usageError(`"${wanted}" matches ${others.length + 1} sessions`);
  const { sessionId, title = sessionId } = found;
  const named = oneLine(title, TITLE_LENGTH);
  if (asks) await confirm(`Delete the session "${named}" of ${agent} permanently?`, 'Nothing was deleted', io);
  await client.call('change_agent_session', { cwd, agentId, sessionId, change: { type: 'delete' } });
  io.stderr.write(`acp-host: Deleted the session "${named}".\n`);
  return ExitCode.ended;
}

function titleOf({ title }: SavedSession | UnsentConversation): string {
  return oneLine(title, TITLE_LENGTH);
}

/** Returns what users should know before they resume it. */
function stateText({ state }: SavedSession): string {
  return state === 'idle' ? '' : `[${state}]`;
}

function sessionsLine({ saved, unsent, hits, list }: Listed): SessionsLine {
  const foundIn = ({ conversationId }: SavedSession): Pick<SessionsLine['sessions'][number], 'found'> => {
    const hit = hits?.get(conversationId);
    return hit === undefined ? {} : { found: { by: hit.by, text: oneLine(hit.text) } };
  };
  return {
    schemaVersion,
    sessions: saved.map((session) => ({
      id: session.sessionId,
      agent: agentName(session.agentId),
      cwd: session.cwd,
      title: titleOf(session),
      created: new Date(session.createdAt).toISOString(),
      state: session.state,
      conversation: session.conversationId,
      ...foundIn(session),
    })),
    unsent: unsent.map((one) => ({ cwd: one.cwd, title: titleOf(one), created: new Date(one.createdAt).toISOString() })),
    ...(list && {
      ofAgent: {
        sessions: list.sessions.map(({ sessionId: id, cwd, title = '', updatedAt }) => ({
          id,
          agent: agentName(list.agent.id),
          cwd,
          title: oneLine(title, TITLE_LENGTH),
          updated: updatedAt === undefined ? null : new Date(updatedAt).toISOString(),
        })),
        incomplete: list.end ?? null,
        unreadable: list.unreadable,
      },
    }),
  };
}

/** @returns an empty text if there is no row */
function sessionsTable({ saved, unsent, hits, list }: Listed): string {
  const references = referencesOf(saved);
  const sessions = saved.map((session, index) => ({
    createdAt: session.createdAt,
    cells: [
      ...cellsOf(session, references[index] ?? '', shownAgent(session), stateText(session)),
      ...foundCells(hits?.get(session.conversationId)),
    ],
  }));
  const others = unsent.map((one) => ({ createdAt: one.createdAt, cells: cellsOf(one, '-', '-', '[not sent]') }));
  const ofAgent = (list?.sessions ?? []).map(({ sessionId, cwd, title = '', updatedAt }) => ({
    createdAt: updatedAt ?? -Infinity,
    cells: [
      oneLine(sessionId),
      updatedAt === undefined ? '-' : localTime(updatedAt),
      oneLine(list === undefined ? '' : shownAgent({ agentId: list.agent.id, agentLabel: list.agent.label }), AGENT_LENGTH),
      oneLine(cwd),
      `[agent only] ${oneLine(title, TITLE_LENGTH)}`.trimEnd(),
    ],
  }));
  const rows = [...sessions, ...others, ...ofAgent].sort((a, b) => b.createdAt - a.createdAt || 0).map(({ cells }) => cells);
  return rows.length === 0 ? '' : tableText(rows);
}

function foundCells(hit: ConversationHit | undefined): readonly string[] {
  return hit === undefined ? [] : [foundText(hit)];
}

function cellsOf(one: SavedSession | UnsentConversation, reference: string, agent: string, state: string): readonly string[] {
  const title = [state, titleOf(one)].filter((part) => part !== '').join(' ');
  return [oneLine(reference), localTime(one.createdAt), oneLine(agent, AGENT_LENGTH), oneLine(one.cwd), title];
}
