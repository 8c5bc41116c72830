/** What the tests of the store share: a folder with a workspace, and stores like those of one engine after another. */
import { mkdtemp, mkdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { nullLogger } from '../../../src/core/base/logger.js';
import { Redactor } from '../../../src/core/base/redact.js';
import { type DraftContent, emptyDraft } from '../../../src/core/conversation/draft.js';
import type { ConversationPlace, ConversationRecord, ConversationSummary } from '../../../src/core/conversation/ports.js';
import type { SessionHeader } from '../../../src/core/journal/journalFormat.js';
import { ConversationStore, type ConversationStoreOptions } from '../../../src/core/store/conversationStore.js';

export interface StoreLab {
  /** The folder of all conversations. */
  readonly state: string;
  readonly workspace: string;
  open(options?: Partial<ConversationStoreOptions>): ConversationStore;
}

export async function openStoreLab(t: TestContext): Promise<StoreLab> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'acp-host-store-')));
  const stores: ConversationStore[] = [];
  t.after(async () => {
    for (const store of stores) store.dispose();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const state = join(folder, 'state');
  const workspace = join(folder, 'workspace');
  await mkdir(workspace);
  return {
    state,
    workspace,
    open(options) {
      const store = new ConversationStore({ stateFolder: state, redactor: new Redactor(), log: nullLogger, ...options });
      stores.push(store);
      return store;
    },
  };
}

export function place(sessionId: string): ConversationPlace {
  return { agentId: 'agent', sessionId, over: undefined, withContext: false };
}

export function summary(firstWords: string, o: Partial<ConversationSummary> = {}): ConversationSummary {
  return { agent: { id: 'agent', label: 'Agent' }, agentTitle: undefined, firstWords, usedAt: 7, turn: 'idle', earlier: [], ...o };
}

/** Without prompts and draft, unless it has some. */
export function record(o: Partial<ConversationRecord> = {}): ConversationRecord {
  return { place: undefined, outbox: [], returned: [], draft: emptyDraft, ...o };
}

export function drafted(text: string): { readonly draft: DraftContent } {
  return { draft: { text, chips: [] } };
}

export interface JournalOptions extends Partial<Pick<SessionHeader, 'agentId' | 'sessionId' | 'createdAt'>> {
  /** Absent: the turn has no end. */
  readonly isEnded?: boolean;
}

/** Writes a session with one turn to the journal of a conversation, as it is on disk while nothing else is. */
export async function writeJournal(
  store: ConversationStore,
  cwd: string,
  id: string,
  words: string,
  o: JournalOptions = {},
): Promise<void> {
  const { agentId = 'agent', sessionId = 's1', createdAt = 5, isEnded = true } = o;
  const session = { id: `${sessionId}@${createdAt}`, agentId, sessionId, cwd, createdAt };
  const journal = store.journals.open(id, session, true);
  journal.append([
    { type: 'opened', at: createdAt, cwd, by: 'new' },
    { type: 'turn_started', at: createdAt, turnId: 't1', content: [{ type: 'text', text: words }] },
  ]);
  const outcome = { type: 'ended', stopReason: 'end_turn', silent: false } as const;
  if (isEnded) journal.append([{ type: 'turn_ended', at: createdAt, turnId: 't1', outcome }]);
  await journal.close();
}

/** The first words of the listed conversations, in alphabetical order. */
export const wordsOf = (store: ConversationStore): readonly (string | undefined)[] =>
  store.listed.map((one) => one.summary?.firstWords).sort();

/** Resolves when the condition holds. */
export async function until(store: ConversationStore, holds: () => boolean): Promise<void> {
  if (holds()) return;
  await new Promise<void>((resolve) => {
    const listening = store.onChange(() => {
      if (!holds()) return;
      listening.dispose();
      resolve();
    });
  });
}
