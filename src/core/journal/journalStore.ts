/**
 * Saves conversations on disk: a file per conversation, one JSON object per line. Reading drops an incomplete last line and skips foreign
 * lines. Files from another version are never changed.
 */
import { randomUUID } from 'node:crypto';
import type { HostError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Redactor } from '../base/redact.js';
import { removeFile } from '../node/files.js';
import type { SessionEvent } from '../session/event.js';
import type { SessionState } from '../session/model.js';
import { emptySession, reduce, reduceAll } from '../session/reducer.js';
import { type JournalContent, journalPath, readJournal, type SessionHeader } from './journalFormat.js';
import { defaultJournalLimits, growthBytesOf, type JournalLimits, keepWithinLimits, type RemovedConversations } from './journalLimits.js';
import { JournalWriter } from './journalWriter.js';
import { Pacer } from './pacer.js';
import { StreamRedactor } from './streamRedactor.js';
import { type ToolLine, ToolLineWriter } from './toolLines.js';

/** The limit, in characters, for what waits in memory while the disk doesn't accept it. */
const waitingChars = 8 * 1024 * 1024;
const retryMs = 2_000;
/** If an agent keeps reporting settings before the first message, they are written instead of held. */
const heldEvents = 1_000;

/** Where the events of one session are saved. Appending never throws and never blocks: `onError` reports failures, and the session continues. */
export interface Journal {
  /** Events after those of the next session of the conversation are not saved: what users saw of this one ended there. */
  append(events: readonly SessionEvent[]): void;
  /**
   * Resolves when everything appended so far was passed to the operating system, or when that failed and was reported.
   * @returns whether it was passed; if not, it is tried again later
   */
  flush(): Promise<boolean>;
  /** Later events are not saved. */
  close(): Promise<void>;
}

/** Called when a session is opened. @param isNew nothing of the session is saved yet */
export type OpenJournal = (session: SessionHeader, isNew: boolean) => Journal;

/** The journals of one folder, one for each conversation. A conversation is identified by letters, digits, `-` and `_`. */
export interface JournalStore {
  /** @returns undefined if there is none @throws HostError `storage_failed` for one that can't be read or is from another version */
  read(id: string): Promise<JournalContent | undefined>;
  open(id: string, ...session: Parameters<OpenJournal>): Journal;
  /**
   * Writes a new journal with everything of another one before a turn.
   * @returns the last session with a message; undefined if there is none
   * @throws HostError `storage_failed` if not all of it can be read and written
   */
  copyBefore(turnId: string, of: string, id: string): Promise<SessionHeader | undefined>;
  /** Does nothing if there is none. @throws HostError `storage_failed`, or the system's error */
  remove(id: string): Promise<void>;
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
  /** Reports what was removed because saved conversations exceeded their limit. @param ids of the conversations */
  readonly onRemoved?: (removed: RemovedConversations, ids: ReadonlySet<string>) => void;
}

/** A conversation whose file is written to. */
interface WrittenConversation {
  readonly writer: JournalWriter;
  /** How many sessions were opened. */
  opened: number;
  /** How many of them are open. */
  sessions: number;
  /** The session that wrote last. */
  latest: { readonly order: number; flush(): void; forgetOutput(): void } | undefined;
}

/** Creates access to the journals of a folder, and keeps the folder within its limits. `onError` reports a disk that accepts no data. */
export function createJournalStore(options: JournalStoreOptions): JournalStore {
  const { directory, log } = options;
  const limits = { ...defaultJournalLimits, ...options.limits };
  const growthBytes = growthBytesOf(limits);
  const saved = new Map<string, WrittenConversation>();
  let tidying = Promise.resolve();
  const tidy = (): void => {
    const limit = (): Promise<void> =>
      keepWithinLimits({
        directory,
        limits,
        log,
        isOpen: (id) => (saved.get(id)?.sessions ?? 0) > 0,
        alone: (id, work) =>
          alone(id, ({ latest }) => {
            // What follows must not build on what is removed.
            latest?.forgetOutput();
            return work();
          }),
        onRemoved: (removed, ids) => options.onRemoved?.(removed, ids),
      });
    tidying = tidying.then(limit).catch((error: unknown) => log.warn('Could not limit the disk space of saved conversations', error));
  };
  const conversationOf = (id: string): WrittenConversation => {
    const onTrouble = (error: HostError): void => options.onError?.(error);
    const onPartLost = (): void => saved.get(id)?.latest?.forgetOutput();
    const parts = { directory, id, log, waitingChars, retryMs, growthBytes, onTrouble, onGrowth: tidy, onPartLost };
    const conversation = saved.get(id) ?? { writer: new JournalWriter(parts), opened: 0, sessions: 0, latest: undefined };
    saved.set(id, conversation);
    return conversation;
  };
  const release = (id: string): void => {
    const conversation = saved.get(id);
    if (conversation?.sessions === 0 && conversation.writer.isIdle) saved.delete(id);
  };
  const alone = async (id: string, work: (conversation: WrittenConversation) => Promise<void>): Promise<void> => {
    const conversation = conversationOf(id);
    try {
      await conversation.writer.alone(() => work(conversation));
    } finally {
      release(id);
    }
  };
  /** @throws HostError `storage_failed` if not everything that was appended can be written */
  const save = async (id: string): Promise<void> => {
    const conversation = saved.get(id);
    conversation?.latest?.flush();
    await conversation?.writer.save();
  };
  return {
    read: (id) => readJournal(directory, id),
    open(id, session, isNew) {
      const conversation = conversationOf(id);
      conversation.sessions++;
      return openJournal({ conversation, session, isNew, ...options }, async () => {
        // Another session may still write.
        await conversation.writer.flush();
        conversation.sessions--;
        if (conversation.sessions === 0) {
          conversation.latest = undefined;
          await conversation.writer.close();
          release(id);
        }
        await tidying;
      });
    },
    async copyBefore(turnId, of, id) {
      await save(of);
      let last: SessionHeader | undefined;
      for (const { events, ...session } of (await this.read(of))?.sessions ?? []) {
        const before: SessionEvent[] = [];
        let isReached = false;
        for (const event of events) {
          isReached = event.type === 'turn_started' && event.turnId === turnId;
          if (isReached) break;
          before.push(event);
        }
        if (before.some(({ type }) => type === 'message' || type === 'turn_started')) {
          last = { ...session, id: randomUUID() };
          const journal = this.open(id, last, true);
          journal.append(before);
          try {
            await save(id);
          } finally {
            await journal.close();
          }
        }
        if (isReached) break;
      }
      return last;
    },
    remove: (id) =>
      alone(id, ({ writer }) => {
        writer.discard();
        return removeFile(journalPath(directory, id));
      }),
  };
}

interface JournalParts extends Pick<JournalStoreOptions, 'redactor' | 'log'> {
  readonly conversation: WrittenConversation;
  readonly session: SessionHeader;
  readonly isNew: boolean;
}

/** @param closed called when everything is appended */
function openJournal({ conversation, session, isNew, redactor, log }: JournalParts, closed: () => Promise<void>): Journal {
  const { writer } = conversation;
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
      writer.append({ session, event, line });
      if (event.type === 'turn_ended') tools.forget();
      return written;
    },
  });
  const write = (events: readonly SessionEvent[]): void => {
    for (const event of events) pacer.push(event);
  };
  const own = {
    order: conversation.opened++,
    flush(): void {
      write(splitSecrets.rest());
      pacer.flush();
    },
    forgetOutput: () => tools.forget(),
  };
  /** Makes this the session to which the conversation has come. */
  const enter = (): void => {
    if (conversation.latest !== own) conversation.latest?.flush();
    conversation.latest = own;
  };
  return {
    append(told) {
      const isOver = closing !== undefined || (conversation.latest !== undefined && conversation.latest.order > own.order);
      if (isOver) return log.debug('Events of a session that is over are not saved', told.length);
      const events = told.some(isSeenInPart) ? told.flatMap(seenOf) : told;
      if (held === undefined) return write(splitSecrets.pass(events));
      for (const event of events) held.push(event);
      // A session without messages leaves no file. What an earlier one shows must be there again the next time.
      const isKept = ({ type }: SessionEvent): boolean =>
        type === 'turn_started' || type === 'message' || (type === 'host_notice' && !isNew);
      if (held.length <= heldEvents && !events.some(isKept)) return;
      enter();
      write(splitSecrets.pass(held));
      held = undefined;
    },
    flush() {
      if (conversation.latest === own) own.flush();
      return writer.flush();
    },
    close() {
      if (closing === undefined && conversation.latest === own) own.flush();
      return (closing ??= closed());
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
 * The sessions of a conversation as last seen, oldest first. A turn that was running is interrupted, because its agent is gone.
 * @returns nothing if nothing was saved @throws HostError `storage_failed`
 */
export async function readSessions(
  store: Pick<JournalStore, 'read'>,
  id: string,
): Promise<readonly { readonly agentId: string; readonly state: SessionState }[]> {
  const sessions: { readonly agentId: string; readonly state: SessionState }[] = [];
  for (const { agentId, sessionId, cwd, createdAt, events, ...session } of (await store.read(id))?.sessions ?? []) {
    const seen = reduceAll(emptySession(sessionId, cwd, createdAt, session.id), events);
    sessions.push({ agentId, state: reduce(seen, { type: 'opened', at: createdAt, cwd, by: 'loaded' }) });
  }
  return sessions;
}

/** As `readSessions`, without whose sessions they are. */
export async function readConversation(store: Pick<JournalStore, 'read'>, id: string): Promise<readonly SessionState[]> {
  return (await readSessions(store, id)).map(({ state }) => state);
}
