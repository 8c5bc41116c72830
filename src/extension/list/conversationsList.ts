/** Determines what the Conversations view shows, and when it is drawn again. */
import { type ConversationListEntry, type Disposable, DisposableStore, Emitter, toDisposable } from '../../core/index.js';
import { badgeOf, childrenOf, type ListNode, listNodes, pathTo } from './listNodes.js';
import { listRow } from './listRow.js';
import type { ListContent, ListView } from './listView.js';
import type { OtherSessions } from './otherSessions.js';

/** The list changes with every step of several agents, so it is drawn at most this often. */
const drawDelayMs = 100;
/** Ages are in minutes. */
const ageMs = 60_000;

export interface ConversationsListOptions {
  readonly view: ListView;
  readonly conversations: {
    readonly list: readonly ConversationListEntry[];
    /** The conversation that commands apply to. */
    readonly current: { readonly id: string } | undefined;
    /** The conversation in the chat view. */
    readonly shown: { readonly id: string } | undefined;
    onCurrent(listener: () => void): Disposable;
    onShown(listener: () => void): Disposable;
    onListChange(listener: () => void): Disposable;
  };
  readonly others: OtherSessions;
  /** The folders of the window, in its order. */
  folders(): readonly { readonly path: string; readonly name: string }[];
}

export class ConversationsList implements ListContent, Disposable {
  readonly #options: ConversationsListOptions;
  readonly #store = new DisposableStore();
  readonly #onChange = this.#store.add(new Emitter<void>());
  #showsArchived = false;
  /** The conversation on screen whose row was last selected. After that, the selection belongs to the user. */
  #selectedId: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ConversationsListOptions) {
    const { view, conversations, others } = options;
    this.#options = options;
    this.#store.add(
      conversations.onListChange(() => {
        // Not delayed, because the badge asks for the user's attention.
        this.#setBadge();
        this.#request();
      }),
    );
    this.#store.add(conversations.onCurrent(() => this.#request()));
    this.#store.add(conversations.onShown(() => this.#request()));
    this.#store.add(others.onChange(() => this.#draw()));
    this.#store.add(view.onVisibility(() => this.#draw()));
    const aging = setInterval(() => this.#draw(), ageMs);
    aging.unref();
    this.#store.add(toDisposable(() => clearInterval(aging)));
    this.#store.add(toDisposable(() => clearTimeout(this.#timer)));
    view.fill(this);
    this.#draw();
  }

  /** Fires when archived conversations become visible or hidden. */
  readonly onChange = this.#onChange.event;

  get showsArchived(): boolean {
    return this.#showsArchived;
  }

  showArchived(shows: boolean): void {
    this.#showsArchived = shows;
    this.#onChange.fire();
    this.#draw();
  }

  /** Call this when the folders of the window changed. */
  refresh(): void {
    this.#draw();
  }

  roots(): readonly ListNode[] {
    const { conversations, folders, others } = this.#options;
    return listNodes({
      entries: conversations.list,
      folders: folders(),
      showsArchived: this.#showsArchived,
      others: (cwd) => others.nodesIn(cwd),
      now: Date.now(),
    });
  }

  childrenOf(node: ListNode): readonly ListNode[] | Promise<readonly ListNode[]> {
    return node.type === 'others' ? this.#options.others.childrenOf(node) : childrenOf(node);
  }

  parentOf(node: ListNode): ListNode | undefined {
    return pathTo(this.roots(), node.id)?.at(-2);
  }

  row({ entry }: Extract<ListNode, { type: 'conversation' }>): ReturnType<typeof listRow> {
    return listRow(entry, Date.now());
  }

  dispose(): void {
    this.#store.dispose();
  }

  #request(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#draw();
    }, drawDelayMs);
  }

  #setBadge(): void {
    this.#options.view.setBadge(badgeOf(this.#options.conversations.list));
  }

  #draw(): void {
    const { view, conversations } = this.#options;
    this.#setBadge();
    if (!view.isVisible) return;
    view.refresh();
    const { current, shown } = conversations;
    if (this.#selectedId === current?.id) return;
    const roots = this.roots();
    // A conversation in which nothing was said or written has no row.
    const [node] = [current, shown].flatMap((one) => (one && pathTo(roots, one.id)?.at(-1)) ?? []);
    if (this.#selectedId === node?.id) return;
    this.#selectedId = node?.id;
    if (node === undefined) return view.deselect();
    // A row that the view does not have yet is selected the next time it is drawn.
    void view.select(node).then((isSelected) => {
      if (!isSelected && this.#selectedId === node.id) this.#selectedId = undefined;
    });
  }
}
