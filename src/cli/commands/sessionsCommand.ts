/** `acp-host sessions`: lists the saved sessions, and the conversations in which nothing was sent yet. */
import type { SessionsRequest } from '../arguments/request.js';
import type { SessionsLine } from '../output/reportSchema.js';
import { schemaVersion } from '../output/schemaVersion.js';
import { localTime, oneLine, tableText } from '../output/terminalText.js';
import { agentName } from '../system/agents.js';
import { flushed, type Io, writeJson } from '../system/io.js';
import { useEngine } from '../system/engine.js';
import { readSaved, referencesOf, type SavedSession, shownAgent, type UnsentConversation } from '../system/saved.js';

const TITLE_LENGTH = 60;
const AGENT_LENGTH = 30;

export async function listSessions({ format, state }: SessionsRequest, io: Io): Promise<void> {
  const engine = await useEngine({ state, onlyReads: true }, io);
  const { sessions: saved, unsent } = await readSaved(engine.client).finally(() => engine.end());
  if (format === 'json') writeJson(io.stdout, sessionsLine(saved, unsent));
  else io.stdout.write(sessionsTable(saved, unsent));
  await flushed(io.stdout);
}

function titleOf({ title }: SavedSession | UnsentConversation): string {
  return oneLine(title, TITLE_LENGTH);
}

/** Returns what users should know before they resume it. */
function stateText({ state }: SavedSession): string {
  return state === 'idle' ? '' : `[${state}]`;
}

function sessionsLine(saved: readonly SavedSession[], unsent: readonly UnsentConversation[]): SessionsLine {
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
    })),
    unsent: unsent.map((one) => ({ cwd: one.cwd, title: titleOf(one), created: new Date(one.createdAt).toISOString() })),
  };
}

function sessionsTable(saved: readonly SavedSession[], unsent: readonly UnsentConversation[]): string {
  const references = referencesOf(saved);
  const sessions = saved.map((session, index) => ({
    createdAt: session.createdAt,
    cells: cellsOf(session, references[index] ?? '', shownAgent(session), stateText(session)),
  }));
  const others = unsent.map((one) => ({ createdAt: one.createdAt, cells: cellsOf(one, '-', '-', '[not sent]') }));
  const rows = [...sessions, ...others].sort((a, b) => b.createdAt - a.createdAt).map(({ cells }) => cells);
  if (rows.length === 0) return 'No saved sessions yet.\n';
  return tableText(rows);
}

function cellsOf(one: SavedSession | UnsentConversation, reference: string, agent: string, state: string): readonly string[] {
  const title = [state, titleOf(one)].filter((part) => part !== '').join(' ');
  return [oneLine(reference), localTime(one.createdAt), oneLine(agent, AGENT_LENGTH), oneLine(one.cwd), title];
}
