/**
 * What was said, kept on disk by the host: append-only files per session, one JSON object a line. A torn last line is dropped on reading,
 * a foreign line costs itself only, a file from a newer version is left alone.
 */
import type { HostError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Redactor } from '../base/redact.js';
import type { SessionEvent } from '../session/event.js';
import {
  defaultJournalLimits,
  journalName,
  type JournalLimits,
  keepWithinLimits,
  listSegments,
  type RemovedConversations,
  segmentBytesOf,
} from './journalFiles.js';
import type { JournalHeader } from './journalFormat.js';
import { conversationsOf, pickConversation, type WhichConversation } from './journalLookup.js';
import { type JournalContent, type JournalSummary, readJournal, summarizeJournal } from './journalRead.js';
import { JournalTail } from './journalTail.js';
import { JournalWriter } from './journalWriter.js';
import type { SessionState } from '../session/model.js';
import { emptySession, reduceAll } from '../session/reducer.js';
import { StreamRedactor } from './streamRedactor.js';
import { type ToolLine, ToolLineWriter } from './toolLines.js';
import { ToolPacer } from './toolPacer.js';

/** What waits in memory while the disk does not take it, in characters. */
const waitingChars = 8 * 1024 * 1024;
const retryMs = 2_000;
/** An agent that goes on telling its settings is kept, too, instead of remembered. */
const heldEvents = 1_000;

/** One open journal. Appending never throws and never blocks: what fails is told, by `onError`, and the conversation goes on. */
export interface Journal {
  append(events: readonly SessionEvent[]): void;
  /** Resolves when everything appended so far was handed to the operating system, or that failed and was told. */
  flush(): Promise<void>;
  /** What is appended afterwards is not kept. */
  close(): Promise<void>;
  /** Another process took the conversation over. What was said later than that is not written. @param since milliseconds since the epoch */
  seal(since: number): void;
}

export interface JournalStore {
  /** All readable journals, newest first. @throws HostError `storage_failed` for a folder that cannot be read */
  list(): Promise<readonly JournalSummary[]>;
  /** @returns undefined where there is none @throws HostError `storage_failed` for one that cannot be read or is from a newer version */
  read(agentId: string, sessionId: string, which?: WhichConversation): Promise<JournalContent | undefined>;
  /** For reading a conversation again and again while another process writes it. */
  tail(agentId: string, sessionId: string, which?: WhichConversation): JournalTail;
  /** Begins the journal of a new session. What was kept under its id stays: some agents give their ids again. */
  begin(header: JournalHeader): Journal;
  /** Continues the journal of the conversation that was created then, or begins it. */
  open(header: JournalHeader): Journal;
}

export interface JournalStoreOptions {
  /** Absolute; made when missing. */
  readonly directory: string;
  readonly redactor: Redactor;
  readonly log: Logger;
  readonly limits?: Partial<JournalLimits>;
  /** Told once per journal when it cannot be written, and again only after it could be. */
  readonly onError?: (error: HostError) => void;
  /** Called before each write, for whoever knows what may have happened to this process meanwhile: it can seal journals. Must be cheap. */
  readonly beforeWrite?: () => void;
  /** Told what was removed, because saved conversations take more room than they may. @param names of the journals */
  readonly onRemoved?: (removed: RemovedConversations, names: ReadonlySet<string>) => void;
}

export function createJournalStore(options: JournalStoreOptions): JournalStore {
  const { directory, log } = options;
  const limits = { ...defaultJournalLimits, ...options.limits };
  /** How often a conversation of each session id is open here. */
  const open = new Map<string, number>();
  let tidying = Promise.resolve();
  const tidy = (): void => {
    const work = (): Promise<void> =>
      keepWithinLimits({
        directory,
        limits,
        log,
        isOpen: (name) => open.has(name),
        now: Date.now(),
        onRemoved: (removed, names) => options.onRemoved?.(removed, names),
      });
    tidying = tidying.then(work).catch((error: unknown) => log.warn('The room that kept conversations take could not be limited', error));
  };
  const openFor = (header: JournalHeader, isNew: boolean): Journal => {
    const name = journalName(header.agentId, header.sessionId);
    open.set(name, (open.get(name) ?? 0) + 1);
    const writer = new JournalWriter({
      directory,
      header,
      isNew,
      log,
      waitingChars,
      retryMs,
      segmentBytes: segmentBytesOf(limits),
      onTrouble: (error) => options.onError?.(error),
      onSegment: tidy,
      beforeWrite: () => options.beforeWrite?.(),
    });
    return openJournal(writer, options, async () => {
      const others = (open.get(name) ?? 1) - 1;
      if (others === 0) open.delete(name);
      else open.set(name, others);
      await tidying;
    });
  };
  return {
    async list() {
      const summaries: JournalSummary[] = [];
      for (const files of (await listSegments(directory)).values()) {
        const summary = await summarizeJournal(files);
        if (summary !== undefined) summaries.push(summary);
      }
      return summaries.sort((a, b) => b.createdAt - a.createdAt);
    },
    async read(agentId, sessionId, which = {}) {
      const kept = pickConversation(await conversationsOf(directory, { agentId, sessionId }), which);
      return kept === undefined ? undefined : (await readJournal(kept.files, { agentId, sessionId }))?.content;
    },
    tail: (agentId, sessionId, which = {}) => new JournalTail(directory, { agentId, sessionId }, which),
    begin: (header) => openFor(header, true),
    open: (header) => openFor(header, false),
  };
}

function openJournal(writer: JournalWriter, { redactor, log }: JournalStoreOptions, closed: () => Promise<void>): Journal {
  let held: SessionEvent[] | undefined = [];
  let closing: Promise<void> | undefined;
  const splitSecrets = new StreamRedactor(redactor);
  const tools = new ToolLineWriter(redactor);
  const pacer = new ToolPacer({
    now: () => performance.now(),
    write(event, isPartial) {
      let written: ToolLine | undefined;
      const line = (): string => {
        if (event.type !== 'tool') return `${redactor.stringify(event)}\n`;
        written = tools.line(event, isPartial);
        return written.text;
      };
      writer.append([{ event, line }]);
      if (event.type === 'turn_ended') tools.forget();
      return written;
    },
  });
  const write = (events: readonly SessionEvent[]): void => {
    for (const event of events) pacer.push(event);
  };
  const writeAll = (): void => {
    write(splitSecrets.rest());
    pacer.flush();
  };
  return {
    append(told) {
      if (closing !== undefined) return log.debug('What was told of a closed conversation is not saved', told.length);
      const events = told.some(isSeenInPart) ? told.flatMap(seenOf) : told;
      if (held === undefined) return write(splitSecrets.pass(events));
      for (const event of events) held.push(event);
      // A session in which nothing was said yet leaves no file.
      if (held.length <= heldEvents && !events.some((event) => event.type === 'turn_started' || event.type === 'message')) return;
      write(splitSecrets.pass(held));
      held = undefined;
    },
    flush() {
      writeAll();
      return writer.flush();
    },
    seal(since) {
      writeAll();
      writer.seal(since);
    },
    close() {
      writeAll();
      return (closing ??= writer.close().then(closed));
    },
  };
}

function isSeenInPart(event: SessionEvent): boolean {
  return event.type === 'extension' || 'meta' in event;
}

/** What an agent attached for programs is not part of what was seen. */
function seenOf(event: SessionEvent): readonly SessionEvent[] {
  if (event.type === 'extension') return [];
  if (!('meta' in event)) return [event];
  const { meta: _, ...seen } = event;
  return [seen];
}

/**
 * The conversation as it was seen last. A turn that was under way then is shown as interrupted: its agent is gone.
 * @returns undefined where nothing was kept @throws HostError `storage_failed`
 */
export async function readConversation(
  store: JournalStore,
  agentId: string,
  sessionId: string,
  which?: WhichConversation,
): Promise<SessionState | undefined> {
  const content = await store.read(agentId, sessionId, which);
  if (content === undefined) return undefined;
  const { header, events } = content;
  const seen = reduceAll(emptySession(header.sessionId, header.cwd, header.createdAt), events);
  return reduceAll(seen, [{ type: 'opened', at: events.at(-1)?.at ?? header.createdAt, cwd: header.cwd, by: 'loaded' }]);
}
