import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type * as z from 'zod/mini';
import { type Disposable, DisposableStore, type Event, type Logger } from '../../core/index.js';
import type { Surface } from '../../contract/messages.js';

/**
 * Provides the content of a page for the lifetime of its webview. It posts nothing before the page's `ready`, which always comes from an
 * empty page.
 */
export interface PageFeed extends Disposable {
  /** The page was hidden, which discards it: nothing is posted until the next `ready`. */
  suspend(): void;
}

interface PageOptions {
  readonly extensionUri: vscode.Uri;
  readonly document: PageDocument;
  /** Called when the page became visible or hidden, came to the front, or was closed. */
  readonly onVisibility?: () => void;
  /** Called when the user, the editor or `close` closed the page. */
  readonly onClosed: () => void;
  readonly log: Logger;
}

interface FedPageOptions<Out, In extends Said, Feed extends PageFeed> extends PageOptions {
  /** The messages that the page may send. */
  readonly schema: z.ZodMiniType<In>;
  readonly createFeed: (port: PagePort<Out, Heard<In>>) => Feed;
}

/** What panels of the editor area and views of a side bar have in common. */
interface Frame {
  readonly webview: vscode.Webview;
  readonly place: PagePlace;
  isVisible(): boolean;
  /** Sets the name of the tab, or the text next to the name of the view. */
  setTitle(title: string): void;
  /** Marks the tab. A view has no mark of its own. */
  setLook(look: TabLook): void;
  reveal(preserveFocus?: boolean): void;
  close(): void;
  onVisibility(listener: () => void): Disposable;
  onClosed(listener: () => void): Disposable;
}

/** One webview during its whole lifetime: its document, its messages, and whether it is visible. */
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

  /** Loads the document into the webview. Call it once. */
  async load(): Promise<void> {
    const { extensionUri, document, onVisibility } = this.#options;
    await loadPage(this.#frame, extensionUri, document);
    onVisibility?.();
  }

  setTitle(title: string): void {
    this.#frame.setTitle(title);
  }

  setLook(look: TabLook): void {
    this.#frame.setLook(look);
  }

  reveal(preserveFocus = false): void {
    this.#frame.reveal(preserveFocus);
  }

  /** Closes a panel, which disposes of this. A view stays, because it belongs to the editor. */
  close(): void {
    this.#frame.close();
  }

  /** Disposes of the feed but leaves the page open, because the editor may restore a panel in its next window. */
  dispose(): void {
    this.#store.dispose();
  }
}

/** Takes a panel that was just created, or that the editor restored after a reload of the window. */
export function adoptPanel<Out, In extends Said, Feed extends PageFeed>(
  panel: vscode.WebviewPanel,
  options: FedPageOptions<Out, In, Feed>,
): WebviewPage<Feed> {
  let look: TabLook | undefined;
  const setLook = (next: TabLook): void => {
    if (look !== next) panel.iconPath = panelIcon(options.extensionUri, next);
    look = next;
  };
  setLook('panel');
  return openPage(
    {
      webview: panel.webview,
      place: 'editor',
      isVisible: () => panel.visible,
      setTitle: (title) => {
        if (panel.title !== title) panel.title = title;
      },
      setLook,
      reveal: (preserveFocus) => panel.reveal(undefined, preserveFocus),
      close: () => void panel.dispose(),
      onVisibility: (listener) => panel.onDidChangeViewState(listener),
      onClosed: (listener) => panel.onDidDispose(listener),
    },
    options,
  );
}

/** Call this when the editor has created the view, which may happen again after it removed the view. */
export function resolveView<Out, In extends Said, Feed extends PageFeed>(
  view: vscode.WebviewView,
  options: FedPageOptions<Out, In, Feed>,
): WebviewPage<Feed> {
  return openPage(
    {
      webview: view.webview,
      place: 'view',
      isVisible: () => view.visible,
      // The page says the name itself, also where the editor has no room for it beside the title of the view.
      setTitle: () => {},
      setLook: () => {},
      reveal: (preserveFocus = false) => view.show(preserveFocus),
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

/** The document of a webview: media/page.html with its URLs filled in, and a policy that prevents loading anything from elsewhere. */
const pageStyles = ['base.css', 'transcript.css', 'page.css'];

type PageDocument = Surface | 'traffic';

/** Where a page is, because its surroundings have different colors there. */
type PagePlace = 'view' | 'editor';

/** The script and styles of each page; chat and prompts are two surfaces of the same page. */
const bundles: Readonly<Record<PageDocument, { readonly script: string; readonly styles: readonly string[] }>> = {
  chat: { script: 'page.js', styles: pageStyles },
  prompts: { script: 'page.js', styles: pageStyles },
  traffic: { script: 'traffic.js', styles: ['base.css', 'traffic.css'] },
};

/** Loads the page into the webview. No listener is needed yet, because the page sends `ready` when it is ready. */
async function loadPage(
  { webview, place }: { readonly webview: vscode.Webview; readonly place: PagePlace },
  extensionUri: vscode.Uri,
  surface: PageDocument,
): Promise<void> {
  webview.options = { enableScripts: true, localResourceRoots: pageRoots(extensionUri) };
  const template = new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extensionUri, 'media', 'page.html')));
  const addressOf = (...segments: string[]): string => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, ...segments)).toString();
  webview.html = fillTemplate(template, {
    surface,
    place,
    nonce: randomBytes(16).toString('base64'),
    cspSource: webview.cspSource,
    scriptUri: addressOf('dist', 'webview', bundles[surface].script),
    styleLinks: bundles[surface].styles.map((name) => `<link rel="stylesheet" href="${addressOf('media', name)}">`).join('\n  '),
    codiconUri: addressOf('dist', 'webview', 'codicon.css'),
  });
}

/** The icon of a tab: `panel-waiting` if the user is needed there, `panel-done` if something ended there out of sight. */
type TabLook = 'panel' | 'panel-waiting' | 'panel-done';

/** The tab of a panel does not apply colors to its icon. */
function panelIcon(extensionUri: vscode.Uri, look: TabLook) {
  const file = (theme: string): vscode.Uri => vscode.Uri.joinPath(extensionUri, 'media', `${look}-${theme}.svg`);
  return { light: file('light'), dark: file('dark') };
}

function pageRoots(extensionUri: vscode.Uri): vscode.Uri[] {
  return [vscode.Uri.joinPath(extensionUri, 'dist', 'webview'), vscode.Uri.joinPath(extensionUri, 'media')];
}

function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`media/page.html asks for {{${name}}}, which nobody fills in`);
    return value;
  });
}

/** A message of a page. */
interface Said {
  readonly type: string;
}

/** The messages that reach the feed of a page. Errors that a page reports about itself go to the log. */
export type Heard<In extends Said> = Exclude<In, { readonly type: 'pageError' }>;

/** One page, as an endpoint for messages. */
export interface PagePort<Out, In> {
  post(message: Out): void;
  /** Fires only for messages of the contract. */
  readonly onMessage: Event<In>;
}

/** The host's end of the connection to a webview. */
interface MessageWire {
  postMessage(message: unknown): PromiseLike<boolean>;
  onDidReceiveMessage(listener: (message: unknown) => void): Disposable;
}

export function openPort<Out, In extends Said>(wire: MessageWire, schema: z.ZodMiniType<In>, log: Logger): PagePort<Out, Heard<In>> {
  return {
    post: (message) => void wire.postMessage(message),
    onMessage: (listener) =>
      wire.onDidReceiveMessage((data) => {
        const parsed = schema.safeParse(data);
        if (!parsed.success) log.warn('The page sent an invalid message', parsed.error.message);
        else if (isForFeed(parsed.data)) listener(parsed.data);
        else log.error('Error in the page', 'message' in parsed.data ? parsed.data.message : parsed.data);
      }),
  };
}

function isForFeed<In extends Said>(message: In): message is Heard<In> {
  return message.type !== 'pageError';
}
