/** What the tests of the journal share: a folder, events, and a disk that becomes full. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { HostError } from '../../../src/core/base/errors.js';
import { type Logger, nullLogger } from '../../../src/core/base/logger.js';
import { Redactor } from '../../../src/core/base/redact.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import { createJournalStore, type JournalStore, type JournalStoreOptions } from '../../../src/core/journal/journalStore.js';
import type { JournalHeader } from '../../../src/core/journal/journalFormat.js';
import type { JournalContent } from '../../../src/core/journal/journalRead.js';

export const header = (sessionId: string): JournalHeader => ({ sessionId, agentId: 'agent', cwd: '/workspace', createdAt: 1 });
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
  return { directory, store, told, logged, files: async () => (await readdir(directory)).sort().map((name) => join(directory, name)) };
}

/** Writes each event separately. */
export async function write({ store }: JournalLab, sessionId: string, events: readonly SessionEvent[]): Promise<void> {
  const journal = store.open(header(sessionId));
  for (const event of events) {
    journal.append([event]);
    await journal.flush();
  }
  await journal.close();
}

/** Reads a journal with all of its events. */
export async function readAll(...[store, ...owner]: [JournalStore, ...Parameters<JournalStore['read']>]): Promise<ReadAll | undefined> {
  const content = await store.read(...owner);
  if (content === undefined) return undefined;
  const { header: read, events } = content;
  return { header: read, events: [...events], dropped: content.dropped };
}

type ReadAll = Omit<JournalContent, 'events'> & { readonly events: readonly SessionEvent[] };

/** Limits the size of files that this process writes; `unlimited` removes the limit. Linux only. */
export function limitFiles(bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`]);
}
