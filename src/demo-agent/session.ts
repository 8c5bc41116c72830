/** One conversation: its settings, its history on disk, and the one turn that may run in it. */
import { randomUUID } from 'node:crypto';
import { type AgentContext, type ClientCapabilities, methods, type SessionUpdate } from '@agentclientprotocol/sdk';
import { countWords, HistoryFold } from './history.js';
import { configOptions, defaultSettings, type Settings } from './settings.js';
import type { SessionHead, SessionStore, StoredSession } from './store.js';
import type { Workspace } from './workspace.js';

/** What a remembered answer decides: all edits, or one certain command. */
export type Topic = 'edit' | `run:${string}`;

/** The most words that a session keeps; beyond it, old turns are summed up. */
export const historyLimitWords = 20_000;

export interface SessionSurroundings {
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
  readonly store: SessionStore;
  readonly workspace: Workspace;
}

export class DemoSession {
  readonly workspace: Workspace;
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
  /** Answers with "always", for as long as the process lives. Not stored: a new process asks again. */
  readonly decisions = new Map<Topic, 'allow' | 'reject'>();
  /** Aborting it cancels the turn that runs. */
  turn: AbortController | undefined;
  readonly #store: SessionStore;
  readonly #fold = new HistoryFold();
  #head: SessionHead;
  #history: SessionUpdate[];
  #messageId = randomUUID();
  #lastKind: string | undefined;
  #writes: Promise<void> = Promise.resolve();

  private constructor(surroundings: SessionSurroundings, { head, updates }: StoredSession) {
    this.workspace = surroundings.workspace;
    this.client = surroundings.client;
    this.capabilities = surroundings.capabilities;
    this.#store = surroundings.store;
    this.#head = head;
    this.#history = [...updates];
  }

  static async create(surroundings: SessionSurroundings): Promise<DemoSession> {
    const head: SessionHead = { type: 'session', sessionId: randomUUID(), createdAt: Date.now(), settings: defaultSettings };
    await surroundings.store.create(head);
    return new DemoSession(surroundings, { head, updates: [] });
  }

  /** Sends the whole history to the client before it resolves, as `session/load` wants it. */
  static async restore(surroundings: SessionSurroundings, stored: StoredSession): Promise<DemoSession> {
    const session = new DemoSession(surroundings, stored);
    for (const update of stored.updates) await session.#notify(update);
    return session;
  }

  get id(): string {
    return this.#head.sessionId;
  }

  get settings(): Settings {
    return this.#head.settings;
  }

  get history(): readonly SessionUpdate[] {
    return this.#history;
  }

  get words(): number {
    return countWords(this.#history);
  }

  /** The last thing that the client saw is a piece of an answer, which the next piece would continue. */
  get isAnswering(): boolean {
    return this.#lastKind === 'agent_message_chunk';
  }

  /** The user's own words: kept, and not sent back, because the client has shown them already. */
  async recordPrompt(update: SessionUpdate): Promise<void> {
    this.#lastKind = update.sessionUpdate;
    await this.#keep([...this.#fold.flush(), update]);
  }

  /** Sends an update and keeps what belongs to the conversation. Chunks of one message get one `messageId`. */
  async send(update: SessionUpdate): Promise<void> {
    const identified = this.#identify(update);
    await this.#keep(this.#fold.add(identified));
    await this.#notify(identified);
  }

  /** Writes what is still open, as far as it came. At the end of each turn, however it ends. */
  async flush(): Promise<void> {
    await this.#keep(this.#fold.flush());
  }

  async changeSettings(settings: Settings): Promise<void> {
    const head = { ...this.#head, settings };
    this.#head = head;
    await this.#write(() => this.#store.saveHead(head));
  }

  /** After a change of the settings that the client did not make itself. */
  async announceSettings(): Promise<void> {
    await this.send({ sessionUpdate: 'current_mode_update', currentModeId: this.settings.modeId });
    await this.send({ sessionUpdate: 'config_option_update', configOptions: configOptions(this.settings, this.capabilities) });
  }

  async replaceHistory(updates: readonly SessionUpdate[]): Promise<void> {
    this.#history = [...updates];
    await this.#write(() => this.#store.replace({ head: this.#head, updates }));
  }

  async #keep(updates: readonly SessionUpdate[]): Promise<void> {
    if (updates.length === 0) return;
    this.#history.push(...updates);
    await this.#write(() => this.#store.append(this.id, updates));
  }

  /** One after another: the client may change a setting while a turn writes. */
  #write(operation: () => Promise<void>): Promise<void> {
    const done = this.#writes.then(operation);
    this.#writes = done.catch(() => {}); // its caller gets the error; the next write has its own chance
    return done;
  }

  #identify(update: SessionUpdate): SessionUpdate {
    const continues = update.sessionUpdate === this.#lastKind;
    this.#lastKind = update.sessionUpdate;
    if (update.sessionUpdate !== 'agent_message_chunk' && update.sessionUpdate !== 'agent_thought_chunk') return update;
    if (!continues) this.#messageId = randomUUID();
    return { ...update, messageId: this.#messageId };
  }

  #notify(update: SessionUpdate): Promise<void> {
    return this.client.notify(methods.client.session.update, { sessionId: this.id, update });
  }
}
