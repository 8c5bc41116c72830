import { type Disposable, DisposableStore } from '../base/disposable.js';
import { HostError, toHostError } from '../base/errors.js';
import { withoutAbsent } from '../base/fields.js';
import { type Logger, nullLogger } from '../base/logger.js';
import { Redactor } from '../base/redact.js';
import { within } from '../base/deadline.js';
import type { AgentPorts } from '../conversation/agentSessions.js';
import { Conversations } from '../conversation/conversations.js';
import {
  type ConversationState,
  hasWork,
  isAtRest,
  isLateNews,
  isRunning,
  type LateTrace,
  lateTraceOf,
  lateWorkIn,
} from '../conversation/state.js';
import type { JournalLimits } from '../journal/journalLimits.js';
import { removeSmallFile, replaceSmallFile } from '../node/smallFiles.js';
import { createWirePair, type Wire } from '../link/wire.js';
import { lateSince } from '../session/lateWork.js';
import { ConversationStore } from '../store/conversationStore.js';
import { searchConversations } from '../store/searchConversations.js';
import { unseenFile } from '../store/stateFolder.js';
import { AgentProcesses } from './agentProcesses.js';
import { type AttachedEngine, Attachment } from './attachment.js';
import type { EngineCalls, EngineLogLine, EngineNotice, EngineSummary, FrontEndCalls } from './contract.js';
import { EngineChanges } from './engineChanges.js';
import { EngineFactsSource } from './engineFacts.js';
import { agentPorts, type EnginePortParts, enginePorts } from './enginePorts.js';

export interface EngineOptions {
  /** Absolute; created if missing, for its owner only. The engine is the only one that writes there, except for the installed agents. */
  readonly stateFolder: string;
  /** Of ACP Host. */
  readonly version: string;
  readonly location: EngineSummary['location'];
  readonly limits?: { readonly [L in keyof JournalLimits]?: JournalLimits[L] | undefined } | undefined;
  /** How long what goes on after a turn keeps the engine, from its beginning; four hours if absent. */
  readonly lateWorkMs?: number;
  /** Called once, when nothing has kept the engine alive for as long as its last front end wanted, or when one asked it to end. */
  readonly onIdle: () => void;
}

/** How long an engine that ends waits for what it records: as long as git may need to look at a folder. */
const settleMs = 30_000;
/** A server that an agent has started must not keep the engine for ever. */
const defaultLateWorkMs = 4 * 60 * 60_000;
/** Whoever started it attaches at once, or was ended in between. */
const firstUserMs = 30_000;
/** The number of idle conversations that nobody shows and that stay open, so that returning to one of them is instant. */
const keptAtRest = 8;

/** Every conversation of a user, whichever front ends show it: the list, the agents, and what opens and ends when. */
export class Engine implements AttachedEngine, Disposable {
  readonly conversations: Conversations;
  readonly facts: EngineFactsSource;
  readonly processes = new AgentProcesses();
  readonly changes: EngineChanges;
  readonly #options: EngineOptions;
  readonly #parts: EnginePortParts;
  readonly #owned = new DisposableStore();
  readonly #attachments = new Set<Attachment>();
  /** Who acted on a conversation last. */
  readonly #actors = new Map<string, Attachment>();
  /** What the open conversations did when they changed last. */
  readonly #seen = new Map<string, Seen>();
  readonly #since = Date.now();
  #keepAliveMs = 0;
  #idle: NodeJS.Timeout | undefined;
  /** Looks again when what goes on after a turn does not keep the engine any longer. */
  #lateOver: NodeJS.Timeout | undefined;
  #isEnding = false;
  #onLoaded: () => void = () => {};
  #loaded: Promise<void> | undefined = new Promise((resolve) => (this.#onLoaded = resolve));

  constructor(options: EngineOptions) {
    this.#options = options;
    const redactor = new Redactor();
    const log = this.#logger(redactor);
    this.changes = new EngineChanges(options.stateFolder);
    const store = new ConversationStore({
      stateFolder: options.stateFolder,
      redactor,
      limits: withoutAbsent(options.limits ?? {}),
      log,
      onError: (error) => this.#notice({ type: 'failed', error: error.toData() }),
      onRemove: (id, cwd) => this.changes.remove(id, cwd),
      onRemoved: (removed) => this.#notice({ type: 'removed', removed }),
    });
    const parts = (this.#parts = { store, redactor, processes: this.processes, changes: this.changes, log });
    this.conversations = new Conversations((id, cwd) => enginePorts(id, cwd, (...asked) => this.#ask(id, ...asked), parts), store);
    this.facts = this.#owned.add(new EngineFactsSource(store, this.processes));
    this.#owned.add(this.conversations.onConversation(({ id, state }) => this.#onConversation(id, state)));
    this.#owned.add(
      this.conversations.onClosed((conversation) => {
        this.#seen.delete(conversation.id);
        // Front ends of an engine that ends keep what they show, for the next engine.
        if (!this.#isEnding) for (const attachment of this.#attachments) attachment.closed(conversation);
        this.#look();
      }),
    );
  }

  /** Reads what is saved. What front ends ask waits for it. */
  async load(): Promise<void> {
    await Promise.all([this.conversations.load(), this.facts.load(), this.changes.load()]);
    this.#loaded = undefined;
    this.#onLoaded();
    if (this.#options.location === 'process' && this.#users.length === 0 && !this.#isEnding)
      this.#idle ??= setTimeout(() => this.stop(), firstUserMs).unref();
  }

  get loaded(): Promise<void> | undefined {
    return this.#loaded;
  }

  /** Serves a front end until its wire is closed. */
  accept(wire: Wire, isLocal = false): void {
    if (this.#isEnding) wire.dispose();
    else this.#attachments.add(new Attachment(this, wire, isLocal));
  }

  /** A wire for a front end in this process. */
  connect(): Wire {
    const [own, wire] = createWirePair();
    this.accept(own, true);
    return wire;
  }

  /** The number of conversations in which something runs, or waits for the user. */
  get running(): number {
    const now = Date.now();
    return this.conversations.all.filter(({ state }) => isRunning(state) || this.#lateUntil(state) > now).length;
  }

  summary(): EngineSummary {
    return {
      version: this.#options.version,
      pid: process.pid,
      since: this.#since,
      location: this.#options.location,
      memoryBytes: process.memoryUsage.rss(),
      frontEnds: this.#users.length,
      running: this.running,
      keepAliveMs: this.#keepAliveMs,
    };
  }

  saved(): EngineCalls['saved']['result'] {
    const { listed, unreadable } = this.#parts.store;
    return { conversations: listed, ...(unreadable && { unreadable: unreadable.toData() }) };
  }

  search({ text, ids }: EngineCalls['search']['params'], signal: AbortSignal): Promise<EngineCalls['search']['result']> {
    const { journals, listed } = this.#parts.store;
    const known = new Set(listed.map(({ id }) => id));
    return searchConversations(journals, { text, ids: ids.filter((id) => known.has(id)), signal });
  }

  attached({ who }: Attachment): void {
    this.#keepAliveMs = who?.keepAliveMs ?? this.#keepAliveMs;
    if (who?.program === 'editor') this.#noteUnseen(false);
    this.#look();
  }

  leave(attachment: Attachment): void {
    if (!this.#attachments.delete(attachment)) return;
    const { shownIds, who } = attachment;
    for (const [id, actor] of this.#actors) if (actor === attachment) this.#actors.delete(id);
    attachment.dispose();
    for (const id of shownIds) {
      if (who?.use === 'once') void this.end(id, attachment);
      else this.released();
    }
    this.#look();
  }

  stopWithout(attachment: Attachment): boolean {
    const isUsed = this.#users.some((one) => one !== attachment) || this.running > 0;
    const mayStop = this.#options.location === 'process' && this.#keepAliveMs === 0 && attachment.who?.use !== 'look';
    if (mayStop && !isUsed) this.stop();
    return mayStop && !isUsed;
  }

  usedBy(id: string, attachment: Attachment): void {
    this.#actors.set(id, attachment);
  }

  portsFor(attachment: Attachment, cwd: string): AgentPorts {
    return agentPorts(cwd, (...asked) => this.#ask(attachment, ...asked), this.#parts);
  }

  released(): void {
    const atRest = this.conversations.all.filter(({ id, state }) => !this.#isShown(id) && isAtRest(state));
    for (const { id } of atRest.slice(0, Math.max(0, atRest.length - keptAtRest))) void this.conversations.close(id);
    this.#look();
  }

  async end(id: string, by: Attachment): Promise<void> {
    if ([...this.#attachments].some((one) => one !== by && one.shows(id))) return this.released();
    await this.conversations.close(id);
  }

  seen(ids: readonly string[]): void {
    for (const id of ids) this.conversations.mark(id, { isUnread: false });
  }

  stop(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#stopTimers();
    this.#options.onIdle();
  }

  /**
   * Ends every agent gracefully, then leaves every front end.
   * @param onSaved called in between, when everything is saved and another engine may have the folder: front ends that are left may start one.
   * What front ends ask in the meantime is not answered.
   */
  async close(onSaved: () => void | Promise<void> = () => {}): Promise<void> {
    this.#isEnding = true;
    this.#stopTimers();
    // Front ends must not wait for what can't be ended.
    await this.conversations.end().catch((error: unknown) => this.#parts.log.error('Could not end every conversation', error));
    await within(this.changes.settled(), settleMs);
    this.#loaded = new Promise(() => {});
    await onSaved();
    this.dispose();
  }

  dispose(): void {
    this.#stopTimers();
    for (const attachment of [...this.#attachments]) attachment.dispose();
    this.#attachments.clear();
    this.conversations.dispose();
    this.#owned.dispose();
    this.processes.dispose();
    this.#parts.store.dispose();
  }

  /** Until when what goes on after a turn keeps the engine. */
  #lateUntil(state: ConversationState): number {
    const late = lateWorkIn(state);
    const { lateWorkMs = defaultLateWorkMs } = this.#options;
    return late.length === 0 ? 0 : Math.max(...late.map(lateSince)) + lateWorkMs;
  }

  /** The front ends that keep this engine alive. */
  get #users(): readonly Attachment[] {
    return [...this.#attachments].filter(({ who }) => who !== undefined && who.use !== 'look');
  }

  #isShown(id: string): boolean {
    return [...this.#attachments].some((one) => one.shows(id));
  }

  #onConversation(id: string, state: ConversationState): void {
    this.facts.rememberOffer(state);
    const before = this.#seen.get(id);
    const now = seenIn(state);
    this.#seen.set(id, now);
    if (this.#isEnding || before === undefined) return this.#look();
    if (now.runs && !before.runs) this.conversations.mark(id, { isUnread: false });
    else if (isNews(before, now, state) && ![...this.#attachments].some((one) => one.isSeen(id))) {
      this.conversations.mark(id, { isUnread: true });
      // A window that is open shows the mark.
      if (!this.#isShown(id)) this.#noteUnseen(true);
    }
    this.#look();
  }

  /** For editors that start: they look whether there is something to tell before they load anything. */
  #noteUnseen(isUnseen: boolean): void {
    const file = unseenFile(this.#options.stateFolder);
    try {
      if (isUnseen) replaceSmallFile(file, '');
      else removeSmallFile(file);
    } catch (error) {
      this.#parts.log.warn('Could not note that a turn ended out of sight', error);
    }
  }

  #stopTimers(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#lateOver);
  }

  /** Ends the engine after a while in which nobody is there and nothing runs. */
  #look(): void {
    const isIdle = this.#users.length === 0 && this.running === 0;
    clearTimeout(this.#lateOver);
    if (!isIdle) {
      const late = this.conversations.all.map(({ state }) => this.#lateUntil(state) - Date.now()).filter((ms) => ms > 0);
      if (late.length > 0) this.#lateOver = setTimeout(() => this.#look(), Math.min(...late) + 1);
      clearTimeout(this.#idle);
      this.#idle = undefined;
      return;
    }
    if (!this.#isEnding) this.#idle ??= this.#stopLater();
  }

  /** What the last turn changed is recorded before. With very many files, that takes longer than `close` waits. */
  #stopLater(): NodeJS.Timeout {
    const timer = setTimeout(() => {
      void this.changes.settled().then(() => this.#idle === timer && this.stop());
    }, this.#keepAliveMs);
    return timer;
  }

  /** @param of a conversation, whose last user is asked, then the others that show it; or the front end to ask @throws HostError `unsupported` if nobody can answer */
  async #ask<M extends keyof FrontEndCalls>(
    of: string | Attachment,
    method: M,
    params: FrontEndCalls[M]['params'],
    late?: AbortSignal,
  ): Promise<FrontEndCalls[M]['result']> {
    const actor = typeof of === 'string' ? this.#actors.get(of) : of;
    // Conversations share an agent, so the one that started it may be closed. A file may be open in any editor.
    const isAboutTexts = method === 'unsaved_texts' || method === 'edit_texts';
    const rank = (one: Attachment): number => (one === actor ? 2 : typeof of === 'string' && one.shows(of) ? 1 : isAboutTexts ? 0 : -1);
    const asked = new Set<Attachment>();
    for (;;) {
      // Looked up again each time, because others may have come while one was asked.
      const left = [...this.#attachments].filter((one) => rank(one) >= 0 && !asked.has(one));
      const [next] = left.sort((a, b) => rank(b) - rank(a));
      if (next === undefined) throw new HostError('unsupported', { detail: method });
      asked.add(next);
      try {
        return await next.ask(method, params);
      } catch (error) {
        const cannot = toHostError(error).code === 'unsupported' || !this.#attachments.has(next);
        if (!cannot || late?.aborted === true) throw error;
      }
    }
  }

  #notice(notice: EngineNotice): void {
    for (const attachment of this.#attachments) attachment.tellNotice(notice);
  }

  #logger(redactor: Redactor): Logger {
    const tell =
      (level: EngineLogLine['level']) =>
      (message: string, ...facts: readonly unknown[]): void => {
        const text = redactor.text([message, ...facts.map(factText)].join(' '));
        for (const attachment of this.#attachments) attachment.tellLog({ level, text });
      };
    return { ...nullLogger, debug: tell('debug'), info: tell('info'), warn: tell('warn'), error: tell('error') };
  }
}

/** What tells whether there is something that the user has not seen. */
interface Seen {
  readonly runs: boolean;
  /** Absent while something runs. */
  readonly late?: LateTrace | undefined;
}

function seenIn(state: ConversationState): Seen {
  return hasWork(state) ? { runs: true } : { runs: false, late: lateTraceOf(state) };
}

function isNews(before: Seen, now: Seen, state: ConversationState): boolean {
  if (now.runs) return false;
  return before.runs ? isWorthSeeing(state) : isLateNews(before.late, now.late);
}

/** Whether something ended that the user did not end. */
function isWorthSeeing({ blocker, session }: ConversationState): boolean {
  if (blocker !== undefined) return true;
  const end = session?.items.findLast((item) => item.kind === 'turn_end');
  return end !== undefined && !(end.outcome.type === 'ended' && end.outcome.stopReason === 'cancelled');
}

function factText(fact: unknown): string {
  if (typeof fact === 'string') return fact;
  if (fact instanceof Error) return toHostError(fact).stack ?? fact.message;
  return JSON.stringify(fact) ?? String(fact);
}
