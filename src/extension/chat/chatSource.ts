import type { ChatView } from '../../contract/view.js';
import { type Disposable, DisposableStore, Emitter, emptyConversation, toDisposable } from '../../core/index.js';
import type { OpenConversation } from '../conversation/openConversations.js';
import type { FoundFile } from '../editor/filesNamed.js';
import type { Chip } from '../editor/selection.js';
import type { Closed } from './bannerView.js';
import { Pacer } from '../pages/pacer.js';
import type { PageSource } from '../pages/pageLink.js';
import { requestsOf } from './pendingPrompts.js';
import { promptViews } from './promptViews.js';
import type { LastKnown } from './composerView.js';
import { chatDrawer } from './viewModel.js';

export interface ChatSourceOptions {
  closed(): Closed | undefined;
  /** How long a working agent may be silent before it counts as unresponsive, in milliseconds. */
  quietAfterMs(): number;
  /** Returns what may explain the failed start of a conversation. */
  doctorNote(of: OpenConversation): string | undefined;
  /** Returns what the agent offered when it last ran. */
  lastKnown(agentId: string): LastKnown | undefined;
  readDraft(id: string): string;
  writeDraft(of: OpenConversation, text: string): void;
  /** @param cwd absolute */
  filesNamed(names: readonly string[], cwd: string): Promise<readonly FoundFile[]>;
  /**
   * @param path as the agent wrote it
   * @param cwd absolute
   */
  workspaceImage(path: string, cwd: string): Promise<string | undefined>;
}

/** For when no folder is open. */
const noConversation = emptyConversation('', '');

/** The source of the pages of one conversation. It draws at most once per frame, however many pages there are. */
export class ChatSource implements PageSource, Disposable {
  readonly #entry: OpenConversation | undefined;
  readonly #options: ChatSourceOptions;
  readonly #store = new DisposableStore();
  readonly #onChange = new Emitter<void>();
  readonly #pacer = new Pacer(() => this.#onChange.fire());
  readonly #draw = chatDrawer();
  readonly #drawPrompts = promptViews();
  #chips: readonly Chip[] = [];
  #drawn: ChatView | undefined;
  #wake: NodeJS.Timeout | undefined;

  /** @param entry undefined if no folder is open */
  constructor(entry: OpenConversation | undefined, options: ChatSourceOptions) {
    this.#entry = entry;
    this.#options = options;
    const watching = entry?.conversation.onChange(() => this.refresh());
    if (watching !== undefined) this.#store.add(watching);
    this.#store.add(toDisposable(() => clearTimeout(this.#wake)));
    this.#store.add(this.#pacer);
    this.#store.add(this.#onChange);
  }

  /** Fires at most once per frame. */
  readonly onChange = this.#onChange.event;

  get conversationId(): string | undefined {
    return this.#entry?.id;
  }

  /** Call this when something outside the conversation changed: trust, folders, time. */
  refresh(): void {
    this.#drawn = undefined;
    this.#pacer.request();
  }

  view(): ChatView {
    return (this.#drawn ??= this.#redraw());
  }

  draft(): string {
    return this.#entry === undefined ? '' : this.#options.readDraft(this.#entry.id);
  }

  /** Never rejects: a file that cannot be searched counts as missing. */
  async findFiles(names: readonly string[]): Promise<FoundFile[]> {
    const cwd = this.#entry?.conversation.state.cwd;
    if (cwd === undefined || this.#options.closed() !== undefined) return [];
    return this.#options.filesNamed(names, cwd).then(
      (found) => [...found],
      () => [],
    );
  }

  /** Never rejects. */
  async readImage(path: string): Promise<string | undefined> {
    const cwd = this.#entry?.conversation.state.cwd;
    if (cwd === undefined || this.#options.closed() !== undefined) return undefined;
    return this.#options.workspaceImage(path, cwd).catch(() => undefined);
  }

  keepDraft(text: string): void {
    if (this.#entry !== undefined) this.#options.writeDraft(this.#entry, text);
  }

  addChip(chip: Chip): void {
    this.#chips = [...this.#chips.filter(({ id }) => id !== chip.id), chip];
    this.refresh();
  }

  removeChip(id: string): void {
    this.#chips = this.#chips.filter((chip) => chip.id !== id);
    this.refresh();
  }

  get hasChips(): boolean {
    return this.#chips.length > 0;
  }

  findChip(id: string): Chip | undefined {
    return this.#chips.find((chip) => chip.id === id);
  }

  /** Returns and removes the chips, because they are sent with a message. */
  takeChips(): readonly Chip[] {
    const chips = this.#chips;
    this.#chips = [];
    this.refresh();
    return chips;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #redraw(): ChatView {
    const entry = this.#entry;
    const now = Date.now();
    const conversation = entry?.conversation.state ?? noConversation;
    const { view, wakeAt } = this.#draw({
      conversation,
      lastKnown: conversation.agent && this.#options.lastKnown(conversation.agent.id),
      prompts: this.#drawPrompts(entry === undefined ? [] : requestsOf(entry)),
      closed: this.#options.closed(),
      doctorNote: entry === undefined ? undefined : this.#options.doctorNote(entry),
      quietAfterMs: this.#options.quietAfterMs(),
      chips: this.#chips.map(({ id, label, title }) => ({ id, label, title })),
      now,
    });
    clearTimeout(this.#wake);
    if (wakeAt !== undefined) this.#wake = setTimeout(() => this.refresh(), Math.max(0, wakeAt - now));
    return view;
  }
}
