import { type Disposable, DisposableStore, Emitter } from '../../core/index.js';
import type { ChatView } from '../../contract/view.js';
import type { OpenConversation, OpenConversations } from '../conversation/openConversations.js';
import type { PageSource } from '../pages/pageLink.js';
import { ChatSource, type ChatSourceOptions } from './chatSource.js';

export interface DraftText {
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
    source.onChange(() => {
      const isShown = source === this.of(this.#conversations.shown);
      if (isShown || source === this.current) this.#onChange.fire();
      if (isShown) this.#onShownChange.fire();
    });
    const { conversationId } = source;
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
