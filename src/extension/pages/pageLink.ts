import { type HostMessage, type PageMessage, pageMessageSchema } from '../../contract/messages.js';
import type { ChatView } from '../../contract/view.js';
import { type Disposable, DisposableStore, type Event, type Logger, toDisposable } from '../../core/index.js';
import { diffViews } from './viewDiff.js';

/** One webview, as far as messages go. */
export interface PagePort {
  post(message: HostMessage): void;
  readonly onMessage: Event<unknown>;
}

/** What a page is drawn from. `view` is cheap when nothing changed. */
export interface PageSource {
  view(): ChatView;
  readonly onChange: Event<void>;
  /** What the composer held when a page was last seen. */
  draft(): string;
}

/** What a page asks for, without the messages that this link answers itself. */
export type PageIntent = Exclude<PageMessage, { type: 'ready' | 'resync' }>;

export interface PageLinkOptions {
  readonly port: PagePort;
  readonly source: PageSource;
  readonly onIntent: (intent: PageIntent) => void;
  readonly log: Logger;
  /** Changes within this time make one message. Default: one frame. */
  readonly frameMs?: number;
}

/**
 * Keeps one page in step with the host: nothing before its `ready`, then a snapshot, then at most one patch per frame.
 * A page may come and go as it likes: each `ready` starts anew.
 */
export class PageLink implements Disposable {
  readonly #options: PageLinkOptions;
  readonly #store = new DisposableStore();
  /** What the page holds; absent while there is no page that could hold anything. */
  #held: ChatView | undefined;
  #revision = 0;
  #timer: NodeJS.Timeout | undefined;
  #afterReady: HostMessage[] = [];

  constructor(options: PageLinkOptions) {
    this.#options = options;
    this.#store.add(options.port.onMessage((message) => this.#receive(message)));
    this.#store.add(options.source.onChange(() => this.#schedule()));
    this.#store.add(toDisposable(() => clearTimeout(this.#timer)));
  }

  /** The page was hidden and thrown away: nothing is posted until the next `ready`. */
  suspend(): void {
    this.#held = undefined;
  }

  /** Sends it now, or right after the snapshot when the page is not ready yet. */
  tell(message: Extract<HostMessage, { type: 'focus' | 'insertText' }>): void {
    if (this.#held === undefined) this.#afterReady.push(message);
    else this.#options.port.post(message);
  }

  dispose(): void {
    this.suspend();
    this.#store.dispose();
  }

  #receive(message: unknown): void {
    const parsed = pageMessageSchema.safeParse(message);
    if (!parsed.success) {
      this.#options.log.warn('The page sent a message that is not in the contract', parsed.error.message);
      return;
    }
    if (parsed.data.type === 'ready' || parsed.data.type === 'resync') this.#sendSnapshot();
    else this.#options.onIntent(parsed.data);
  }

  #sendSnapshot(): void {
    const { port, source } = this.#options;
    this.#held = source.view();
    port.post({ type: 'snapshot', revision: ++this.#revision, view: this.#held, draft: source.draft() });
    for (const message of this.#afterReady.splice(0)) port.post(message);
  }

  #schedule(): void {
    if (this.#held === undefined || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#sendPatch(), this.#options.frameMs ?? 16);
  }

  #sendPatch(): void {
    this.#timer = undefined;
    if (this.#held === undefined) return;
    const next = this.#options.source.view();
    const ops = diffViews(this.#held, next);
    this.#held = next;
    if (ops.length > 0) this.#options.port.post({ type: 'patch', revision: ++this.#revision, ops });
  }
}
