/** `acp-host show`: prints a saved conversation. */
import {
  createJournalStore,
  emptySession,
  journalFolder,
  nullLogger,
  Redactor,
  reduceAll,
  type SessionState,
  stateFolder,
} from '../../core/index.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { type Transcript, transcriptAsMarkdown, transcriptAsText } from '../../text/transcriptText.js';
import { shownAsJson } from '../output/shownJson.js';
import { agentName } from '../system/agents.js';
import { type Io, writeJson } from '../system/io.js';
import { findSession, readAllSaved, shownAgent } from '../system/conversations.js';

/** @throws HostError `usage` for an unknown ID, `storage_failed` for a journal that cannot be read */
export async function showSession({ id, format, state }: RequestOf<'show'>, io: Io): Promise<void> {
  const saved = findSession(await readAllSaved({ state, onlyReads: true }, io), id);
  const journals = createJournalStore({ directory: journalFolder(stateFolder(state, io)), redactor: new Redactor(), log: nullLogger });
  const content = await journals.read(saved.conversationId);
  const sessions: SessionState[] = [];
  for (const { id, sessionId, cwd, createdAt, events } of content?.sessions ?? [])
    sessions.push(reduceAll(emptySession(sessionId, cwd, createdAt, id), events));
  const [first = emptySession(saved.sessionId, saved.cwd, saved.createdAt), ...others] = sessions;
  const conversation: Transcript = {
    agent: format === 'json' ? agentName(saved.agentId) : shownAgent(saved),
    sessions: [first, ...others],
    // After all events were taken.
    dropped: content?.dropped ?? 0,
  };
  switch (format) {
    case 'json':
      writeJson(io.stdout, shownAsJson(conversation));
      break;
    case 'md':
      io.stdout.write(transcriptAsMarkdown(conversation));
      break;
    case 'text':
      io.stdout.write(transcriptAsText(conversation));
  }
}
