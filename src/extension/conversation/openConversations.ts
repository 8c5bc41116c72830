import {
  connectDirectly,
  type ConversationClient,
  type ConversationListCommand,
  type ConversationListEntry,
  type Conversations,
  type Disposable,
  Emitter,
  HostError,
  isRefusal,
  type SessionKey,
} from '../../core/index.js';
import type { Folder } from '../window/folders.js';

/** A conversation that is open in this window: visible, or running in the background. */
export interface OpenConversation {
  readonly id: string;
  readonly folder: Folder;
  readonly conversation: ConversationClient;
}

export interface OpenOptions {
  /** A new conversation if absent. */
  readonly id?: string;
  /** The user's choice if absent. */
  readonly agentId?: string | undefined;
}

/**
 * The open conversations of a window, any number per folder. One of them is in the chat view, any number are in their own tabs, and the
 * others run in the background.
 */
export class OpenConversations implements Disposable {
  readonly #conversations: Conversations;
  readonly #onChange = new Emitter<void>();
  readonly #onShown = new Emitter<void>();
  readonly #onCurrent = new Emitter<void>();
  readonly #onClosed = new Emitter<OpenConversation>();
  readonly #byId = new Map<string, OpenConversation>();
  readonly #deleted = new Set<string>();
  #shownId: string | undefined;
  #activeId: string | undefined;

  readonly #folderAt: (path: string) => Folder;

  /**
   * @param conversations owned by this object from now on
   * @param folderAt returns the folder of the window with this path
   */
  constructor(conversations: Conversations, folderAt: (path: string) => Folder) {
    this.#conversations = conversations;
    this.#folderAt = folderAt;
  }

  /** Fires when a conversation changed, was opened or was closed, or when another one became the current one. */
  readonly onChange = this.#onChange.event;

  /** Fires when the chat view shows another conversation. */
  readonly onShown = this.#onShown.event;

  /** Fires when commands apply to another conversation. */
  readonly onCurrent = this.#onCurrent.event;

  readonly onClosed = this.#onClosed.event;

  /** The conversation in the chat view; undefined while no folder is open. */
  get shown(): OpenConversation | undefined {
    return this.get(this.#shownId);
  }

  /** The conversation that commands apply to: that of the active tab, else the one in the chat view. */
  get current(): OpenConversation | undefined {
    return this.get(this.#activeId) ?? this.shown;
  }

  /** The id of the conversation in the active tab; undefined if no tab is active. */
  get activeId(): string | undefined {
    return this.#activeId;
  }

  /** In the order in which they were opened. */
  get all(): readonly OpenConversation[] {
    return [...this.#byId.values()];
  }

  get(id: string | undefined): OpenConversation | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** Opens a conversation, or returns the open one with this id. Starts nothing. */
  open(folder: Folder, { id, agentId }: OpenOptions = {}): OpenConversation {
    const known = this.get(id);
    if (known !== undefined) return known;
    const conversation = connectDirectly(this.#conversations.open({ cwd: folder.path, agentId, ...(id === undefined ? {} : { id }) }));
    const entry: OpenConversation = { id: conversation.state.id, folder, conversation };
    this.#byId.set(entry.id, entry);
    conversation.onChange(() => this.#onChange.fire());
    this.#onChange.fire();
    return entry;
  }

  /** Every conversation in the folders of the window, open or saved. In no particular order. */
  get list(): readonly ConversationListEntry[] {
    return this.#conversations.state.conversations;
  }

  /** Returns the row of the conversation in the list, if it has one. */
  listed(id: string): ConversationListEntry | undefined {
    return this.list.find((one) => one.id === id);
  }

  /**
   * Adds the saved conversations of these folders to the list. Resolves when they are listed.
   * @param paths absolute
   */
  listFolders(paths: readonly string[]): Promise<void> {
    return this.#conversations.listFolders(paths);
  }

  onListChange(listener: () => void): Disposable {
    return this.#conversations.onBatch(() => listener());
  }

  /**
   * Opens a conversation of the list; starts nothing.
   * @returns undefined if there is no such conversation
   */
  openListed(id: string): OpenConversation | undefined {
    const cwd = this.listed(id)?.cwd;
    return this.get(id) ?? (cwd === undefined ? undefined : this.open(this.#folderAt(cwd), { id }));
  }

  /**
   * Opens a session of an agent in the conversation that already has it, or in a new one. Starts nothing.
   * @throws HostError why it could not be opened
   */
  async openSession(folder: Folder, key: SessionKey): Promise<OpenConversation> {
    const result = await this.#conversations.execute({ type: 'create', cwd: folder.path, agentId: key.agentId, key });
    if (!result.ok) throw HostError.from(result.error);
    const [id] = result.ids ?? [];
    return this.open(folder, id === undefined ? {} : { id });
  }

  /**
   * Changes a conversation of the list. It is not an error if the conversation no longer exists.
   * @throws HostError why it could not be changed
   */
  async change(command: ConversationListCommand): Promise<void> {
    const result = await this.#conversations.execute(command);
    if (!result.ok && !isRefusal(result.error)) throw HostError.from(result.error);
    if (command.type === 'delete') this.#deleted.add(command.id);
    if (command.type === 'restore') this.#deleted.delete(command.id);
  }

  /** Whether the user deleted the conversation in this window, and did not undo that. */
  isDeleted(id: string): boolean {
    return this.#deleted.has(id);
  }

  /**
   * Removes the conversation from the list and ends its work. It can be restored as long as the window is open.
   * @throws HostError like `change`
   */
  async delete(id: string): Promise<void> {
    await this.change({ type: 'delete', id });
    await this.close(id);
  }

  /** Shows the conversation in the chat view. The previous one continues to run. */
  show({ id }: OpenConversation): void {
    if (this.#shownId === id) return;
    this.#shownId = id;
    this.#onShown.fire();
    this.#onCurrent.fire();
    this.#onChange.fire();
  }

  /**
   * Call this when the user activated a tab.
   * @param id undefined if the user went to the chat view or left the tabs
   */
  activate(id: string | undefined): void {
    if (this.#activeId === id) return;
    this.#activeId = id;
    this.#onCurrent.fire();
    this.#onChange.fire();
  }

  /** Ends the work of the conversation; its content stays saved. Its agent ends gracefully, unless other conversations share it. */
  async close(id: string): Promise<void> {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    const wasCurrent = entry === this.current;
    this.#byId.delete(id);
    if (this.#activeId === id) this.#activeId = undefined;
    if (this.#shownId === id) {
      this.#shownId = undefined;
      this.#onShown.fire();
    }
    entry.conversation.dispose();
    this.#onClosed.fire(entry);
    if (wasCurrent) this.#onCurrent.fire();
    this.#onChange.fire();
    await this.#conversations.close(id);
  }

  /** Call this when a folder was closed. */
  async closeFolder(path: string): Promise<void> {
    await Promise.all(this.all.filter(({ folder }) => folder.path === path).map(({ id }) => this.close(id)));
  }

  /** Ends every agent gracefully. */
  async end(): Promise<void> {
    await this.#conversations.end();
    this.dispose();
  }

  dispose(): void {
    for (const { conversation } of this.all) conversation.dispose();
    this.#conversations.dispose();
    this.#onChange.dispose();
    this.#onShown.dispose();
    this.#onCurrent.dispose();
    this.#onClosed.dispose();
  }
}
