import type { ChatView, ContextChipView } from '../../contract/view.js';
import { type Chip, type Disposable, DisposableStore, Emitter, emptyConversation, onlySpeak, toDisposable } from '../../core/index.js';
import type { OpenConversation, OpenConversations } from '../conversation/openConversations.js';
import type { OpenFile } from '../editor/fileChips.js';
import type { ChangedUnderText } from '../editor/unsavedTexts.js';
import type { FoundFile } from '../editor/workspaceFiles.js';
import { Pacer, type PageSource } from '../pages/pageLink.js';
import type { Closed } from './headerView.js';
import type { LastKnown } from './composerView.js';
import { type FilesOfRequests, promptViews, requestsOf } from './pendingPrompts.js';
import { isNote, isPastedText, notesChipId, notesView, SharedDraft } from './sharedDraft.js';
import { chatDrawer, type ChatInput, type DrawnChat, type RecentConversation } from './viewModel.js';

export interface ChatSourceOptions {
  nameOf(of: OpenConversation): string;
  /** Returns the name of the folder, if the window has several. */
  folderOf(of: OpenConversation): string | undefined;
  /** Returns the last conversations in the folder, except for this one. */
  recent(of: OpenConversation): readonly RecentConversation[];
  closed(): Closed | undefined;
  /** How long a working agent may be silent before it counts as unresponsive, in milliseconds. */
  quietAfterMs(): number;
  /** Returns what may explain the failed start of a conversation. */
  doctorNote(of: OpenConversation): string | undefined;
  /** Returns what the agent offered when it last ran. */
  lastKnown(agentId: string): LastKnown | undefined;
  /** Whether the engine has been away for so long that the user is told. */
  isEngineLost(): boolean;
  readonly openFile: Pick<OpenFile, 'facts' | 'chip'>;
  /** Returns the files of the window that were changed on disk under unsaved text. */
  changedUnderText(): readonly ChangedUnderText[];
  /** The files that requests are about; absent if nobody knows them. */
  readonly requestFiles?: FilesOfRequests;
  /** Whether the user leaves the open file out of the messages of this conversation. */
  leavesOutOpenFile(id: string): boolean;
  /** @param cwd absolute */
  filesNamed(names: readonly string[], cwd: string): Promise<readonly FoundFile[]>;
  /**
   * @param typed a part of a name or path
   * @param cwd absolute
   */
  suggestFiles(typed: string, cwd: string): Promise<readonly string[]>;
  /**
   * @param path as the agent wrote it
   * @param cwd absolute
   */
  workspaceImage(path: string, cwd: string): Promise<string | undefined>;
}

/** For when there is none: no folder is open, or the engine is not reached yet. */
const noConversation = emptyConversation('', '');

/** A message that is being sent, with what was attached to it. */
interface Outgoing {
  chips: readonly Chip[];
}

/** What is being read, to be attached. */
interface Reading {
  readonly done: Promise<void>;
  /** The message that was sent meanwhile and waits for it; until then, it is for the composer. */
  message?: Outgoing;
}

const withChip = (chips: readonly Chip[], added: Chip): readonly Chip[] => [...chips.filter(({ id }) => id !== added.id), added];

/** A picture is not part of the view, which is drawn again with every change. */
function chipView({ id, label, title, content }: Chip, _: number, all: readonly Chip[]): ContextChipView {
  // Those that were pasted have the same name. The agent gets the pictures in this order, so that a number says which one is meant.
  const pictures = all.filter((chip) => chip.content.type === 'image');
  const isAlike = content.type === 'image' && pictures.filter((chip) => chip.label === label).length > 1;
  const holds = content.type === 'image' ? 'picture' : isPastedText(id) ? 'pastedText' : undefined;
  return {
    id,
    label: isAlike ? `${label} ${pictures.findIndex((chip) => chip.id === id) + 1}` : label,
    title,
    ...(holds === undefined ? {} : { holds }),
  };
}

/** The source of the pages of one conversation. It draws at most once per frame, however many pages there are. */
export class ChatSource implements PageSource, Disposable {
  readonly #entry: OpenConversation | undefined;
  readonly #options: ChatSourceOptions;
  readonly #store = new DisposableStore();
  readonly #onChange = new Emitter<void>();
  readonly #pacer = new Pacer(() => this.#onChange.fire());
  readonly #draw = chatDrawer();
  readonly #drawPrompts: ReturnType<typeof promptViews>;
  readonly #draft: SharedDraft | undefined;
  readonly #reading = new Set<Reading>();
  /** The saved chips that left the composer with a message, by their IDs. */
  readonly #outgoing = new Map<string, Outgoing>();
  #drawn: DrawnChat | undefined;
  /** The agent said something that is not drawn yet. */
  #hasSpoken = false;
  #wake: NodeJS.Timeout | undefined;

  /** @param entry undefined if there is none to show */
  constructor(entry: OpenConversation | undefined, options: ChatSourceOptions) {
    this.#entry = entry;
    this.#options = options;
    this.#drawPrompts = promptViews(options.requestFiles);
    this.#draft = entry && this.#store.add(new SharedDraft(entry.conversation));
    const watching = entry?.conversation.onChange(({ state, events }) => {
      if (events !== undefined && onlySpeak(state.session, events)) return this.#speak();
      // Comes first: whoever learns of the text finds it in the view of the same state.
      this.refresh();
      this.#draft?.refresh();
    });
    if (watching !== undefined) this.#store.add(watching);
    this.#store.add(toDisposable(() => clearTimeout(this.#wake)));
    this.#store.add(this.#pacer);
    this.#store.add(this.#onChange);
  }

  /** Fires at most once per frame. */
  readonly onChange = this.#onChange.event;

  /** Fires with the text of the composer when it was written elsewhere, or is known for the first time. */
  onText(listener: (text: string) => void): Disposable {
    return this.#draft?.onText(listener) ?? toDisposable(() => {});
  }

  get conversationId(): string | undefined {
    return this.#entry?.id;
  }

  /** Call this when something outside the conversation changed: trust, folders, time. */
  refresh(): void {
    this.#drawn = undefined;
    this.#pacer.request();
  }

  view(): ChatView {
    if (this.#drawn === undefined || this.#hasSpoken) this.#drawn = this.#drawNow();
    this.#hasSpoken = false;
    return this.#drawn.view;
  }

  draft(): string | undefined {
    if (this.#draft !== undefined) return this.#draft.text;
    return this.#options.closed() === 'no_folder' ? '' : undefined;
  }

  /** Whether the composer has neither text nor attachments. */
  get isEmpty(): boolean {
    return this.draft() === '' && this.#chips.length === 0 && this.#reading.size === 0;
  }

  /** Whether something is being read, or a message is being sent. */
  get isBusy(): boolean {
    return this.#reading.size > 0 || this.#outgoing.size > 0;
  }

  /** Never rejects: a file that cannot be searched counts as missing. */
  async findFiles(names: readonly string[]): Promise<FoundFile[]> {
    const cwd = this.#openFolder;
    if (cwd === undefined) return [];
    return this.#options.filesNamed(names, cwd).then(
      (found) => [...found],
      () => [],
    );
  }

  /** Never rejects. */
  async suggestFiles(typed: string): Promise<readonly string[]> {
    const cwd = this.#openFolder;
    if (cwd === undefined) return [];
    return this.#options.suggestFiles(typed, cwd).catch(() => []);
  }

  /** Never rejects. @param path or the id of a chip */
  async readImage(path: string): Promise<string | undefined> {
    const content = this.findChip(path)?.content;
    if (content?.type === 'image') return `data:${content.mimeType};base64,${content.data}`;
    const cwd = this.#openFolder;
    if (cwd === undefined) return undefined;
    return this.#options.workspaceImage(path, cwd).catch(() => undefined);
  }

  /** The ID of the queued prompt before which the draft was, until it is sent or discarded. */
  queuedBefore: string | undefined;

  keepDraft(text: string): void {
    if (text === '') this.queuedBefore = undefined;
    this.#draft?.change({ type: 'write_draft', text });
  }

  /**
   * Attaches what is still being read. A message that is sent in the meantime waits for it.
   * @throws what `chips` throws
   */
  async attach(chips: Promise<readonly Chip[]>): Promise<void> {
    const reading: Reading = { done: chips.then((read) => read.forEach((chip) => this.#attachRead(chip, reading.message))) };
    this.#reading.add(reading);
    await reading.done.finally(() => this.#reading.delete(reading));
  }

  addChip(chip: Chip): void {
    this.#outgoing.delete(chip.id);
    this.#draft?.change({ type: 'add_chip', chip });
    this.refresh();
  }

  removeChip(id: string): void {
    this.#draft?.change({ type: 'remove_chips', ids: id === notesChipId ? this.notes.map((note) => note.id) : [id] });
    this.refresh();
  }

  /** What the user noted while reviewing, for the next message. */
  get notes(): readonly Chip[] {
    return this.#chips.filter(isNote);
  }

  findChip(id: string): Chip | undefined {
    return this.#chips.find((chip) => chip.id === id);
  }

  /** Returns the open file or the selection if the next message is to name it, and it is not attached anyway. */
  openFile(): Chip | undefined {
    const cwd = this.#entry?.conversation.state.cwd;
    const isSent = this.#openFileView().some(({ follows }) => follows === 'sent');
    return isSent && cwd !== undefined ? this.#options.openFile.chip(cwd) : undefined;
  }

  /**
   * Sends the chips with a message, and those that are still being read. They leave the composer at once, and stay saved until they are
   * sent. What is attached later is for the next message, even if this one still waits.
   * @param deliver returns false, or rejects, if they were not sent: they return to the composer
   * @param goes the others stay in the composer
   */
  async sendChips(deliver: (chips: readonly Chip[]) => Promise<boolean>, goes: (chip: Chip) => boolean = () => true): Promise<void> {
    const message: Outgoing = { chips: this.#chips.filter(goes) };
    for (const { id } of message.chips) this.#outgoing.set(id, message);
    this.refresh();
    for (const reading of this.#reading) reading.message ??= message;
    // Also for what an earlier message waits for, which is sent first. What can't be read is reported where it is attached.
    if (this.#reading.size > 0) await Promise.allSettled([...this.#reading].map(({ done }) => done));
    let isSent = false;
    try {
      isSent = await deliver(message.chips);
    } finally {
      // Those that were attached again in the meantime are for the next message.
      const ids = message.chips.map(({ id }) => id).filter((id) => this.#outgoing.get(id) === message);
      for (const id of ids) this.#outgoing.delete(id);
      if (isSent && ids.length > 0) this.#draft?.change({ type: 'remove_chips', ids });
      this.refresh();
    }
  }

  dispose(): void {
    this.#store.dispose();
  }

  #attachRead(chip: Chip, message: Outgoing | undefined): void {
    if (message === undefined) return this.addChip(chip);
    message.chips = withChip(message.chips, chip);
    // The same was attached again, for the next message.
    if (this.findChip(chip.id) !== undefined) return;
    this.#outgoing.set(chip.id, message);
    this.#draft?.change({ type: 'add_chip', chip });
  }

  /** Those of the next message. */
  get #chips(): readonly Chip[] {
    return (this.#draft?.chips ?? []).filter(({ id }) => !this.#outgoing.has(id));
  }

  /** Undefined while nothing in it may be read. */
  get #openFolder(): string | undefined {
    return this.#options.closed() === undefined ? this.#entry?.conversation.state.cwd : undefined;
  }

  #openFileView(): readonly ContextChipView[] {
    const entry = this.#entry;
    const facts = entry && this.#options.openFile.facts(entry.conversation.state.cwd);
    if (entry === undefined || facts === undefined) return [];
    const isAttached = this.#chips.some(({ id }) => id === facts.id);
    return isAttached ? [] : [{ ...facts, follows: this.#options.leavesOutOpenFile(entry.id) ? 'leftOut' : 'sent' }];
  }

  #speak(): void {
    this.#hasSpoken = true;
    this.#pacer.request();
  }

  #drawNow(): DrawnChat {
    const now = Date.now();
    const drawn = this.#drawn?.speak(this.#entry?.conversation.state.session, now) ?? this.#draw(this.#input(now));
    clearTimeout(this.#wake);
    if (drawn.wakeAt !== undefined) this.#wake = setTimeout(() => this.refresh(), Math.max(0, drawn.wakeAt - now));
    return drawn;
  }

  #input(now: number): ChatInput {
    const entry = this.#entry;
    const conversation = entry?.conversation.state ?? noConversation;
    return {
      conversation,
      name: entry && this.#options.nameOf(entry),
      folder: entry && this.#options.folderOf(entry),
      recent: entry && this.#options.recent(entry),
      lastKnown: conversation.agent && this.#options.lastKnown(conversation.agent.id),
      prompts: this.#drawPrompts(entry === undefined ? [] : requestsOf(entry)),
      closed: this.#options.closed(),
      isEngineLost: this.#options.isEngineLost(),
      doctorNote: entry === undefined ? undefined : this.#options.doctorNote(entry),
      quietAfterMs: this.#options.quietAfterMs(),
      changedUnderText: this.#options.changedUnderText(),
      chips: [...this.#openFileView(), ...this.#chips.filter((chip) => !isNote(chip)).map(chipView), ...notesView(this.notes)],
      now,
    };
  }
}

interface DraftText {
  readonly conversationId: string;
  readonly text: string;
}

/** Has one source for each open conversation, and one for the chat view, which shows different conversations over time. */
export class ChatSources implements Disposable {
  readonly #conversations: OpenConversations;
  readonly #options: ChatSourceOptions;
  readonly #store = new DisposableStore();
  readonly #onChange = new Emitter<void>();
  readonly #onShownChange = new Emitter<void>();
  readonly #onText = new Emitter<DraftText>();
  readonly #byId = new Map<string, ChatSource>();
  readonly #none: ChatSource;
  /** The source of the chat view. */
  readonly shown: PageSource;

  constructor(conversations: OpenConversations, options: ChatSourceOptions) {
    this.#conversations = conversations;
    this.#options = options;
    this.#none = this.#watched(new ChatSource(undefined, options));
    this.shown = this.#shownSource();
    this.#store.add(conversations.onShown(() => this.#onShownChange.fire()));
    this.#store.add(conversations.onClosed(({ id }) => this.#forget(id)));
    this.#store.add(conversations.onCurrent(() => this.#onChange.fire()));
    // Every view has names of conversations, its own and those that an empty one offers.
    this.#store.add(conversations.onListChange(() => this.refresh()));
    this.#store.add(this.#onChange);
    this.#store.add(this.#onShownChange);
    this.#store.add(this.#onText);
  }

  /**
   * Fires when the view of the current conversation or of the one in the chat view changed, or when another one became the current one; at
   * most once per frame for each.
   */
  readonly onChange = this.#onChange.event;

  /** Fires when the text of a composer was written in another window, or is known for the first time. */
  readonly onText = this.#onText.event;

  /** @param entry undefined if there is none to show */
  of(entry: OpenConversation | undefined): ChatSource {
    if (entry === undefined || this.#conversations.get(entry.id) !== entry) return this.#none;
    let source = this.#byId.get(entry.id);
    if (source === undefined) this.#byId.set(entry.id, (source = this.#watched(new ChatSource(entry, this.#options))));
    return source;
  }

  /** The source of the conversation that commands apply to. */
  get current(): ChatSource {
    return this.of(this.#conversations.current);
  }

  /** Call this when something outside the conversations changed: trust, folders, time. */
  refresh(): void {
    for (const source of [this.#none, ...this.#byId.values()]) source.refresh();
  }

  dispose(): void {
    for (const id of [...this.#byId.keys()]) this.#forget(id);
    this.#none.dispose();
    this.#store.dispose();
  }

  #watched(source: ChatSource): ChatSource {
    const { conversationId } = source;
    source.onChange(() => {
      const isShown = conversationId === this.#conversations.shown?.id;
      if (isShown || conversationId === this.#conversations.current?.id) this.#onChange.fire();
      if (isShown) this.#onShownChange.fire();
    });
    if (conversationId !== undefined) source.onText((text) => this.#onText.fire({ conversationId, text }));
    return source;
  }

  #shownSource(): PageSource {
    const source = (): ChatSource => this.of(this.#conversations.shown);
    return {
      get conversationId() {
        return source().conversationId;
      },
      view: (): ChatView => source().view(),
      draft: () => source().draft(),
      findFiles: (names) => source().findFiles(names),
      suggestFiles: (typed) => source().suggestFiles(typed),
      readImage: (path) => source().readImage(path),
      onChange: this.#onShownChange.event,
    };
  }

  #forget(id: string): void {
    this.#byId.get(id)?.dispose();
    this.#byId.delete(id);
  }
}
