/** One conversation: its settings, its history on disk, and the only turn that may run in it. */
import { randomUUID } from 'node:crypto';
import { type AgentContext, type ClientCapabilities, methods, type SessionUpdate, type ToolCall } from '@agentclientprotocol/sdk/unstable';
import { configOptions, defaultSettings, type Settings } from './settings.js';
import type { SessionHead, SessionStore, StoredSession } from './store.js';
import type { Workspace } from './workspace.js';

/** What a remembered answer applies to: all edits, or one particular command. */
export type Topic = 'edit' | `run:${string}`;

/** The maximum number of words in a session; beyond it, old turns are summarized. */
export const historyLimitWords = 20_000;

interface SessionSurroundings {
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
  readonly store: SessionStore;
  readonly workspace: Workspace;
}

export class DemoSession {
  readonly workspace: Workspace;
  readonly client: AgentContext;
  readonly capabilities: ClientCapabilities;
  /** Answers with "always", for the lifetime of the process. They are not saved: a new process asks again. */
  readonly decisions = new Map<Topic, 'allow' | 'reject'>();
  /** Aborting it cancels the running turn. */
  turn: AbortController | undefined;
  /** What stops each of its sub-agents, by their ids. */
  readonly subagents = new Map<string, AbortController>();
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
    const cwd = surroundings.workspace.root;
    const head: SessionHead = { type: 'session', sessionId: randomUUID(), createdAt: Date.now(), cwd, settings: defaultSettings };
    await surroundings.store.create(head);
    return new DemoSession(surroundings, { head, updates: [] });
  }

  /** Sends the whole history to the client before it resolves, as `session/load` requires. */
  static async restore(surroundings: SessionSurroundings, stored: StoredSession): Promise<DemoSession> {
    const session = new DemoSession(surroundings, stored);
    for (const update of stored.updates) await session.#notify(update);
    return session;
  }

  /** Creates the session of a sub-agent, which works where this one does, and is not saved. */
  subagent(stopped: AbortController): DemoSession {
    const head = { ...this.#head, sessionId: randomUUID() };
    const store = { ...this.#store, keeps: false, append: async () => {}, saveHead: async () => {}, replace: async () => {} };
    const { client, capabilities, workspace } = this;
    this.subagents.set(head.sessionId, stopped);
    return new DemoSession({ client, capabilities, workspace, store }, { head, updates: [] });
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

  /** Whether the client last saw a part of an answer, which the next part would continue. */
  get isAnswering(): boolean {
    return this.#lastKind === 'agent_message_chunk';
  }

  /** Saves the user's message, but does not send it, because the client already shows it. */
  async recordPrompt(update: SessionUpdate): Promise<void> {
    this.#lastKind = update.sessionUpdate;
    await this.#keep([...this.#fold.flush(), update]);
  }

  /** Sends an update, and saves it if it belongs to the conversation. Chunks of one message get one `messageId`. */
  async send(update: SessionUpdate): Promise<void> {
    const identified = this.#identify(update);
    await this.#keep(this.#fold.add(identified));
    await this.#notify(identified);
  }

  /** Saves what is still open, as far as it has arrived. Call this at the end of each turn, however it ends. */
  async flush(): Promise<void> {
    await this.#keep(this.#fold.flush());
  }

  async changeSettings(settings: Settings): Promise<void> {
    const head = { ...this.#head, settings };
    this.#head = head;
    await this.#write(() => this.#store.saveHead(head));
  }

  /** Call this after a change of the settings that the client did not make itself. */
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

  /** Runs one operation after another, because the client may change a setting while a turn writes. */
  #write(operation: () => Promise<void>): Promise<void> {
    const done = this.#writes.then(operation);
    this.#writes = done.catch(() => {}); // the caller gets the error; the next write is independent of it
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

// The part of a session that is saved: the conversation as a list of updates that can be sent again.

type MessageChunk = Extract<SessionUpdate, { sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk' }>;

/**
 * Reduces the stream of updates: adjacent chunks of one message become one, and a tool call becomes its last state. Leaves out temporary
 * updates (usage, notices, commands, options, compaction), which are sent anew.
 */
class HistoryFold {
  readonly #openTools = new Map<string, ToolCall>();
  #text: MessageChunk | undefined;

  /** Takes an update and returns those that are complete, in order. */
  add(update: SessionUpdate): readonly SessionUpdate[] {
    switch (update.sessionUpdate) {
      case 'user_message_chunk':
      case 'agent_message_chunk':
      case 'agent_thought_chunk':
        return this.#addChunk(update);
      case 'tool_call':
        this.#openTools.set(update.toolCallId, update);
        return this.#takeText();
      case 'tool_call_update':
        return this.#addToolUpdate(update);
      case 'plan':
      case 'session_info_update':
        return [...this.#takeText(), update];
      default:
        return [];
    }
  }

  /** Returns what is still open, as far as it has arrived. */
  flush(): readonly SessionUpdate[] {
    const tools = [...this.#openTools.values()].map((call): SessionUpdate => ({ sessionUpdate: 'tool_call', ...call }));
    this.#openTools.clear();
    return [...this.#takeText(), ...tools];
  }

  #addChunk(chunk: MessageChunk): readonly SessionUpdate[] {
    const open = this.#text;
    if (
      open &&
      open.messageId === chunk.messageId &&
      open.sessionUpdate === chunk.sessionUpdate &&
      open.content.type === 'text' &&
      chunk.content.type === 'text'
    ) {
      this.#text = { ...open, content: { type: 'text', text: open.content.text + chunk.content.text } };
      return [];
    }
    const done = this.#takeText();
    this.#text = chunk;
    return done;
  }

  #addToolUpdate(update: Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>): readonly SessionUpdate[] {
    const open = this.#openTools.get(update.toolCallId);
    if (!open) return [];
    const { sessionUpdate: _, ...patch } = update;
    const present = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined && value !== null));
    const merged: ToolCall = { ...open, ...present };
    if (merged.status !== 'completed' && merged.status !== 'failed') {
      this.#openTools.set(update.toolCallId, merged);
      return [];
    }
    this.#openTools.delete(update.toolCallId);
    return [...this.#takeText(), { sessionUpdate: 'tool_call', ...merged }];
  }

  #takeText(): readonly SessionUpdate[] {
    const text = this.#text;
    this.#text = undefined;
    return text ? [text] : [];
  }
}

/** Counts the words of the conversation, the only measure of the context for an agent without a model. */
function countWords(updates: readonly SessionUpdate[]): number {
  return updates.reduce((sum, update) => sum + wordsIn(textOf(update)), 0);
}

function textOf(update: SessionUpdate): string {
  switch (update.sessionUpdate) {
    case 'user_message_chunk':
    case 'agent_message_chunk':
    case 'agent_thought_chunk':
      return update.content.type === 'text' ? update.content.text : '';
    case 'tool_call':
      return (update.content ?? [])
        .map((part) => (part.type === 'content' && part.content.type === 'text' ? part.content.text : ''))
        .join(' ');
    default:
      return '';
  }
}

function wordsIn(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
