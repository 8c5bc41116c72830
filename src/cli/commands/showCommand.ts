/** `acp-host show`: prints a saved conversation. */
import { type JournalContent, Redactor, reduceAll, emptySession, type SessionState } from '../../core/index.js';
import type { ShowRequest } from '../arguments/request.js';
import { shownAsJson, shownAsMarkdown, shownAsText } from '../output/transcript.js';
import { agentName } from '../system/agents.js';
import { flushed, type Io, writeJson } from '../system/io.js';
import { findSession, openStore, shownAgent } from '../system/saved.js';

/** @throws HostError `usage` for an unknown ID, `storage_failed` for a journal that cannot be read */
export async function showSession({ id, format, state }: ShowRequest, io: Io): Promise<void> {
  const store = openStore(state, io, new Redactor());
  const saved = await findSession(store, id);
  const content = await store.journals.read(saved.agentId, saved.sessionId, saved);
  store.dispose();
  const conversation = {
    agent: format === 'json' ? agentName(saved.agentId) : shownAgent(saved),
    state: content ? stateOf(content) : emptySession(saved.sessionId, saved.cwd, saved.createdAt),
    // After all events were taken.
    dropped: content?.dropped ?? 0,
  };
  switch (format) {
    case 'json':
      writeJson(io.stdout, shownAsJson(conversation));
      break;
    case 'md':
      io.stdout.write(shownAsMarkdown(conversation));
      break;
    case 'text':
      io.stdout.write(shownAsText(conversation));
  }
  await flushed(io.stdout);
}

function stateOf({ header, events }: JournalContent): SessionState {
  return reduceAll(emptySession(header.sessionId, header.cwd, header.createdAt), events);
}
