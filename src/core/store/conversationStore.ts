/** A user's conversations, in one folder: their journals, what a list shows of them, and what is not sent. One process uses it. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { findKnownAgent } from '../agents/knownAgents.js';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import type { HostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import { type Logger, tagged } from '../base/logger.js';
import type { Redactor } from '../base/redact.js';
import type {
  ConversationLibrary,
  ConversationPlace,
  ConversationRecord,
  ConversationSummary,
  SavedBranch,
  SavedChange,
  SavedConversation,
} from '../conversation/ports.js';
import type { SessionKey } from '../conversation/state.js';
import { nothingSaved, summaryOf } from '../conversation/conversationList.js';
import { listJournals } from '../journal/journalFormat.js';
import { createJournalStore, type JournalStore, type JournalStoreOptions, readSessions } from '../journal/journalStore.js';
import { realFolderPath } from '../node/smallFiles.js';
import { type AgentFacts, createAgentMemory, createFolderMemory, type FolderFacts, type Saved } from './factMemory.js';
import { JsonFolder, jsonFormat } from './jsonFolder.js';
import { hasMessageFiles, removeMessageFiles } from './messageFiles.js';
import { journalFolder, messageFolder } from './stateFolder.js';
import { nothingUnsent, UnsentMemory } from './unsentMemory.js';

export interface ConversationStoreOptions extends Pick<JournalStoreOptions, 'limits' | 'onError' | 'onRemoved'> {
  /** Absolute; created if missing, for its owner only. */
  readonly stateFolder: string;
  readonly redactor: Redactor;
  readonly log: Logger;
  /** Removes what else there is of a conversation. @param cwd absolute */
  readonly onRemove?: (id: string, cwd: string) => Promise<void>;
}

export class ConversationStore implements ConversationLibrary, Disposable {
  readonly journals: JournalStore;
  readonly folders: JsonFolder<Saved<FolderFacts>>;
  readonly agents: JsonFolder<Saved<AgentFacts>>;
  readonly #options: ConversationStoreOptions;
  readonly #owned = new DisposableStore();
  readonly #onChange = this.#owned.add(new Emitter<string | undefined>());
  readonly #conversations: JsonFolder<ConversationFacts>;
  readonly #unsent: UnsentMemory;
  /** The ids of conversations of which no message is left on disk. */
  readonly #emptied = new Set<string>();
  #loading: Promise<void> | undefined;

  constructor(options: ConversationStoreOptions) {
    this.#options = options;
    const { stateFolder, redactor, limits, onError, onRemoved } = options;
    const log = tagged(options.log, 'store');
    this.folders = this.#owned.add(createFolderMemory({ directory: join(stateFolder, 'folders'), log }));
    this.agents = this.#owned.add(createAgentMemory({ directory: join(stateFolder, 'agents'), log }));
    this.#conversations = this.#owned.add(new JsonFolder({ directory: join(stateFolder, 'conversations'), ...conversationFormat, log }));
    this.#unsent = this.#owned.add(new UnsentMemory({ stateFolder, log, onError }));
    this.#owned.add(this.#conversations.onChange((id) => this.#onChange.fire(id)));
    this.journals = createJournalStore({
      directory: journalFolder(stateFolder),
      redactor,
      log: tagged(options.log, 'journal'),
      ...(limits && { limits }),
      ...(onError && { onError }),
      onRemoved: (removed, ids) => {
        this.#removeEmptied(ids);
        onRemoved?.(removed, ids);
      },
    });
  }

  readonly onChange = this.#onChange.event;

  load(): Promise<void> {
    return (this.#loading ??= this.#load());
  }

  /** Why the saved conversations could not be listed, so that the lists below lack some. */
  get unreadable(): HostError | undefined {
    return this.#conversations.unreadable;
  }

  get listed(): readonly SavedConversation[] {
    return this.#visible();
  }

  get(id: string): SavedConversation | undefined {
    const facts = this.#conversations.get(id);
    return facts?.isDeleted === false ? facts : undefined;
  }

  isDeleted(id: string): boolean {
    return this.#conversations.get(id)?.isDeleted === true;
  }

  find({ agentId, sessionId }: SessionKey): SavedConversation | undefined {
    return this.#visible()
      .filter(({ place, summary }) => {
        if (place?.agentId !== agentId) return false;
        return place.sessionId === sessionId || summary?.earlier.includes(sessionId) === true;
      })
      .sort((a, b) => b.createdAt - a.createdAt)[0];
  }

  change(id: string, cwd: string, change: SavedChange): void {
    this.#conversations.update(id, (before) => ({ ...(before ?? blankConversation(id, cwd)), ...change }));
  }

  delete(id: string): boolean {
    return this.#conversations.update(id, (facts) => facts && { ...facts, isDeleted: true }) !== undefined;
  }

  restore(id: string): boolean {
    return this.#conversations.update(id, (facts) => facts && { ...facts, isDeleted: false }) !== undefined;
  }

  /** Removes the deleted conversations from disk. Call this after every agent has ended. */
  async end(): Promise<void> {
    for (const { id, isDeleted } of this.#conversations.values) if (isDeleted) await this.#remove(id);
  }

  async branch({ id, cwd, of, turnId, fork }: SavedBranch): Promise<void> {
    const filesOf = [...(this.#conversations.get(of)?.filesOf ?? [])];
    if (await hasMessageFiles(messageFolder(this.#options.stateFolder), of)) filesOf.push(of);
    if (filesOf.length > 0) this.#conversations.update(id, (facts) => ({ ...(facts ?? blankConversation(id, cwd)), filesOf }));
    const last = await this.journals.copyBefore(turnId, of, id).catch(async (error: unknown) => {
      await this.#remove(id);
      throw error;
    });
    const place = last && {
      agentId: last.agentId,
      sessionId: last.sessionId,
      over: last.id,
      withContext: true,
      ...(fork && { fork }),
    };
    this.remember(id, cwd, { place, ...nothingUnsent }, undefined);
    if (last !== undefined) this.#conversations.update(id, (facts) => facts && { ...facts, isBranch: true });
  }

  recall(id: string): ConversationRecord | undefined {
    const unsent = this.#unsent.recall(id);
    const place = this.get(id)?.place;
    return unsent === undefined && place === undefined ? undefined : { place, ...(unsent ?? nothingUnsent) };
  }

  /** @param summary absent while there are no messages */
  remember(id: string, cwd: string, { place, ...unsent }: ConversationRecord, summary: ConversationSummary | undefined): void {
    this.#unsent.remember(id, unsent);
    if (summary !== undefined) this.#emptied.delete(id);
    if (summary !== undefined || place !== undefined) {
      this.#conversations.update(id, (facts) => {
        const before = facts ?? blankConversation(id, cwd);
        return { ...before, place, summary: this.#redacted(summary) ?? before.summary };
      });
    }
    this.#rememberUnsent(id, cwd);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  /** A conversation without messages is listed as long as something in it is not sent, because nothing else leads there. */
  #rememberUnsent(id: string, cwd: string): void {
    const before = this.#conversations.get(id);
    const words = before?.summary === undefined ? this.#unsent.wordsIn(id) : undefined;
    const unsentWords = words && this.#options.redactor.text(words);
    if (unsentWords === before?.unsentWords) return;
    const facts = this.#conversations.update(id, (there) => {
      const now = { ...(there ?? blankConversation(id, cwd)), unsentWords };
      return isBlank(now) ? undefined : now;
    });
    if (facts === undefined) void this.#removeFiles(id, before?.filesOf);
  }

  #visible(): readonly ConversationFacts[] {
    return this.#conversations.values.filter(({ id, isDeleted }) => !isDeleted && (!this.#emptied.has(id) || this.#unsent.has(id)));
  }

  #redacted(summary: ConversationSummary | undefined): ConversationSummary | undefined {
    const clean = (text: string | undefined): string | undefined => text && this.#options.redactor.text(text);
    return summary && { ...summary, firstWords: clean(summary.firstWords), agentTitle: clean(summary.agentTitle) };
  }

  async #load(): Promise<void> {
    await this.#conversations.load();
    // What an engine that was killed has deleted.
    await this.end();
    await this.#survey();
    this.#onChange.fire(undefined);
  }

  async #remove(id: string): Promise<void> {
    try {
      const facts = this.#conversations.get(id);
      await this.journals.remove(id);
      await this.#removeRest(id, facts);
      this.#unsent.remove(id);
      this.#conversations.update(id, () => undefined);
    } catch (error) {
      this.#options.log.warn('Could not remove a deleted conversation', error);
    }
  }

  /** Removes conversations without remaining messages from the list. Drafts, unsent prompts and their folder stay. */
  #removeEmptied(ids: ReadonlySet<string>): void {
    for (const id of ids) {
      this.#emptied.add(id);
      if (this.#unsent.has(id)) this.#onChange.fire(id);
      else {
        const facts = this.#conversations.get(id);
        this.#conversations.update(id, () => undefined);
        this.#removeRest(id, facts).catch((error: unknown) =>
          this.#options.log.warn('Could not remove all of a conversation without messages', error),
        );
      }
    }
  }

  /** Removes what there is besides the journal. */
  async #removeRest(id: string, facts: ConversationFacts | undefined): Promise<void> {
    await this.#removeFiles(id, facts?.filesOf);
    if (facts !== undefined) await this.#options.onRemove?.(id, facts.cwd);
  }

  /** Removes what was pasted into a conversation that is no longer saved, unless another one leads there. @param filesOf it led there */
  async #removeFiles(id: string, filesOf: readonly string[] = []): Promise<void> {
    const others = this.#conversations.values.filter((one) => one.id !== id);
    try {
      for (const owner of [id, ...filesOf]) {
        const isNeeded = others.some((one) => one.id === owner || one.filesOf?.includes(owner) === true);
        if (!isNeeded) await removeMessageFiles(messageFolder(this.#options.stateFolder), owner);
      }
    } catch (error) {
      this.#options.log.warn('Could not remove the files of messages', error);
    }
  }

  /** Compares the list with the journals: lists those that are not in it, and hides conversations whose journal is gone. */
  async #survey(): Promise<void> {
    try {
      const journals = await listJournals(journalFolder(this.#options.stateFolder));
      for (const { id, summary } of this.#conversations.values) if (summary !== undefined && !journals.has(id)) this.#emptied.add(id);
      for (const id of journals) if (this.#conversations.get(id)?.summary === undefined) await this.#listAgain(id);
    } catch (error) {
      this.#options.log.error('Could not list the saved conversations', error);
    }
  }

  /** Lists a conversation of which only the journal is left, for example of an engine that was killed before it could list it. */
  async #listAgain(id: string): Promise<void> {
    try {
      const sessions = await readSessions(this.journals, id);
      const [first, last] = [sessions[0], sessions.at(-1)];
      if (first === undefined || last === undefined) return;
      const { agentId, state } = last;
      const summary = summaryOf({
        agent: { id: agentId, label: findKnownAgent(agentId)?.label ?? agentId },
        session: state,
        earlierSessions: sessions.slice(0, -1).map((earlier) => earlier.state),
        sending: undefined,
      });
      const known = {
        place: { agentId, sessionId: state.sessionId, over: undefined, withContext: false },
        summary: this.#redacted(summary),
        createdAt: first.state.createdAt,
        unsentWords: undefined,
      };
      this.#conversations.update(id, (facts) => ({ ...(facts ?? blankConversation(id, state.cwd)), ...known }));
    } catch (error) {
      this.#options.log.warn('Could not list a conversation', error);
    }
  }
}

// What a list shows of a conversation, as a file. Parsed when read, like everything from disk.

const placeSchema = z.object({
  agentId: z.string(),
  sessionId: z.string(),
  over: z.catch(z.optional(z.string()), undefined),
  withContext: z._default(z.boolean(), false),
  fork: z.catch(z.optional(z.object({ sessionId: z.string(), messageId: z.optional(z.string()) })), undefined),
});

const summarySchema = z.object({
  agent: z.object({ id: z.string(), label: z.string() }),
  agentTitle: z.optional(z.string()),
  firstWords: z.optional(z.string()),
  usedAt: z.number(),
  turn: z.catch(z.enum(['idle', 'running', 'interrupted']), 'idle'),
  earlier: z.catch(z.array(z.string()), []),
});
const conversationSchema = z.object({
  id: z.string(),
  cwd: z.string(),
  folder: z.string(),
  summary: z.optional(summarySchema),
  unsentWords: z.catch(z.optional(z.string()), undefined),
  place: z.optional(placeSchema),
  title: z.optional(z.string()),
  createdAt: z.number(),
  isPinned: z.catch(z.boolean(), false),
  isArchived: z.catch(z.boolean(), false),
  isUnread: z.catch(z.boolean(), false),
  isBranch: z.catch(z.boolean(), false),
  leavesOutOpenFile: z.catch(z.boolean(), false),
  isDeleted: z.catch(z.boolean(), false),
  filesOf: z.catch(z.optional(z.array(z.string())), undefined),
});

/** A conversation as it is on disk. */
export interface ConversationFacts extends SavedConversation {
  /** It is in no list any more, and is removed from disk when the engine ends. */
  readonly isDeleted: boolean;
  /** The ids of the conversations it branched from whose pasted pictures its messages show. */
  readonly filesOf: readonly string[] | undefined;
}

const nothingKnown = { ...nothingSaved, isDeleted: false, filesOf: undefined } satisfies Partial<ConversationFacts>;

function blankConversation(id: string, cwd: string): ConversationFacts {
  return { id, cwd, folder: realFolderPath(cwd), createdAt: Date.now(), ...nothingKnown };
}

/** Whether it has nothing that a user could miss. */
export function isBlank(facts: ConversationFacts): boolean {
  const known: Partial<ConversationFacts> = { ...facts, isUnread: false, filesOf: undefined };
  return Object.entries(nothingKnown).every(([member, nothing]) => known[member as keyof ConversationFacts] === nothing);
}

/** Copies member by member, because a rest pattern or a spread makes each of possibly thousands of objects slow to create and to read. */
function toFacts(saved: z.infer<typeof conversationSchema>): ConversationFacts {
  return {
    id: saved.id,
    cwd: saved.cwd,
    folder: saved.folder,
    summary: saved.summary && toSummary(saved.summary),
    unsentWords: saved.unsentWords,
    place: saved.place && toPlace(saved.place),
    title: saved.title,
    createdAt: saved.createdAt,
    isPinned: saved.isPinned,
    isArchived: saved.isArchived,
    isUnread: saved.isUnread,
    isBranch: saved.isBranch,
    leavesOutOpenFile: saved.leavesOutOpenFile,
    isDeleted: saved.isDeleted,
    filesOf: saved.filesOf,
  };
}

function toSummary({ agent, agentTitle, firstWords, usedAt, turn, earlier }: z.infer<typeof summarySchema>): ConversationSummary {
  return { agent, agentTitle, firstWords, usedAt, turn, earlier };
}

function toPlace({ agentId, sessionId, over, withContext, fork }: z.infer<typeof placeSchema>): ConversationPlace {
  return { agentId, sessionId, over, withContext, ...(fork && { fork }) };
}

/** A file from another version is not changed. */
export const conversationFormat = jsonFormat('acp-host-conversation', 2, z.pipe(conversationSchema, z.transform(toFacts)));
