/** A user's conversations, in one folder for every front end: their journals, what a list shows of them, and unsent prompts. */
import { join } from 'node:path';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import { HostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import { type Logger, tagged } from '../base/logger.js';
import type { Redactor } from '../base/redact.js';
import type { ConversationLibrary, ConversationSummary, SavedChange, SavedConversation } from '../conversation/library.js';
import type { ConversationPlace, ConversationRecord } from '../conversation/ports.js';
import type { Elsewhere } from '../conversation/state.js';
import type { SessionState } from '../session/model.js';
import { journalName } from '../journal/journalFiles.js';
import { createJournalStore, type JournalStore, type JournalStoreOptions } from '../journal/journalStore.js';
import { removeJournal } from '../journal/removeJournal.js';
import { lifeOf, markOfThisProcess } from '../node/processAlive.js';
import { AgentMemory } from './agentMemory.js';
import { followJournal } from './followJournal.js';
import { FolderMemory } from './folderMemory.js';
import { JsonFolder } from './jsonFolder.js';
import { Leases } from './leases.js';
import { defaultLeaseTiming, type LeaseTiming } from './leaseTiming.js';
import { inFolders, isAt, isEarlier, isWithin } from './places.js';
import {
  blankConversation,
  type Chip,
  type ConversationFacts,
  type Deleter,
  formatConversation,
  isBlank,
  parseConversation,
} from './savedFormat.js';
import { journalFolder } from './stateFolder.js';
import { isOneOf, surveyJournals } from './unlisted.js';
import { type ChipsChange, UnsentMemory } from './unsentMemory.js';

export interface ConversationStoreOptions extends Pick<JournalStoreOptions, 'limits' | 'onError' | 'onRemoved'> {
  /** Absolute; created if missing, for its owner only. */
  readonly stateFolder: string;
  readonly redactor: Redactor;
  readonly log: Logger;
  /** The kind of this front end, shown where a conversation is open elsewhere. */
  readonly program: Elsewhere['program'];
  readonly leaseTiming?: Partial<LeaseTiming>;
}

export class ConversationStore implements ConversationLibrary, Disposable {
  readonly journals: JournalStore;
  readonly folders: FolderMemory;
  readonly agents: AgentMemory;
  readonly seats: Leases;
  readonly #options: ConversationStoreOptions;
  readonly #owned = new DisposableStore();
  readonly #onChange = this.#owned.add(new Emitter<void>());
  readonly #conversations: JsonFolder<ConversationFacts>;
  readonly #unsent: UnsentMemory;
  readonly #deleted = new Set<string>();
  #self: Deleter | undefined;
  #emptied: ReadonlySet<string> = new Set();
  #loading: Promise<void> | undefined;

  constructor(options: ConversationStoreOptions) {
    this.#options = options;
    const { stateFolder, redactor, limits, onError, onRemoved, program, leaseTiming } = options;
    const log = tagged(options.log, 'store');
    this.folders = this.#owned.add(new FolderMemory({ directory: join(stateFolder, 'folders'), log }));
    this.agents = this.#owned.add(new AgentMemory({ directory: join(stateFolder, 'agents'), log }));
    this.seats = this.#owned.add(
      new Leases({ directory: join(stateFolder, 'leases'), program, timing: { ...defaultLeaseTiming, ...leaseTiming }, log }),
    );
    this.#conversations = this.#owned.add(
      new JsonFolder({ directory: join(stateFolder, 'conversations'), parse: parseConversation, format: formatConversation, log }),
    );
    this.#unsent = this.#owned.add(new UnsentMemory({ stateFolder, log, onError }));
    this.#owned.add(
      this.#conversations.onChange(() => {
        this.#unsent.keep((id) => !this.#deleted.has(id) && this.#conversations.get(id) === undefined);
        this.#onChange.fire();
      }),
    );
    this.journals = createJournalStore({
      directory: journalFolder(stateFolder),
      redactor,
      log: tagged(options.log, 'journal'),
      ...(limits && { limits }),
      ...(onError && { onError }),
      beforeWrite: () => this.seats.check(),
      beforeLimiting: () => Promise.all([this.#conversations.load(), this.seats.start()]),
      isInUse: (base) => {
        if (this.#owned.disposed) throw new HostError('disposed', { reason: 'host' });
        return this.#conversations.values.some((one) => isOneOf(new Set([base]), one) && this.seats.elsewhere(one.id) !== undefined);
      },
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

  /** The conversations of all folders that have messages. */
  get all(): readonly SavedConversation[] {
    return this.#visible().filter(({ summary }) => summary !== undefined);
  }

  /** The conversations of all folders that have no messages yet, only the user's name for them, or something that is not sent. */
  get unsent(): readonly SavedConversation[] {
    return this.#visible().filter(({ summary, title, unsentWords }) => summary === undefined && (title ?? unsentWords) !== undefined);
  }

  inFolders(cwds: readonly string[]): readonly SavedConversation[] {
    return inFolders(this.#visible(), cwds);
  }

  get(id: string): SavedConversation | undefined {
    const facts = this.#conversations.get(id);
    return facts?.deletedBy === undefined ? facts : undefined;
  }

  isDeleted(id: string): boolean {
    return this.#conversations.get(id)?.deletedBy !== undefined;
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
    const mark = this.#self ?? { pid: process.pid, host: '' };
    const done = this.#conversations.update(id, (facts) => facts && { ...facts, deletedBy: mark });
    if (done !== undefined) this.#deleted.add(id);
    return done !== undefined;
  }

  restore(id: string): boolean {
    this.#deleted.delete(id);
    return this.#conversations.update(id, (facts) => facts && { ...facts, deletedBy: undefined }) !== undefined;
  }

  /** Removes from disk the conversations that were deleted here. Call this after every agent has ended. */
  async end(): Promise<void> {
    for (const id of this.#deleted) await this.#remove(id);
    this.#deleted.clear();
  }

  async recall(id: string): Promise<ConversationRecord | undefined> {
    await this.#prepared();
    const unsent = this.#unsent.recall(id);
    const place = this.get(id)?.place;
    return unsent === undefined && place === undefined ? undefined : { place, outbox: [], returned: [], ...unsent };
  }

  /** @param summary absent while there are no messages */
  remember(id: string, cwd: string, { place, outbox, returned }: ConversationRecord, summary: ConversationSummary | undefined): void {
    this.#unsent.remember(id, { outbox, returned });
    this.rememberPlace(id, cwd, place, summary);
    this.#rememberUnsent(id, cwd);
  }

  /** Like `remember`, for a front end that saves no unsent prompts. */
  rememberPlace(id: string, cwd: string, place: ConversationPlace | undefined, summary: ConversationSummary | undefined): void {
    // What another process reports is newer.
    if (this.seats.elsewhere(id) !== undefined) return;
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

  follow(place: ConversationPlace, onState: (state: SessionState) => void): Disposable {
    const directory = journalFolder(this.#options.stateFolder);
    return followJournal({ directory, journals: this.journals, place, onState, log: this.#options.log });
  }

  readDraft(id: string): string {
    return this.#unsent.readDraft(id);
  }

  writeDraft(id: string, cwd: string, text: string): void {
    this.#unsent.writeDraft(id, text);
    this.#rememberUnsent(id, cwd);
  }

  readChips(id: string): readonly Chip[] {
    return this.#unsent.readChips(id);
  }

  changeChips(id: string, cwd: string, change: ChipsChange): void {
    this.#unsent.changeChips(id, change);
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
    return this.#conversations.values.filter(({ id, deletedBy }) => deletedBy === undefined && !this.#emptied.has(id));
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

  async #prepared(): Promise<void> {
    this.#self ??= await markOfThisProcess();
  }

  async #load(): Promise<void> {
    await this.#prepared();
    await Promise.all([this.#conversations.load(), this.seats.start()]);
    await this.#removeDeleted();
    await this.#survey();
    this.#onChange.fire();
  }

  /** Removes conversations that other processes deleted but could not remove before they ended. */
  async #removeDeleted(): Promise<void> {
    for (const { id, deletedBy } of this.#conversations.values)
      if (deletedBy !== undefined && (await lifeOf(deletedBy)) === 'gone') await this.#remove(id);
  }

  async #remove(id: string): Promise<void> {
    try {
      // Another window may have restored the conversation. If its file can't be read, nothing is removed.
      const facts = this.#conversations.readAgain(id);
      if (facts?.deletedBy === undefined || this.seats.elsewhere(id) !== undefined) return;
      const { place, summary } = facts;
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
      const isNeeded = this.#unsent.has(id) || this.seats.elsewhere(id) !== undefined;
      if (facts !== undefined && !isNeeded && isOneOf(names, facts)) this.#conversations.update(id, () => undefined);
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
