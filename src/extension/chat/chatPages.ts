import * as vscode from 'vscode';
import { type Disposable, DisposableStore, type Logger } from '../../core/index.js';
import type { HostMessage } from '../../contract/messages.js';
import { PageLink, type PageIntent, type PageSource } from '../pages/pageLink.js';
import { loadPage, panelIcon, portOf } from '../pages/pageDocument.js';

export const chatPanelType = 'acpHost.chatPanel';

export interface ChatPagesOptions {
  readonly extensionUri: vscode.Uri;
  readonly source: PageSource;
  readonly onIntent: (intent: PageIntent) => void;
  /** A page came on screen or went. */
  readonly onVisibility: () => void;
  readonly log: Logger;
}

interface Page {
  readonly link: PageLink;
  isVisible(): boolean;
  reveal(): void;
}

/** The places that show the chat: the view in a side bar, and a panel in the editor area. Both draw the same. */
export class ChatPages implements Disposable {
  readonly #options: ChatPagesOptions;
  readonly #store = new DisposableStore();
  #view: { readonly page: Page; readonly webviewView: vscode.WebviewView } | undefined;
  #panel: Page | undefined;

  constructor(options: ChatPagesOptions) {
    this.#options = options;
  }

  get visible(): boolean {
    return this.#pages.some((page) => page.isVisible());
  }

  get #pages(): readonly Page[] {
    return [this.#view?.page, this.#panel].filter((page) => page !== undefined);
  }

  /** The editor made the view; it may do so again after it took it away. */
  async resolveView(webviewView: vscode.WebviewView): Promise<void> {
    const owned = new DisposableStore();
    const link = owned.add(this.#link(webviewView.webview));
    this.#view = { page: { link, isVisible: () => webviewView.visible, reveal: () => webviewView.show(false) }, webviewView };
    owned.add(
      webviewView.onDidChangeVisibility(() => {
        // A hidden view's page is thrown away; it says `ready` again when it comes back.
        if (!webviewView.visible) link.suspend();
        this.#options.onVisibility();
      }),
    );
    owned.add(
      webviewView.onDidDispose(() => {
        this.#view = undefined;
        owned.dispose();
        this.#options.onVisibility();
      }),
    );
    this.#store.add(owned);
    await loadPage(webviewView.webview, this.#options.extensionUri, 'chat');
    this.#options.onVisibility();
  }

  /** Brings the chat into the editor area. */
  async openPanel(): Promise<void> {
    if (this.#panel !== undefined) this.#panel.reveal();
    else
      await this.adoptPanel(vscode.window.createWebviewPanel(chatPanelType, 'ACP Host', vscode.ViewColumn.Active, { enableScripts: true }));
  }

  /** Takes over a panel that the editor brought back after a reload of the window. */
  async adoptPanel(panel: vscode.WebviewPanel): Promise<void> {
    const owned = new DisposableStore();
    const link = owned.add(this.#link(panel.webview));
    const page: Page = { link, isVisible: () => panel.visible, reveal: () => panel.reveal() };
    this.#panel = page;
    panel.iconPath = panelIcon(this.#options.extensionUri);
    owned.add(
      panel.onDidChangeViewState(() => {
        if (!panel.visible) link.suspend();
        this.#options.onVisibility();
      }),
    );
    owned.add(
      panel.onDidDispose(() => {
        if (this.#panel === page) this.#panel = undefined;
        owned.dispose();
        this.#options.onVisibility();
      }),
    );
    this.#store.add(owned);
    await loadPage(panel.webview, this.#options.extensionUri, 'chat');
    this.#options.onVisibility();
  }

  /** Puts the keyboard into the chat: the page that is on screen, else the view, which is brought on screen. */
  async focus(target: 'composer' | 'prompt'): Promise<void> {
    const shown = this.#pages.find((page) => page.isVisible());
    if (shown === undefined) await vscode.commands.executeCommand('acpHost.chat.focus');
    else shown.reveal();
    this.tell({ type: 'focus', target });
  }

  /** To the page that is on screen, else to the view once it is. */
  tell(message: Extract<HostMessage, { type: 'focus' | 'insertText' }>): void {
    const page = this.#pages.find((one) => one.isVisible()) ?? this.#view?.page;
    page?.link.tell(message);
  }

  /** A mark on the view for what waits for the user. */
  setBadge(waiting: number): void {
    if (this.#view === undefined) return;
    this.#view.webviewView.badge =
      waiting === 0
        ? undefined
        : { value: waiting, tooltip: waiting === 1 ? '1 request waits for you' : `${waiting} requests wait for you` };
  }

  dispose(): void {
    this.#store.dispose();
  }

  #link(webview: vscode.Webview): PageLink {
    const { source, onIntent, log } = this.#options;
    return new PageLink({ port: portOf(webview), source, onIntent, log });
  }
}
