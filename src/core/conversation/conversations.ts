import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import { toHostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import { realFolderPath } from '../node/smallFiles.js';
import { AgentPool } from './agentPool.js';
import { AgentSessions } from './agentSessions.js';
import { type CommandResult, done, refuse } from './commands.js';
import { ConversationController } from './conversationController.js';
import {
  type ConversationListCommand,
  type ConversationListEntry,
  type ConversationListEvent,
  type ConversationListState,
  type OpenFacts,
  reduceList,
  toOpenEntry,
  toSavedEntry,
} from './conversationList.js';
import type { Batch } from './events.js';
import type { ConversationLibrary, ConversationPorts, SavedChange } from './ports.js';
import type { SessionKey } from './state.js';

export interface OpenOptions {
  /** Absolute. */
  readonly cwd: string;
  /** The ID under which the ports saved it; absent for a new one. */
  readonly id?: string;
  /** If absent, the agent that the user chose is used. */
  readonly agentId?: string | undefined;
  /** The session with which a new conversation begins: one that the agent has, and no conversation. */
  readonly session?: SessionKey | undefined;
}

interface Entry extends Omit<OpenFacts, 'state'> {
  readonly conversation: ConversationController;
  readonly watching: Disposable;
}

/**
 * Any number of conversations. Conversations of the same folder, agent and environment share the agent's process. With a library, the saved
 * ones are listed, too.
 */
export class Conversations implements Disposable {
  readonly #portsFor: (id: string, cwd: string) => ConversationPorts;
  readonly #library: ConversationLibrary | undefined;
  readonly #watching = new DisposableStore();
  readonly #pool = new AgentPool();
  /** The sessions of agents that are no conversations. */
  readonly agentSessions = new AgentSessions({
    pool: this.#pool,
    find: (session) => this.find(session),
    isOpen: (session) => this.all.some((one) => one.isAt(session)),
  });
  readonly #entries = new Map<string, Entry>();
  /** The conversations that are being closed. One that is opened again continues when its predecessor has ended. */
  readonly #closing = new Map<string, Promise<void>>();
  readonly #onBatch = new Emitter<Batch<ConversationListEvent>>();
  readonly #onConversation = new Emitter<ConversationController>();
  readonly #onClosed = new Emitter<ConversationController>();
  #state: ConversationListState = { revision: 0, conversations: [] };

  /** @param portsFor called once per conversation @param library its creator disposes it after this object */
  constructor(portsFor: (id: string, cwd: string) => ConversationPorts, library?: ConversationLibrary) {
    this.#portsFor = portsFor;
    this.#library = library;
    if (library === undefined) return;
    this.#watching.add(library.onChange((id) => (id === undefined ? this.#list() : this.#update(id))));
  }

  readonly onBatch = this.#onBatch.event;

  /** Fires when more than what the agent says changed in an open conversation. */
  readonly onConversation = this.#onConversation.event;

  /** Fires when a conversation was deleted, and when one has ended. */
  readonly onClosed = this.#onClosed.event;

  /** In the order in which they were opened. */
  get all(): readonly ConversationController[] {
    return [...this.#entries.values()].map(({ conversation }) => conversation);
  }

  get state(): ConversationListState {
    return this.#state;
  }

  get(id: string): ConversationController | undefined {
    return this.#entries.get(id)?.conversation;
  }

  /** Whether it was deleted, and not restored since. */
  isDeleted(id: string): boolean {
    return this.#library?.isDeleted(id) === true;
  }

  /** Lists the saved conversations, too. Resolves when they are listed. */
  async load(): Promise<void> {
    await this.#library?.load();
    this.#list();
  }

  /** Starts to restore the conversation; starts no agent. @returns the existing conversation if the ID is known */
  open({ cwd, id = randomUUID(), agentId, session }: OpenOptions): ConversationController {
    const known = this.get(id);
    if (known !== undefined) return known;
    const predecessor = this.#closing.get(id);
    const ports = this.#portsFor(id, cwd);
    const conversation = new ConversationController({ id, cwd, agentId, session, ports, pool: this.#pool, predecessor });
    const watching = conversation.onBatch(({ isSpeech }) => {
      if (isSpeech) return;
      this.#update(id);
      this.#onConversation.fire(conversation);
    });
    this.#entries.set(id, { conversation, folder: realFolderPath(cwd), watching, openedAt: Date.now() });
    this.#update(id);
    // Whoever sends it a command learns why it failed.
    void conversation.restore().catch(() => {});
    return conversation;
  }

  /** The id of the conversation that is at this session, or continued from it. */
  find(session: SessionKey): string | undefined {
    return this.all.findLast((one) => one.isAt(session))?.id ?? this.#library?.find(session)?.id;
  }

  /**
   * Closes a conversation and ends its agent gracefully, unless others share the agent. A saved conversation stays in the list.
   * @returns false if there is no such conversation
   */
  async close(id: string): Promise<boolean> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return false;
    const { conversation, watching } = entry;
    this.#entries.delete(id);
    watching.dispose();
    const closing = conversation.end();
    this.#closing.set(id, closing);
    this.#update(id);
    // Nobody sees the end of a deleted one.
    if (this.isDeleted(id)) this.#onClosed.fire(conversation);
    try {
      await closing;
    } finally {
      if (this.#closing.get(id) === closing) this.#closing.delete(id);
      this.#onClosed.fire(conversation);
    }
    return true;
  }

  /** Never rejects. */
  async execute(command: ConversationListCommand): Promise<CommandResult> {
    try {
      return await this.#execute(command);
    } catch (error) {
      return { ok: false, error: toHostError(error).toData() };
    }
  }

  /** Marks a listed conversation as one with something that the user has not seen, or not any more. */
  mark(id: string, { isUnread }: Pick<ConversationListEntry, 'isUnread'>): void {
    const listed = this.state.conversations.find((one) => one.id === id);
    if (listed !== undefined && listed.isUnread !== isUnread) this.#change(id, { isUnread });
  }

  /** Ends every agent gracefully. */
  async end(): Promise<void> {
    await Promise.all([this.agentSessions.end(), ...[...this.#entries.keys()].map((id) => this.close(id))]);
    await this.#pool.settled();
    // A deleted conversation is removed only when nothing writes to it any more.
    await Promise.all(this.#closing.values());
    await this.#library?.end();
    this.dispose();
  }

  dispose(): void {
    for (const { conversation, watching } of this.#entries.values()) {
      watching.dispose();
      conversation.dispose();
    }
    this.#entries.clear();
    this.#watching.dispose();
    this.agentSessions.dispose();
    this.#pool.dispose();
    this.#onBatch.dispose();
    this.#onConversation.dispose();
    this.#onClosed.dispose();
  }

  async #execute(command: ConversationListCommand): Promise<CommandResult> {
    switch (command.type) {
      case 'rename':
        if (command.title !== '') this.get(command.id)?.tellTitle(command.title);
        return this.#change(command.id, { title: command.title === '' ? undefined : command.title });
      case 'pin':
        return this.#change(command.id, { isPinned: command.isPinned });
      case 'archive':
        return this.#change(command.id, { isArchived: command.isArchived });
      case 'leave_out_open_file':
        return this.#change(command.id, { leavesOutOpenFile: command.leavesOut });
      case 'branch':
        return this.#branch(command.id, command.turnId);
      case 'delete':
        return this.#delete(command.id);
      case 'restore':
        return this.#library?.restore(command.id) === true ? done : refuse('conversation_unknown');
    }
  }

  async #branch(of: string, turnId: string): Promise<CommandResult> {
    const conversation = this.get(of);
    if (conversation === undefined || this.#library === undefined) return refuse('conversation_unknown');
    if (conversation.promptOf(turnId) === undefined) return refuse('turn_unknown');
    const id = randomUUID();
    await this.#library.branch({ id, cwd: conversation.state.cwd, of, turnId, fork: conversation.forkPointOf(turnId) });
    return { ok: true, ids: [id] };
  }

  #change(id: string, change: SavedChange): CommandResult {
    // As this engine knows it, or as it is saved.
    const { cwd } = this.#state.conversations.find((one) => one.id === id) ?? this.#library?.get(id) ?? {};
    if (cwd === undefined || this.#library === undefined) return refuse('conversation_unknown');
    this.#library.change(id, cwd, change);
    return done;
  }

  async #delete(id: string): Promise<CommandResult> {
    const wasDeleted = this.#library?.delete(id) === true;
    const wasOpen = await this.close(id);
    return wasDeleted || wasOpen ? { ok: true, ids: [id] } : refuse('conversation_unknown');
  }

  #entryOf(id: string): ConversationListEntry | undefined {
    const saved = this.#library?.get(id);
    const open = this.#entries.get(id);
    if (open !== undefined) return toOpenEntry({ ...open, state: open.conversation.state }, saved);
    return saved && toSavedEntry(saved);
  }

  #update(id: string): void {
    const before = this.#state.conversations.find((one) => one.id === id);
    this.#fire(eventFor(id, before, this.#entryOf(id)));
  }

  /** Publishes changes among the saved conversations. */
  #list(): void {
    const before = new Map(this.#state.conversations.map((one) => [one.id, one]));
    const saved = this.#library?.listed ?? [];
    const now = new Set([...saved.map(({ id }) => id), ...this.#entries.keys()]);
    const removed = [...before.keys()].filter((id) => !now.has(id)).map((id) => ({ type: 'removed', id }) as const);
    this.#fire([...removed, ...[...now].flatMap((id) => eventFor(id, before.get(id), this.#entryOf(id)))]);
  }

  #fire(events: readonly ConversationListEvent[]): void {
    if (events.length === 0) return;
    const batch = { revision: this.#state.revision + 1, events };
    this.#state = reduceList(this.#state, batch);
    this.#onBatch.fire(batch);
  }
}

function eventFor(
  id: string,
  before: ConversationListEntry | undefined,
  conversation: ConversationListEntry | undefined,
): readonly ConversationListEvent[] {
  if (conversation === undefined) return before === undefined ? [] : [{ type: 'removed', id }];
  if (before === undefined) return [{ type: 'added', conversation }];
  return isDeepStrictEqual(before, conversation) ? [] : [{ type: 'changed', conversation }];
}
