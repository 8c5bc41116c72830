/**
 * Saves conversations on disk: append-only files per session, one JSON object per line. Reading drops an incomplete last line
 * and skips foreign lines. Files from a newer version are never changed.
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
import { JournalWriter } from './journalWriter.js';
import type { SessionState } from '../session/model.js';
import { emptySession, reduce, reduceAll } from '../session/reducer.js';
import { StreamRedactor } from './streamRedactor.js';
import { type ToolLine, ToolLineWriter } from './toolLines.js';
import { Pacer } from './pacer.js';

/** The limit, in characters, for what waits in memory while the disk doesn't accept it. */
const waitingChars = 8 * 1024 * 1024;
const retryMs = 2_000;
/** If an agent keeps reporting settings before the first message, they are written instead of held. */
const heldEvents = 1_000;

/** One open journal. Appending never throws and never blocks: `onError` reports failures, and the conversation continues. */
export interface Journal {
  append(events: readonly SessionEvent[]): void;
  /**
   * Resolves when everything appended so far was passed to the operating system, or when that failed and was reported.
   * @returns whether it was passed; if not, it is tried again later
   */
  flush(): Promise<boolean>;
  /** Later events are not saved. */
  close(): Promise<void>;
}

/** The journals of one folder. */
export interface JournalStore {
  /** All readable journals, newest first. @throws HostError `storage_failed` for a folder that can't be read */
  list(): Promise<readonly JournalSummary[]>;
  /** @returns undefined if there is none @throws HostError `storage_failed` for one that can't be read or is from a newer version */
  read(agentId: string, sessionId: string, which?: WhichConversation): Promise<JournalContent | undefined>;
  /** Starts the journal of a new session. An existing journal with its ID stays, because some agents reuse their IDs. */
  begin(header: JournalHeader): Journal;
  /** Continues the journal of the conversation with this creation time, or starts it. */
  open(header: JournalHeader): Journal;
}

/** Where journals are saved, with which limits, and who is notified. */
export interface JournalStoreOptions {
  /** Absolute; created if missing. */
  readonly directory: string;
  readonly redactor: Redactor;
  readonly log: Logger;
  readonly limits?: Partial<JournalLimits>;
  /** Called once per journal when it can't be written, and again only after it could be written in between. */
  readonly onError?: (error: HostError) => void;
  /** Reports what was removed because saved conversations exceeded their limit. @param names of the journals */
  readonly onRemoved?: (removed: RemovedConversations, names: ReadonlySet<string>) => void;
}

/** Creates access to the journals of a folder, and keeps the folder within its limits. `onError` reports a disk that accepts no data. */
export function createJournalStore(options: JournalStoreOptions): JournalStore {
  const { directory, log } = options;
  const limits = { ...defaultJournalLimits, ...options.limits };
  /** How often a conversation of each session ID is open here. */
  const open = new Map<string, number>();
  let tidying = Promise.resolve();
  const tidy = (): void => {
    const work = async (): Promise<void> => {
      await keepWithinLimits({
        directory,
        limits,
        log,
        isOpen: (name) => open.has(name),
        now: Date.now(),
        onRemoved: (removed, names) => options.onRemoved?.(removed, names),
      });
    };
    tidying = tidying.then(work).catch((error: unknown) => log.warn('Could not limit the disk space of saved conversations', error));
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
    });
    return openJournal({ writer, isNew, ...options }, async () => {
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
      return kept === undefined ? undefined : readJournal(kept.files, { agentId, sessionId });
    },
    begin: (header) => openFor(header, true),
    open: (header) => openFor(header, false),
  };
}

interface JournalParts extends Pick<JournalStoreOptions, 'redactor' | 'log'> {
  readonly writer: JournalWriter;
  readonly isNew: boolean;
}

/** @param closed called when everything is written */
function openJournal({ writer, isNew, redactor, log }: JournalParts, closed: () => Promise<void>): Journal {
  let held: SessionEvent[] | undefined = [];
  let closing: Promise<void> | undefined;
  const splitSecrets = new StreamRedactor(redactor);
  const tools = new ToolLineWriter(redactor);
  const pacer = new Pacer({
    now: () => performance.now(),
    write(event, isPartial) {
      let written: ToolLine | undefined;
      const line = (): string => {
        written = event.type === 'tool' ? tools.line(event, isPartial) : { text: `${redactor.stringify(event)}\n`, isCut: false };
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
      if (closing !== undefined) return log.debug('Events of a closed conversation are not saved', told.length);
      const events = told.some(isSeenInPart) ? told.flatMap(seenOf) : told;
      if (held === undefined) return write(splitSecrets.pass(events));
      for (const event of events) held.push(event);
      // A session without messages leaves no file. What an earlier one shows must be there again the next time.
      const isKept = ({ type }: SessionEvent): boolean =>
        type === 'turn_started' || type === 'message' || (type === 'host_notice' && !isNew);
      if (held.length <= heldEvents && !events.some(isKept)) return;
      write(splitSecrets.pass(held));
      held = undefined;
    },
    flush() {
      writeAll();
      return writer.flush();
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

/** Removes what an agent attached for programs, because users don't see it. */
function seenOf(event: SessionEvent): readonly SessionEvent[] {
  if (event.type === 'extension') return [];
  if (!('meta' in event)) return [event];
  const { meta: _, ...seen } = event;
  return [seen];
}

/**
 * The conversation as last seen. A turn that was running is interrupted, because its agent is gone.
 * @returns undefined if nothing was saved @throws HostError `storage_failed`
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
  return reduce(seen, { type: 'opened', at: header.createdAt, cwd: header.cwd, by: 'loaded' });
}
