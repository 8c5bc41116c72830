/**
 * What was said, kept on disk by the host: one append-only file per session, one JSON object a line. The first line is the header.
 * A torn last line is dropped on reading, a foreign line costs itself only, a file from a newer version is left alone.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { HostError, toHostError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Redactor } from '../base/redact.js';
import { type AppendFile, listFiles, modifiedAt, openAppend, readText } from '../node/files.js';
import type { SessionEvent } from './event.js';
import { parseEvent } from './eventSchema.js';
import type { SessionState } from './model.js';
import { emptySession, reduceAll } from './reducer.js';

const formatName = 'acp-host-journal';
const formatVersion = 1;
/** So much of a file is read for a list. */
const summaryBytes = 64 * 1024;

const headerSchema = z.object({
  format: z.literal(formatName),
  version: z.number(),
  sessionId: z.string(),
  agentId: z.string(),
  cwd: z.string(),
  createdAt: z.number(),
});

export interface JournalHeader {
  readonly sessionId: string;
  readonly agentId: string;
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** What a list shows of a kept conversation; read from the beginning of its file. */
export interface JournalSummary extends JournalHeader {
  /** The text of the first prompt; absent where it is not within the beginning. */
  readonly firstPrompt: string | undefined;
  /** When something was last appended; milliseconds since the epoch. */
  readonly updatedAt: number;
}

export interface JournalContent {
  readonly header: JournalHeader;
  readonly events: readonly SessionEvent[];
  /** Lines that could not be read. */
  readonly dropped: number;
}

/** One open journal. Appending never throws and never blocks: what fails is told once, by `onError`, and the conversation goes on. */
export interface Journal {
  append(events: readonly SessionEvent[]): void;
  /** Resolves when everything appended so far was handed to the operating system. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface JournalStore {
  /** All readable journals, newest first. @throws HostError `storage_failed` for a folder that cannot be read */
  list(): Promise<readonly JournalSummary[]>;
  /** @returns undefined where there is none @throws HostError `storage_failed` for one that cannot be read or is from a newer version */
  read(agentId: string, sessionId: string): Promise<JournalContent | undefined>;
  /** Continues the session's journal, or begins it with the header. */
  open(header: JournalHeader): Journal;
}

export interface JournalStoreOptions {
  /** Absolute; made when missing. */
  readonly directory: string;
  readonly redactor: Redactor;
  readonly log: Logger;
  /** Told once per journal when it can no longer be written. */
  readonly onError?: (error: HostError) => void;
}

export function createJournalStore(options: JournalStoreOptions): JournalStore {
  const fileOf = (agentId: string, sessionId: string): string => {
    // A hash: session ids are the agent's words and may hold anything.
    const name = createHash('sha256').update(`${agentId}\0${sessionId}`).digest('hex').slice(0, 32);
    return `${options.directory}/${name}.jsonl`;
  };
  return {
    async list() {
      const summaries: JournalSummary[] = [];
      for (const file of await journalFiles(options.directory)) {
        const summary = await summarize(file);
        if (summary !== undefined) summaries.push(summary);
      }
      return summaries.sort((a, b) => b.createdAt - a.createdAt);
    },
    async read(agentId, sessionId) {
      const text = await readText(fileOf(agentId, sessionId));
      return text === undefined ? undefined : parseJournal(text);
    },
    open(header) {
      return openJournal(openAppend(fileOf(header.agentId, header.sessionId)), header, options);
    },
  };
}

async function journalFiles(directory: string): Promise<readonly string[]> {
  try {
    return await listFiles(directory, '.jsonl');
  } catch (cause) {
    throw new HostError('storage_failed', `The folder of the kept conversations cannot be read: ${toHostError(cause).message}`, { cause });
  }
}

/** Undefined for a file that is no journal, or cannot be read: it costs only itself. */
async function summarize(file: string): Promise<JournalSummary | undefined> {
  try {
    const [headerLine = '', ...lines] = (await readText(file, { limitBytes: summaryBytes }))?.split('\n') ?? [];
    const header = headerSchema.safeParse(parseLine(headerLine));
    if (!header.success) return undefined;
    const { sessionId, agentId, cwd, createdAt } = header.data;
    return { sessionId, agentId, cwd, createdAt, firstPrompt: firstPromptIn(lines), updatedAt: (await modifiedAt(file)) ?? createdAt };
  } catch {
    return undefined;
  }
}

function firstPromptIn(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    // Most lines are pieces of answers: only those that can be a prompt are parsed.
    const event = line.includes('"turn_started"') ? parseEvent(parseLine(line)) : undefined;
    if (event?.type !== 'turn_started' || event.content === undefined) continue;
    return event.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' ');
  }
  return undefined;
}

function parseJournal(text: string): JournalContent {
  const lines = text.split('\n');
  const header = headerSchema.safeParse(parseLine(lines[0] ?? ''));
  if (!header.success) throw new HostError('storage_failed', 'The kept conversation has no readable header; the file was left as it is');
  if (header.data.version > formatVersion) {
    throw new HostError('storage_failed', `The kept conversation was written by a newer version (format ${header.data.version}, this one reads ${formatVersion}); the file was left as it is`);
  }
  const events: SessionEvent[] = [];
  let dropped = 0;
  for (const line of lines.slice(1)) {
    if (line === '') continue;
    const event = parseEvent(parseLine(line));
    if (event === undefined) dropped++;
    else events.push(event);
  }
  return { header: header.data, events, dropped };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // A torn or foreign line: counted by the caller.
    return undefined;
  }
}

function openJournal(file: AppendFile, header: JournalHeader, options: JournalStoreOptions): Journal {
  let held: SessionEvent[] | undefined = [];
  let failed = false;
  const fail = (cause: unknown): void => {
    if (failed) return;
    failed = true;
    const error = new HostError('storage_failed', 'The conversation can no longer be kept on disk', { cause });
    options.log.error(error.message, cause);
    options.onError?.(error);
  };
  const write = (events: readonly SessionEvent[]): void => {
    if (failed) return;
    file.append(events.map((event) => `${JSON.stringify(options.redactor.json(event))}\n`).join('')).catch(fail);
  };
  const begin = (events: readonly SessionEvent[]): void => {
    file.whenEmpty(() => `${JSON.stringify({ format: formatName, version: formatVersion, ...header })}\n`).catch(fail);
    write(events);
  };
  return {
    append(events) {
      if (held === undefined) return write(events);
      held.push(...events);
      // A session in which nothing was said yet leaves no file.
      if (!events.some((event) => event.type === 'turn_started' || event.type === 'message')) return;
      begin(held);
      held = undefined;
    },
    flush: () => file.flush().catch(fail),
    close: () => file.close().catch(fail),
  };
}

/**
 * The conversation as it was seen last. A turn that was under way then is shown as interrupted: its agent is gone.
 * @returns undefined where nothing was kept @throws HostError `storage_failed`
 */
export async function readConversation(store: JournalStore, agentId: string, sessionId: string): Promise<SessionState | undefined> {
  const content = await store.read(agentId, sessionId);
  if (content === undefined) return undefined;
  const { header, events } = content;
  const seen = reduceAll(emptySession(header.sessionId, header.cwd, header.createdAt), events);
  return reduceAll(seen, [{ type: 'opened', at: events.at(-1)?.at ?? header.createdAt, cwd: header.cwd, how: 'loaded' }]);
}
