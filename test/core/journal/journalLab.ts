/** What the tests of the journal share: a folder, events, and a disk that becomes full. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { HostError } from '../../../src/core/base/errors.js';
import { type Logger, nullLogger } from '../../../src/core/base/logger.js';
import { Redactor } from '../../../src/core/base/redact.js';
import { JournalWriter } from '../../../src/core/journal/journalWriter.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import type { SessionState } from '../../../src/core/session/model.js';
import { type JournalContent, listJournals, type SessionHeader } from '../../../src/core/journal/journalFormat.js';
import {
  createJournalStore,
  type Journal,
  type JournalStore,
  type JournalStoreOptions,
  readConversation,
} from '../../../src/core/journal/journalStore.js';

export const header = (sessionId: string, createdAt = 1): SessionHeader => ({
  id: `${sessionId}@${createdAt}`,
  agentId: 'agent',
  sessionId,
  cwd: '/workspace',
  createdAt,
});
export const started = (turnId: string, words = 'hello'): SessionEvent => ({
  type: 'turn_started',
  at: 1,
  turnId,
  content: [{ type: 'text', text: words }],
});
export const chunk = (text: string, at = 2): SessionEvent => ({ type: 'message', at, role: 'agent', content: { type: 'text', text } });
export const ended = (turnId: string): SessionEvent => ({
  type: 'turn_ended',
  at: 3,
  turnId,
  outcome: { type: 'ended', stopReason: 'end_turn', silent: false },
});

export interface JournalLab {
  readonly directory: string;
  readonly store: JournalStore;
  /** Notices to the user. */
  readonly told: HostError[];
  /** Log entries of level `info` and above. */
  readonly logged: string[];
  files(): Promise<readonly string[]>;
  /** Opens the only session of a conversation, which has the same id. */
  open(id: string, isNew?: boolean): Journal;
}

export async function openLab(t: TestContext, options: Partial<JournalStoreOptions> = {}): Promise<JournalLab> {
  const folder = await mkdtemp(join(tmpdir(), 'journal-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const directory = options.directory ?? join(folder, 'kept');
  const told: HostError[] = [];
  const logged: string[] = [];
  const say = (message: string): void => void logged.push(message);
  const log: Logger = { ...nullLogger, info: say, warn: say, error: say };
  const store = createJournalStore({ redactor: new Redactor(), log, onError: (error) => told.push(error), ...options, directory });
  return {
    directory,
    store,
    told,
    logged,
    files: async () => (await readdir(directory)).sort().map((name) => join(directory, name)),
    open: (id, isNew = false) => store.open(id, header(id), isNew),
  };
}

/** Writes each event separately, into the only session of a conversation. */
export async function write({ open }: JournalLab, id: string, events: readonly SessionEvent[]): Promise<void> {
  const journal = open(id);
  for (const event of events) {
    journal.append([event]);
    await journal.flush();
  }
  await journal.close();
}

export interface ReadAll {
  readonly sessions: readonly (SessionHeader & { readonly events: readonly SessionEvent[] })[];
  /** Those of all sessions. */
  readonly events: readonly SessionEvent[];
  readonly dropped: number;
}

/** Reads the journal of a conversation with all of its events. */
export async function readAll(store: Pick<JournalStore, 'read'>, id: string): Promise<ReadAll | undefined> {
  const content = await store.read(id);
  return content && takeAll(content);
}

export function takeAll(content: JournalContent): ReadAll {
  const sessions: ReadAll['sessions'][number][] = [];
  for (const session of content.sessions) sessions.push({ ...session, events: [...session.events] });
  return { sessions, events: sessions.flatMap(({ events }) => events), dropped: content.dropped };
}

/** The last session of a conversation as last seen. */
export async function lastState(store: Pick<JournalStore, 'read'>, id: string): Promise<SessionState | undefined> {
  return (await readConversation(store, id)).at(-1);
}

/** The ids of the conversations of which something can be read. */
export async function readable({ directory, store }: JournalLab): Promise<readonly string[]> {
  const found: string[] = [];
  for (const id of await listJournals(directory)) if ((await lastState(store, id).catch(() => undefined)) !== undefined) found.push(id);
  return found;
}

/** Limits the size of files that this process writes; `unlimited` removes the limit. Linux only. */
export function limitFiles(bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`]);
}

/** A writer on a disk that accepts everything. */
export function openWriter({ directory }: JournalLab, id: string): JournalWriter {
  return new JournalWriter({
    directory,
    id,
    growthBytes: 1e6,
    waitingChars: 1e6,
    retryMs: 1e6,
    log: nullLogger,
    onTrouble: assert.ifError,
    onGrowth: () => {},
    onPartLost: () => {},
  });
}
