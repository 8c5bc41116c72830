/** A user's conversations, in one folder: their journals, what a list shows of them, and what is not sent. One process uses it. */
import { join } from 'node:path';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import type { HostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import { type Logger, tagged } from '../base/logger.js';
import type { Redactor } from '../base/redact.js';
import type { ConversationLibrary, ConversationSummary, SavedChange, SavedConversation } from '../conversation/library.js';
import type { ConversationPlace, ConversationRecord } from '../conversation/ports.js';
import { journalName } from '../journal/journalFiles.js';
import { createJournalStore, type JournalStore, type JournalStoreOptions } from '../journal/journalStore.js';
import { removeJournal } from '../journal/removeJournal.js';
import { AgentMemory } from './agentMemory.js';
import { FolderMemory } from './folderMemory.js';
import { JsonFolder } from './jsonFolder.js';
import { isAt, isEarlier, isWithin } from './places.js';
import { blankConversation, type ConversationFacts, formatConversation, isBlank, parseConversation } from './savedFormat.js';
import { journalFolder } from './stateFolder.js';
import { isOneOf, surveyJournals } from './unlisted.js';
import { nothingUnsent, UnsentMemory } from './unsentMemory.js';

export interface ConversationStoreOptions extends Pick<JournalStoreOptions, 'limits' | 'onError' | 'onRemoved'> {
  /** Absolute; created if missing, for its owner only. */
  readonly stateFolder: string;
  readonly redactor: Redactor;
  readonly log: Logger;
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
  #emptied: ReadonlySet<string> = new Set();
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
      onRemoved: (removed, names) => {
        void this.#survey().then(() => this.#removeEmptied(names));
        onRemoved?.(removed, names);
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

  find(key: Parameters<ConversationLibrary['find']>[0]): SavedConversation | undefined {
    return this.#visible()
      .filter((facts) => isAt(facts, key))
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

  recall(id: string): ConversationRecord | undefined {
    const unsent = this.#unsent.recall(id);
    const place = this.get(id)?.place;
    return unsent === undefined && place === undefined ? undefined : { place, ...(unsent ?? nothingUnsent) };
  }

  /** @param summary absent while there are no messages */
  remember(id: string, cwd: string, { place, ...unsent }: ConversationRecord, summary: ConversationSummary | undefined): void {
    this.#unsent.remember(id, unsent);
    this.#rememberPlace(id, cwd, place, summary);
    this.#rememberUnsent(id, cwd);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #rememberPlace(id: string, cwd: string, place: ConversationPlace | undefined, summary: ConversationSummary | undefined): void {
    const before = this.#conversations.get(id);
    if (summary === undefined && before?.summary === undefined) return;
    // Keeps the place until the session in which the conversation continues is opened.
    if (place === undefined && before?.place !== undefined && isEarlier(before.place, summary)) return;
    // Another conversation continues in the same window: this one is complete.
    const isOther = before?.summary !== undefined && !isWithin(before, place, summary);
    if (isOther) this.#setAside(before);
    const twin = place && this.#visible().find((facts) => facts.id !== id && isAt(facts, place));
    this.#conversations.update(id, (facts) => {
      const own = isOther ? undefined : facts;
      const { title = own?.title, isPinned, isArchived, leavesOutOpenFile, createdAt } = twin ?? own ?? blankConversation(id, cwd);
      if (summary === undefined && isOther) return undefined;
      const marks = { title, isPinned: isPinned || own?.isPinned === true, isArchived, leavesOutOpenFile, createdAt };
      const next = { ...(facts ?? blankConversation(id, cwd)), ...marks, place, summary: this.#redacted(summary) };
      return summary === undefined ? { ...next, summary: facts?.summary } : next;
    });
    if (twin !== undefined) {
      this.#unsent.move(twin.id, id);
      this.#conversations.update(twin.id, () => undefined);
    }
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
    return this.#conversations.values.filter(({ id, isDeleted }) => !isDeleted && !this.#emptied.has(id));
  }

  #setAside(facts: ConversationFacts): void {
    const { place } = facts;
    if (place === undefined) return;
    const id = journalName(place.agentId, place.sessionId);
    this.#conversations.update(id, (there) => there ?? { ...facts, id });
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
      const { place, summary } = this.#conversations.get(id) ?? {};
      for (const session of place === undefined ? [] : [place, ...(summary?.earlier ?? [])]) {
        const owner = { agentId: place?.agentId ?? '', sessionId: session.sessionId };
        await removeJournal(journalFolder(this.#options.stateFolder), owner, { createdAt: session.createdAt });
      }
      this.#unsent.remove(id);
      this.#conversations.update(id, () => undefined);
    } catch (error) {
      this.#options.log.warn('Could not remove a deleted conversation', error);
    }
  }

  /**
   * Removes conversations without remaining messages from the list. Drafts, unsent prompts and their folder stay.
   * @param names of journals
   */
  #removeEmptied(names: ReadonlySet<string>): void {
    for (const id of this.#emptied) {
      const facts = this.#conversations.get(id);
      if (facts !== undefined && !this.#unsent.has(id) && isOneOf(names, facts)) this.#conversations.update(id, () => undefined);
    }
  }

  /** Lists a conversation that was found by its journal. If an entry with its place exists but has no messages yet, completes that entry. */
  #enlist(facts: ConversationFacts): void {
    const adopted = this.#visible().find((one) => one.summary === undefined && facts.place !== undefined && isAt(one, facts.place));
    const { summary, createdAt } = facts;
    this.#conversations.update(adopted?.id ?? facts.id, (there) => (there === undefined ? facts : { ...there, summary, createdAt }));
  }

  async #survey(): Promise<void> {
    try {
      const { unlisted, emptied } = await surveyJournals(journalFolder(this.#options.stateFolder), this.#conversations.values);
      this.#emptied = emptied;
      for (const facts of unlisted) this.#enlist({ ...facts, summary: this.#redacted(facts.summary) });
    } catch (error) {
      this.#options.log.error('Could not list the saved conversations', error);
    }
  }
}
