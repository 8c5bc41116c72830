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

/** A conversation that this window has open: it is on screen, or goes on in the background. */
export interface OpenConversation {
  readonly id: string;
  readonly folder: Folder;
  readonly conversation: ConversationClient;
}

export interface OpenOptions {
  /** Absent: a new conversation. */
  readonly id?: string;
  /** Absent: the user's choice. */
  readonly agentId?: string | undefined;
}

/**
 * The open conversations of a window, any number per folder. One of them is in the chat view, any number are in tabs of their own, and the
 * others go on without being seen.
 */
export class OpenConversations implements Disposable {
  readonly #conversations: Conversations;
  readonly #onChange = new Emitter<void>();
  readonly #onShown = new Emitter<void>();
  readonly #onCurrent = new Emitter<void>();
  readonly #onClosed = new Emitter<OpenConversation>();
  readonly #byId = new Map<string, OpenConversation>();
  #shownId: string | undefined;
  #activeId: string | undefined;

  readonly #folderAt: (path: string) => Folder;

  /** @param conversations owned from here on @param folderAt the folder of the window with this path */
  constructor(conversations: Conversations, folderAt: (path: string) => Folder) {
    this.#conversations = conversations;
    this.#folderAt = folderAt;
  }

  /** One of them changed, was opened or closed, or another one is the current one. */
  readonly onChange = this.#onChange.event;

  /** Another conversation is in the chat view. */
  readonly onShown = this.#onShown.event;

  /** Commands are about another conversation. */
  readonly onCurrent = this.#onCurrent.event;

  readonly onClosed = this.#onClosed.event;

  /** In the chat view. Absent while no folder is open. */
  get shown(): OpenConversation | undefined {
    return this.get(this.#shownId);
  }

  /** The one that commands are about: that of the tab in which the user works, else the one in the chat view. */
  get current(): OpenConversation | undefined {
    return this.get(this.#activeId) ?? this.shown;
  }

  /** Of the tab in which the user works; undefined: the user works in the chat view. */
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

  /** Starts nothing. @returns the one that there is where the id is known */
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

  /** All that the folders of the window have, open or saved. In no order. */
  get list(): readonly ConversationListEntry[] {
    return this.#conversations.state.conversations;
  }

  /** Its row in the list, where it has one. */
  listed(id: string): ConversationListEntry | undefined {
    return this.list.find((one) => one.id === id);
  }

  /** From now on the saved conversations of these folders are listed, too. Resolves when they are. @param paths absolute */
  listFolders(paths: readonly string[]): Promise<void> {
    return this.#conversations.listFolders(paths);
  }

  onListChange(listener: () => void): Disposable {
    return this.#conversations.onBatch(() => listener());
  }

  /** Opens one of the list; starts nothing. @returns undefined where there is no such conversation */
  openListed(id: string): OpenConversation | undefined {
    const cwd = this.listed(id)?.cwd;
    return this.get(id) ?? (cwd === undefined ? undefined : this.open(this.#folderAt(cwd), { id }));
  }

  /** Opens a session of an agent: the conversation that is at it, or a new one. Starts nothing. @throws HostError whatever prevents it */
  async openSession(folder: Folder, key: SessionKey): Promise<OpenConversation> {
    const result = await this.#conversations.execute({ type: 'create', cwd: folder.path, agentId: key.agentId, key });
    if (!result.ok) throw HostError.from(result.error);
    const [id] = result.ids ?? [];
    return this.open(folder, id === undefined ? {} : { id });
  }

  /** Changes one of the list. One that is gone meanwhile is no error. @throws HostError whatever prevents it */
  async change(command: ConversationListCommand): Promise<void> {
    const result = await this.#conversations.execute(command);
    if (!result.ok && !isRefusal(result.error)) throw HostError.from(result.error);
  }

  /** Takes it out of the list; what it does ends. It can be brought back as long as the window is open. @throws as `change` */
  async delete(id: string): Promise<void> {
    await this.change({ type: 'delete', id });
    await this.close(id);
  }

  /** Brings it into the chat view. The one that was there goes on. */
  show({ id }: OpenConversation): void {
    if (this.#shownId === id) return;
    this.#shownId = id;
    this.#onShown.fire();
    this.#onCurrent.fire();
    this.#onChange.fire();
  }

  /** The user came to its tab. @param id absent: the user came to the chat view, or left the tabs */
  activate(id: string | undefined): void {
    if (this.#activeId === id) return;
    this.#activeId = id;
    this.#onCurrent.fire();
    this.#onChange.fire();
  }

  /** What it does ends; what was said stays. Its agent ends gracefully, unless other conversations share it. */
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

  /** The folder was closed. */
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
