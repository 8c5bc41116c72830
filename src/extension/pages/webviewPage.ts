import type * as vscode from 'vscode';
import type * as z from 'zod/mini';
import { type Disposable, DisposableStore, type Logger } from '../../core/index.js';
import { loadPage, type PageDocument, type PagePlace, panelIcon } from './pageDocument.js';
import { type Heard, openPort, type PagePort, type Said } from './pagePort.js';

/** What fills a page for as long as its webview lives. It posts nothing before the page's `ready`; each one comes from a page that holds nothing. */
export interface PageFeed extends Disposable {
  /** The page was hidden, which throws it away: nothing is posted until the next `ready`. */
  suspend(): void;
}

interface PageOptions {
  readonly extensionUri: vscode.Uri;
  readonly document: PageDocument;
  /** The page came on screen, went, came to the front, or was closed. */
  readonly onVisibility?: () => void;
  /** By the user, the editor or `close`. */
  readonly onClosed: () => void;
  readonly log: Logger;
}

export interface FedPageOptions<Out, In extends Said, Feed extends PageFeed> extends PageOptions {
  /** What the page may say. */
  readonly schema: z.ZodMiniType<In>;
  readonly createFeed: (port: PagePort<Out, Heard<In>>) => Feed;
}

/** What a panel of the editor area and a view of a side bar have in common. */
interface Frame {
  readonly webview: vscode.Webview;
  readonly place: PagePlace;
  isVisible(): boolean;
  /** The name of the tab, or what stands beside the name of the view. */
  setTitle(title: string): void;
  reveal(): void;
  close(): void;
  onVisibility(listener: () => void): Disposable;
  onClosed(listener: () => void): Disposable;
}

/** One webview from the moment at which the editor has it to its end: its document, its messages, and whether it is on screen. */
export class WebviewPage<Feed extends PageFeed> implements Disposable {
  readonly feed: Feed;
  readonly #frame: Frame;
  readonly #options: PageOptions;
  readonly #store = new DisposableStore();

  constructor(frame: Frame, feed: Feed, options: PageOptions) {
    this.feed = feed;
    this.#frame = frame;
    this.#options = options;
    this.#store.add(feed);
    this.#store.add(
      frame.onVisibility(() => {
        if (!this.visible) feed.suspend();
        options.onVisibility?.();
      }),
    );
    this.#store.add(
      frame.onClosed(() => {
        this.dispose();
        options.onClosed();
        options.onVisibility?.();
      }),
    );
  }

  get visible(): boolean {
    return this.#frame.isVisible();
  }

  /** Makes the webview show its document. Called once. */
  async load(): Promise<void> {
    const { extensionUri, document, onVisibility } = this.#options;
    await loadPage(this.#frame, extensionUri, document);
    onVisibility?.();
  }

  setTitle(title: string): void {
    this.#frame.setTitle(title);
  }

  reveal(): void {
    this.#frame.reveal();
  }

  /** Takes a panel from the screen, which disposes this. A view stays: it is the editor's. */
  close(): void {
    this.#frame.close();
  }

  /** Ends what fills the page, and leaves it on screen: the editor may bring a panel back in its next window. */
  dispose(): void {
    this.#store.dispose();
  }
}

/** A panel that was just created, or that the editor brought back after a reload of the window. */
export function adoptPanel<Out, In extends Said, Feed extends PageFeed>(
  panel: vscode.WebviewPanel,
  options: FedPageOptions<Out, In, Feed>,
): WebviewPage<Feed> {
  panel.iconPath = panelIcon(options.extensionUri);
  return openPage(
    {
      webview: panel.webview,
      place: 'editor',
      isVisible: () => panel.visible,
      setTitle: (title) => {
        if (panel.title !== title) panel.title = title;
      },
      reveal: () => panel.reveal(),
      close: () => void panel.dispose(),
      onVisibility: (listener) => panel.onDidChangeViewState(listener),
      onClosed: (listener) => panel.onDidDispose(listener),
    },
    options,
  );
}

/** The editor made the view; it may do so again after it took it away. */
export function resolveView<Out, In extends Said, Feed extends PageFeed>(
  view: vscode.WebviewView,
  options: FedPageOptions<Out, In, Feed>,
): WebviewPage<Feed> {
  return openPage(
    {
      webview: view.webview,
      place: 'view',
      isVisible: () => view.visible,
      setTitle: (title) => {
        if (view.description !== title) view.description = title;
      },
      reveal: () => view.show(false),
      close: () => {},
      onVisibility: (listener) => view.onDidChangeVisibility(listener),
      onClosed: (listener) => view.onDidDispose(listener),
    },
    options,
  );
}

function openPage<Out, In extends Said, Feed extends PageFeed>(frame: Frame, options: FedPageOptions<Out, In, Feed>): WebviewPage<Feed> {
  const { schema, createFeed, log } = options;
  return new WebviewPage(frame, createFeed(openPort<Out, In>(frame.webview, schema, log)), options);
}
