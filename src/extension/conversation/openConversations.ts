import { basename } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Folder } from '../window/workspace.js';
import {
  type ConversationClient,
  type ConversationCommand,
  type ConversationEvent,
  type ConversationListCommand,
  type ConversationListEntry,
  type ConversationListEvent,
  type ConversationState,
  type Disposable,
  DisposableStore,
  Emitter,
  type EngineClient,
  HostError,
  isAtRest,
  isRefusal,
  onlySpeak,
  realFolderPath,
  type SessionKey,
  runsTurn,
} from '../../core/index.js';
import type { WindowMemory } from '../window/windowMemory.js';

/** A conversation that is open in this window: visible, or running in the background. */
export interface OpenConversation {
  readonly id: string;
  readonly folder: Folder;
  readonly conversation: ConversationClient;
}

interface OpenOptions {
  /** A new conversation if absent. */
  readonly id?: string;
  /** The user's choice if absent. */
  readonly agentId?: string | undefined;
  /** The agent's session with which a new conversation begins. */
  readonly session?: SessionKey;
}

/** What a window shows of the list, with the state of the list and the folders for which that is so. */
interface ListedHere {
  readonly all: readonly ConversationListEntry[];
  readonly folders: string;
  readonly here: readonly ConversationListEntry[];
}

interface ConversationChange {
  readonly state: ConversationClient['state'];
  readonly events: readonly ConversationEvent[] | undefined;
}

function isActive(entry: ConversationListEntry): boolean {
  return runsTurn(entry) || entry.activity === 'opening';
}

/**
 * The conversations of the engine that are open in this window, any number per folder. One of them is in the chat view, any number are in
 * their own tabs, and the others run in the background.
 */
export class OpenConversations implements Disposable {
  readonly #engine: EngineClient;
  readonly #folders: () => readonly Folder[];
  readonly #owned = new DisposableStore();
  readonly #onChange = this.#owned.add(new Emitter<void>());
  readonly #onEvents = this.#owned.add(new Emitter<ConversationChange>());
  readonly #onListChange = this.#owned.add(new Emitter<void>());
  readonly #onShown = this.#owned.add(new Emitter<void>());
  readonly #onCurrent = this.#owned.add(new Emitter<void>());
  readonly #onClosed = this.#owned.add(new Emitter<OpenConversation>());
  readonly #byId = new Map<string, OpenConversation>();
  /** Those that were deleted, in any window, and not restored since. */
  readonly #deleted = new Set<string>();
  #listed: ListedHere | undefined;
  #shownId: string | undefined;
  #activeId: string | undefined;

  /** @param folders returns those of the window */
  constructor(engine: EngineClient, folders: () => readonly Folder[]) {
    this.#engine = engine;
    this.#folders = folders;
    this.#owned.add(engine.list.onChange(({ events }) => this.#onList(events)));
    this.#owned.add(engine.onClosed((id) => this.#onDeleted(id)));
  }

  /**
   * Fires when more than what its agent says changed in a conversation, when one was opened or closed, or when another one became the current
   * one.
   */
  readonly onChange = this.#onChange.event;

  /** Fires with what happened in a conversation; `events` is undefined if the state is known anew. */
  readonly onEvents = this.#onEvents.event;

  readonly onListChange = this.#onListChange.event;

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

  /** Opens a conversation, or returns the open one with this id. Its state arrives a moment later. Starts nothing. */
  open(folder: Folder, options: OpenOptions = {}): OpenConversation {
    const known = this.get(options.id);
    if (known !== undefined) return known;
    const entry = this.#open(folder, options);
    // The engine may have it open since before the user installed an agent or changed the settings.
    void entry.conversation.execute({ type: 'refresh_agent' });
    return entry;
  }

  /** Every conversation in the folders of the window, open or saved, and everything that is open here. In no particular order. */
  get list(): readonly ConversationListEntry[] {
    const all = this.#engine.list.state.conversations;
    const own = this.#folders();
    const folders = own.map(({ path }) => path).join('\n');
    if (this.#listed?.all !== all || this.#listed.folders !== folders) {
      const paths = new Map(own.map(({ path }) => [realFolderPath(path), path]));
      const here = all.flatMap((entry) => {
        const cwd = paths.get(entry.folder) ?? this.get(entry.id)?.folder.path;
        return cwd === undefined ? [] : [cwd === entry.cwd ? entry : { ...entry, cwd }];
      });
      this.#listed = { all, folders, here };
    }
    return this.#listed.here;
  }

  /** Returns the row of the conversation in the list, if it has one. */
  listed(id: string): ConversationListEntry | undefined {
    return this.list.find((one) => one.id === id);
  }

  /** Returns the folder of a conversation that exists, but not in a folder of the window. Absolute. */
  folderElsewhere(id: string): string | undefined {
    return this.listed(id) === undefined ? this.#engine.list.state.conversations.find((one) => one.id === id)?.cwd : undefined;
  }

  /**
   * Opens a conversation of the list; starts nothing.
   * @returns undefined if there is no such conversation
   */
  openListed(id: string): OpenConversation | undefined {
    const cwd = this.listed(id)?.cwd;
    return this.get(id) ?? (cwd === undefined ? undefined : this.open(this.folderAt(cwd), { id }));
  }

  /** Waits for what was saved. @returns false if the conversation is closed before */
  whenRestored({ id, conversation }: OpenConversation): Promise<boolean> {
    if (conversation.state.isRestored) return Promise.resolve(true);
    return new Promise((resolve) => {
      const watching = new DisposableStore();
      const end = (isRestored: boolean): void => {
        watching.dispose();
        resolve(isRestored);
      };
      watching.add(conversation.onChange(({ state }) => state.isRestored && end(true)));
      watching.add(this.onClosed((closed) => closed.id === id && end(false)));
    });
  }

  /** Opens what runs in the folders of the window, so that the window shows its requests. Call this when the folders changed. */
  openRunning(): void {
    for (const entry of this.list) {
      const { id, cwd } = entry;
      if (isActive(entry) && !this.#byId.has(id) && !this.#deleted.has(id)) this.#open(this.folderAt(cwd), { id });
    }
  }

  /** @param path absolute */
  folderAt(path: string): Folder {
    return this.#folders().find((one) => one.path === path) ?? { path, name: basename(path) };
  }

  /** Whether the agent runs for a conversation of the folder. */
  hasAgent(folder: Folder, agentId: string | undefined): boolean {
    const path = realFolderPath(folder.path);
    return this.#engine.facts.state.processes.some((one) => !one.hasEnded && one.agentId === agentId && realFolderPath(one.cwd) === path);
  }

  /**
   * Opens a session of an agent in the conversation that already has it, or in a new one. Starts nothing.
   * @throws HostError why the engine can't be asked
   */
  async openSession(folder: Folder, session: SessionKey): Promise<OpenConversation> {
    const { id } = await this.#engine.call('find', session);
    return this.open(folder, id === undefined ? { agentId: session.agentId, session } : { id });
  }

  /**
   * Changes a conversation of the list. It is not an error if the conversation no longer exists.
   * @throws HostError why it could not be changed
   */
  async change(command: ConversationListCommand): Promise<void> {
    const result = await this.#engine.list.execute(command);
    if (!result.ok && !isRefusal(result.error)) throw HostError.from(result.error);
    if (command.type === 'restore') this.#deleted.delete(command.id);
  }

  /** Opens a new conversation with everything before the turn. @throws HostError like `change` */
  async branch({ id, folder, conversation }: OpenConversation, turnId: string): Promise<OpenConversation> {
    const result = await this.#engine.list.execute({ type: 'branch', id, turnId });
    if (!result.ok) throw HostError.from(result.error);
    return this.open(folder, { id: result.ids?.[0] ?? id, agentId: conversation.state.agent?.id });
  }

  /** Whether the user deleted the conversation while this window was open, and did not undo that. */
  isDeleted(id: string): boolean {
    return this.#deleted.has(id);
  }

  /**
   * Removes the conversation from the list and ends its work. It can be restored as long as the engine runs.
   * @throws HostError like `change`
   */
  async delete(id: string): Promise<void> {
    await this.change({ type: 'delete', id });
    this.#onDeleted(id);
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

  /** Closes the conversation in this window. What runs in it goes on. */
  async close(id: string): Promise<void> {
    const entry = this.#byId.get(id);
    if (entry === undefined) return;
    const wasCurrent = entry === this.current;
    this.#byId.delete(id);
    this.#listed = undefined;
    const released = this.#engine.release(id);
    if (this.#activeId === id) this.#activeId = undefined;
    if (this.#shownId === id) {
      this.#shownId = undefined;
      this.#onShown.fire();
    }
    this.#onClosed.fire(entry);
    if (wasCurrent) this.#onCurrent.fire();
    this.#onChange.fire();
    await released;
  }

  /** Call this when a folder was closed. */
  async closeFolder(path: string): Promise<void> {
    await Promise.all(this.all.filter(({ folder }) => folder.path === path).map(({ id }) => this.close(id)));
  }

  /**
   * Closes conversations that nobody looks at and in which nothing happens.
   * @param isInUse whether the window still needs one that is neither in the chat view nor the current one
   */
  closeIdle(isInUse: (entry: OpenConversation) => boolean): void {
    for (const entry of this.all) {
      const { state } = entry.conversation;
      const isShown = entry === this.shown || entry === this.current || isInUse(entry);
      const listed = this.listed(entry.id);
      // The next new conversation continues in an empty one.
      const isNeeded = !state.isRestored || !isAtRest(state) || isUntouched(state) || (listed !== undefined && isActive(listed));
      if (!isShown && !isNeeded) void this.close(entry.id);
    }
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #open(folder: Folder, options: OpenOptions): OpenConversation {
    const conversation = this.#engine.open({ cwd: folder.path, ...options });
    const entry: OpenConversation = { id: conversation.state.id, folder, conversation };
    this.#byId.set(entry.id, entry);
    this.#listed = undefined;
    conversation.onChange(({ state, events }) => {
      this.#onEvents.fire({ state, events });
      if (events === undefined || !onlySpeak(state.session, events)) this.#onChange.fire();
    });
    // The engine may have answered at once, but the caller has to know the conversation first.
    if (this.#deleted.has(entry.id)) queueMicrotask(() => this.#onDeleted(entry.id));
    this.#onChange.fire();
    return entry;
  }

  #onList(events: readonly ConversationListEvent[] | undefined): void {
    for (const event of events ?? []) if (event.type === 'added') this.#deleted.delete(event.conversation.id);
    this.openRunning();
    this.#onListChange.fire();
  }

  #onDeleted(id: string): void {
    this.#deleted.add(id);
    void this.close(id);
  }
}

/**
 * Returns whether nothing was said, nothing is to be sent, and nothing went wrong, so that there is no need for another conversation next
 * to it.
 */
export function isUntouched({
  isRestored,
  session,
  earlierSessions,
  outbox,
  returned,
  sending,
  blocker,
  context,
}: ConversationState): boolean {
  return (
    isRestored &&
    (session === undefined || session.items.length === 0) &&
    earlierSessions.length === 0 &&
    outbox.length === 0 &&
    returned.length === 0 &&
    sending === undefined &&
    blocker === undefined &&
    context === undefined
  );
}

/**
 * Returns whether the agent may start although nothing was sent: its start would not settle anything that is still to be decided or sent.
 * @param mayStart whether the user has decided that an agent may start, by using or choosing it
 */
export function mayPrepare(state: ConversationState, mayStart: (agentId: string) => boolean): boolean {
  const { agent, status, opening, blocker, outbox } = state;
  if (agent === undefined || !mayStart(agent.id) || status.state !== 'stopped') return false;
  return opening === undefined && blocker === undefined && outbox.length === 0;
}

/** Opens a session if the agent already runs for another conversation, so that its options are there before the first message. */
export async function openIfRunning(
  conversations: Pick<OpenConversations, 'hasAgent'>,
  { folder, conversation }: OpenConversation,
): Promise<void> {
  // A new conversation learns a moment later which agent it would start.
  if (!(await conversation.execute({ type: 'refresh_agent' })).ok) return;
  if (conversations.hasAgent(folder, conversation.state.agent?.id)) await execute(conversation, { type: 'open' });
}

/** Calls back when another change of an agent is known, also while its turn runs. */
export function whenFilesChange(conversations: Pick<OpenConversations, 'all' | 'onChange'>, onChange: () => void): Disposable {
  let before: readonly unknown[] = [];
  return conversations.onChange(() => {
    const all = conversations.all.map(({ conversation }) => conversation.state.changes);
    // A conversation changes with each word of an answer.
    if (all.length === before.length && all.every((one, index) => one === before[index])) return;
    before = all;
    onChange();
  });
}

/**
 * Remembers the conversation in the chat view. Without one, it shows the one that was last shown, as long as a folder is open. Call this when
 * the chat view shows another conversation, and when the folders changed.
 */
export function keepShown(conversations: OpenConversations, memory: Pick<WindowMemory, 'shownIn' | 'show' | 'lastShown'>): void {
  const { shown } = conversations;
  if (shown !== undefined) return memory.show(shown.folder.path, shown.id);
  const folder = memory.lastShown();
  if (folder === undefined) return;
  const id = memory.shownIn(folder.path);
  conversations.show(conversations.open(folder, id === undefined || conversations.isDeleted(id) ? {} : { id }));
}

/**
 * Executes a command of the user. It is not an error if the card at the top of the chat already shows the reason, or if the command came
 * too late, because its button is gone.
 * @returns whether it was done
 * @throws HostError any other reason why it was not
 */
export async function execute(conversation: ConversationClient, command: ConversationCommand): Promise<boolean> {
  const result = await conversation.execute(command);
  if (result.ok) return true;
  if (isRefusal(result.error) || isDeepStrictEqual(conversation.state.blocker?.error, result.error)) return false;
  throw HostError.from(result.error);
}
