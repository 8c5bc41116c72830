import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestContext } from 'node:test';
import { nullLogger } from '../../../src/core/base/logger.js';
import { Redactor } from '../../../src/core/base/redact.js';
import { type AgentHost, createAgentHost } from '../../../src/core/host/agentHost.js';
import type { AgentHostOptions, Session, SessionOwner } from '../../../src/core/host/api.js';
import { createJournalStore, type JournalStore, type OpenJournal, readConversation } from '../../../src/core/journal/journalStore.js';
import type { ContentBlock, SessionState, TranscriptItem } from '../../../src/core/session/model.js';

export const text = (words: string): ContentBlock[] => [{ type: 'text', text: words }];

/** A folder that is removed after the test. */
export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'acp-host-')));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** The journals of a folder that is removed after the test. */
export async function journalsOf(t: TestContext): Promise<JournalStore> {
  return createJournalStore({ directory: await temporaryFolder(t), redactor: new Redactor(), log: nullLogger });
}

/** A conversation on disk. */
export interface SavedConversation {
  /** Where its sessions are saved. */
  readonly journal: OpenJournal;
  /** Returns its sessions as they are on disk, oldest first. */
  read(): Promise<readonly SessionState[]>;
}

export function conversationIn(journals: JournalStore, id = 'c1'): SavedConversation {
  return { journal: (session, isNew) => journals.open(id, session, isNew), read: () => readConversation(journals, id) };
}

/** Creates a host for `test/agents/<name>.mjs`, which is ended after the test. */
export async function hostOf(
  t: TestContext,
  name: string,
  options: Partial<AgentHostOptions> & { readonly env?: Record<string, string> } = {},
): Promise<AgentHost> {
  const script = fileURLToPath(new URL(`../../agents/${name}.mjs`, import.meta.url));
  const { env = {}, ...rest } = options;
  const host = createAgentHost({
    agent: { id: name, label: name, command: process.execPath, args: [script], env, protocol: 'acp' },
    cwd: await temporaryFolder(t),
    clientInfo: { name: 'test', title: 'Test', version: '0.0.0' },
    terminalAuth: false,
    ...rest,
  });
  t.after(async () => {
    await host.stop({ force: true });
    host.dispose();
  });
  return host;
}

/** Asks for the session as its conversation does, when the agent was restarted the next time. Resolves with the open session. */
export function resumedAfterRestart(host: AgentHost, session: Session, owner?: SessionOwner): Promise<Session> {
  return new Promise((resolve, reject) => {
    const subscription = host.onRestarted(() => {
      subscription.dispose();
      host.loadSession(session.id, session.state, owner).then(resolve, reject);
    });
  });
}

/** Resolves with the first state that fits, now or later. The time limit of the test applies. */
export function until(session: Session, fits: (state: SessionState) => boolean): Promise<SessionState> {
  return new Promise((resolve) => {
    if (fits(session.state)) return resolve(session.state);
    const subscription = session.onBatch(({ state }) => {
      if (!fits(state)) return;
      subscription.dispose();
      resolve(state);
    });
  });
}

/** A short form of the transcript with one line per item. */
export function lines(state: SessionState): string[] {
  return state.items.map((item) => line(item));
}

function line(item: TranscriptItem): string {
  switch (item.kind) {
    case 'message':
      return `${item.role}: ${item.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('')}`;
    case 'tool':
      return `tool ${item.title} (${item.status})`;
    case 'notice':
      return `notice ${'code' in item ? item.code : item.title}`;
    case 'plan':
      return `plan ${item.text.markdown}`;
    case 'subagent':
      return `subagent ${item.title} (${item.status})`;
    case 'compaction':
      return `compaction ${item.status}`;
    case 'turn_end':
      return `end ${item.outcome.type === 'ended' ? item.outcome.stopReason : `${item.outcome.type} ${item.outcome.error.code}`}`;
  }
}
