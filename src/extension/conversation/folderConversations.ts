import { connectDirectly, type ConversationClient, type Conversations, type Disposable, Emitter } from '../../core/index.js';
import type { Folder } from '../window/folders.js';

export interface FolderConversation {
  readonly folder: Folder;
  readonly conversation: ConversationClient;
}

/** Which conversation was on screen in a folder. */
export interface ShownMemory {
  shownIn(folderPath: string): string | undefined;
  show(folderPath: string, id: string): void;
}

/** One conversation per folder of the window; one of them is on screen. */
export class FolderConversations implements Disposable {
  readonly #conversations: Conversations;
  readonly #memory: ShownMemory;
  readonly #onChange = new Emitter<void>();
  readonly #byPath = new Map<string, FolderConversation>();
  #currentPath: string | undefined;

  /** @param conversations owned from here on */
  constructor(conversations: Conversations, memory: ShownMemory) {
    this.#conversations = conversations;
    this.#memory = memory;
  }

  /** Another conversation came on screen, or one of them changed. */
  readonly onChange = this.#onChange.event;

  /** Absent while no folder is open. */
  get current(): FolderConversation | undefined {
    return this.#currentPath === undefined ? undefined : this.#byPath.get(this.#currentPath);
  }

  get all(): readonly FolderConversation[] {
    return [...this.#byPath.values()];
  }

  /** Brings the folder's conversation on screen. Starts nothing. */
  show(folder: Folder): ConversationClient {
    const { conversation } = this.#byPath.get(folder.path) ?? this.#open(folder);
    this.#currentPath = folder.path;
    this.#memory.show(folder.path, conversation.state.id);
    this.#onChange.fire();
    return conversation;
  }

  /** The folder was closed: its agent ends gracefully. */
  async close(path: string): Promise<void> {
    const entry = this.#byPath.get(path);
    this.#byPath.delete(path);
    if (this.#currentPath === path) this.#currentPath = undefined;
    this.#onChange.fire();
    entry?.conversation.dispose();
    if (entry !== undefined) await this.#conversations.close(entry.conversation.state.id);
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
  }

  #open(folder: Folder): FolderConversation {
    const id = this.#memory.shownIn(folder.path);
    const conversation = connectDirectly(this.#conversations.open({ cwd: folder.path, ...(id !== undefined && { id }) }));
    const entry = { folder, conversation };
    this.#byPath.set(folder.path, entry);
    conversation.onChange(() => this.#onChange.fire());
    return entry;
  }
}
