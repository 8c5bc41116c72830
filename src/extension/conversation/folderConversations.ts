import { type Disposable, DisposableStore, Emitter } from '../../core/index.js';
import type { Conversation } from './conversation.js';
import type { Folder } from './ports.js';

/** One conversation per folder of the window; one of them is on screen. */
export class Conversations implements Disposable {
  readonly #create: (folder: Folder) => Conversation;
  readonly #onChange = new Emitter<void>();
  readonly #store = new DisposableStore();
  readonly #byPath = new Map<string, { readonly folder: Folder; readonly conversation: Conversation }>();
  #currentPath: string | undefined;

  /** @param create called once per folder, when it is first on screen */
  constructor(create: (folder: Folder) => Conversation) {
    this.#create = create;
    this.#store.add(this.#onChange);
  }

  /** Another conversation came on screen, or one of them changed. */
  readonly onChange = this.#onChange.event;

  /** Absent while no folder is open. */
  get current(): { readonly folder: Folder; readonly conversation: Conversation } | undefined {
    return this.#currentPath === undefined ? undefined : this.#byPath.get(this.#currentPath);
  }

  get all(): readonly { readonly folder: Folder; readonly conversation: Conversation }[] {
    return [...this.#byPath.values()];
  }

  /** Brings the folder's conversation on screen. */
  show(folder: Folder): Conversation {
    let entry = this.#byPath.get(folder.path);
    if (entry === undefined) {
      const conversation = this.#create(folder);
      entry = { folder, conversation };
      this.#byPath.set(folder.path, entry);
      this.#store.add(conversation.onChange(() => this.#onChange.fire()));
    }
    this.#currentPath = folder.path;
    this.#onChange.fire();
    return entry.conversation;
  }

  /** The folder was closed: its agent is ended well. */
  async close(path: string): Promise<void> {
    const entry = this.#byPath.get(path);
    this.#byPath.delete(path);
    if (this.#currentPath === path) this.#currentPath = undefined;
    this.#onChange.fire();
    await entry?.conversation.end();
  }

  /** Ends every agent well. */
  async end(): Promise<void> {
    await Promise.all(this.all.map(({ conversation }) => conversation.end()));
    this.dispose();
  }

  dispose(): void {
    for (const { conversation } of this.all) conversation.dispose();
    this.#store.dispose();
  }
}
