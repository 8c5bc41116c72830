/** A user's conversations, in one folder: their journals, what a list shows of them, and what is not sent. One process uses it. */
import { join } from 'node:path';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import type { HostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import { type Logger, tagged } from '../base/logger.js';
import type { Redactor } from '../base/redact.js';
import type { ConversationLibrary, ConversationSummary, SavedBranch, SavedChange, SavedConversation } from '../conversation/library.js';
import type { ConversationRecord } from '../conversation/ports.js';
import type { SessionKey } from '../conversation/state.js';
import { listSegments } from '../journal/journalFiles.js';
import { summarizeJournal } from '../journal/journalRead.js';
import { createJournalStore, type JournalStore, type JournalStoreOptions } from '../journal/journalStore.js';
import { AgentMemory } from './agentMemory.js';
import { FolderMemory } from './folderMemory.js';
import { JsonFolder } from './jsonFolder.js';
import { blankConversation, type ConversationFacts, factsFrom, formatConversation, isBlank, parseConversation } from './savedFormat.js';
import { journalFolder } from './stateFolder.js';
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
  readonly folders: FolderMemory;
  readonly agents: AgentMemory;
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
    this.folders = this.#owned.add(new FolderMemory({ directory: join(stateFolder, 'folders'), log }));
    this.agents = this.#owned.add(new AgentMemory({ directory: join(stateFolder, 'agents'), log }));
    this.#conversations = this.#owned.add(
      new JsonFolder({ directory: join(stateFolder, 'conversations'), parse: parseConversation, format: formatConversation, log }),
    );
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

  /** With those that were deleted and not removed yet. */
  get all(): readonly SavedConversation[] {
    return this.#conversations.values;
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
    const last = await this.journals.copyBefore(turnId, of, id);
    const place = last && {
      agentId: last.agentId,
      sessionId: last.sessionId,
      over: last.createdAt,
      withContext: true,
      ...(fork && { fork }),
    };
    this.remember(id, cwd, { place, ...nothingUnsent }, undefined);
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
    this.#conversations.update(id, (there) => {
      const facts = { ...(there ?? blankConversation(id, cwd)), unsentWords };
      return isBlank(facts) ? undefined : facts;
    });
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
      const { cwd } = this.#conversations.get(id) ?? {};
      await this.journals.remove(id);
      if (cwd !== undefined) await this.#options.onRemove?.(id, cwd);
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
      else this.#conversations.update(id, () => undefined);
    }
  }

  /** Compares the list with the journals: lists those that are not in it, and hides conversations whose journal is gone. */
  async #survey(): Promise<void> {
    try {
      const journals = await listSegments(journalFolder(this.#options.stateFolder));
      for (const { id, summary } of this.#conversations.values) if (summary !== undefined && !journals.has(id)) this.#emptied.add(id);
      for (const [id, files] of journals) {
        if (this.#conversations.get(id)?.summary !== undefined) continue;
        const found = await summarizeJournal(files);
        if (found === undefined) continue;
        const { place, summary, createdAt, ...others } = factsFrom(id, found);
        const known = { place, summary: this.#redacted(summary), createdAt, unsentWords: undefined };
        this.#conversations.update(id, (facts) => ({ ...(facts ?? others), ...known }));
      }
    } catch (error) {
      this.#options.log.error('Could not list the saved conversations', error);
    }
  }
}
