import { connectDirectly, type ConversationClient, type Conversations, type Disposable, Emitter } from '../../core/index.js';
import type { Folder } from '../window/folders.js';

export interface FolderConversation {
  readonly folder: Folder;
  readonly conversation: ConversationClient;
}

/** One conversation per folder of the window, with the folder's path as its id; one of them is on screen. */
export class FolderConversations implements Disposable {
  readonly #conversations: Conversations;
  readonly #onChange = new Emitter<void>();
  readonly #byPath = new Map<string, FolderConversation>();
  #currentPath: string | undefined;

  /** @param conversations owned from here on */
  constructor(conversations: Conversations) {
    this.#conversations = conversations;
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
    this.#onChange.fire();
    return conversation;
  }

  /** The folder was closed: its agent ends gracefully. */
  async close(path: string): Promise<void> {
    this.#byPath.get(path)?.conversation.dispose();
    this.#byPath.delete(path);
    if (this.#currentPath === path) this.#currentPath = undefined;
    this.#onChange.fire();
    await this.#conversations.close(path);
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
    const conversation = connectDirectly(this.#conversations.open({ cwd: folder.path, id: folder.path }));
    const entry = { folder, conversation };
    this.#byPath.set(folder.path, entry);
    conversation.onChange(() => this.#onChange.fire());
    return entry;
  }
}
