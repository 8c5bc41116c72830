import * as vscode from 'vscode';
import { type HostMessage, pageMessageSchema } from '../../contract/messages.js';
import { type Disposable, DisposableStore, type Logger } from '../../core/index.js';
import { type ChatPort, type PageIntent, PageLink, type PageSource } from '../pages/pageLink.js';
import { ChatFocus } from './chatFocus.js';
import { adoptPanel, resolveView, type WebviewPage } from '../pages/webviewPage.js';

export const chatPanelType = 'acpHost.chatPanel';

export interface ChatPagesOptions {
  readonly extensionUri: vscode.Uri;
  readonly source: PageSource;
  readonly onIntent: (intent: PageIntent) => void;
  /** A page came on screen or went. */
  readonly onVisibility: () => void;
  /** The chat has the keyboard, or lost it. */
  readonly onFocus: (focused: boolean) => void;
  readonly log: Logger;
}

type ChatPage = WebviewPage<PageLink>;

/** The places that show the chat: the view in a side bar, and a panel in the editor area. Both draw the same. */
export class ChatPages implements Disposable {
  readonly #options: ChatPagesOptions;
  readonly #store = new DisposableStore();
  readonly #focus: ChatFocus;
  #view: { readonly page: ChatPage; readonly webviewView: vscode.WebviewView } | undefined;
  #panel: ChatPage | undefined;

  constructor(options: ChatPagesOptions) {
    this.#options = options;
    this.#focus = new ChatFocus(options.onFocus);
  }

  get visible(): boolean {
    return this.#shown !== undefined;
  }

  get #shown(): ChatPage | undefined {
    return [this.#view?.page, this.#panel].find((page) => page?.visible === true);
  }

  /** The editor made the view; it may do so again after it took it away. */
  async resolveView(webviewView: vscode.WebviewView): Promise<void> {
    const page = this.#store.add(
      resolveView(
        webviewView,
        this.#pageOptions(() => (this.#view = undefined)),
      ),
    );
    this.#view = { page, webviewView };
    await page.load();
  }

  /** Brings the chat into the editor area. */
  async openPanel(): Promise<void> {
    if (this.#panel !== undefined) this.#panel.reveal();
    else
      await this.adoptPanel(vscode.window.createWebviewPanel(chatPanelType, 'ACP Host', vscode.ViewColumn.Active, { enableScripts: true }));
  }

  /** Takes over a panel that the editor brought back after a reload of the window. */
  async adoptPanel(panel: vscode.WebviewPanel): Promise<void> {
    const onClosed = (): void => {
      if (this.#panel === page) this.#panel = undefined;
    };
    const page = this.#store.add(adoptPanel(panel, this.#pageOptions(onClosed)));
    this.#panel = page;
    await page.load();
  }

  /** Puts the keyboard into the chat: the page that is on screen, else the view, which is brought on screen. */
  async focus(target: 'composer' | 'prompt'): Promise<void> {
    const shown = this.#shown;
    if (shown === undefined) await vscode.commands.executeCommand('acpHost.chat.focus');
    else shown.reveal();
    this.tell({ type: 'focus', target });
  }

  /** To the page that is on screen, else to the view once it is. */
  tell(message: Extract<HostMessage, { type: 'focus' | 'insertText' }>): void {
    (this.#shown ?? this.#view?.page)?.feed.tell(message);
  }

  /** A mark on the view for requests that need the user's input. */
  setBadge(pending: number): void {
    if (this.#view === undefined) return;
    this.#view.webviewView.badge =
      pending === 0 ? undefined : { value: pending, tooltip: pending === 1 ? '1 pending request' : `${pending} pending requests` };
  }

  dispose(): void {
    this.#store.dispose();
  }

  #pageOptions(onClosed: () => void) {
    const { extensionUri, source, onIntent, onVisibility, log } = this.#options;
    return {
      extensionUri,
      document: 'chat',
      schema: pageMessageSchema,
      createFeed: (port: ChatPort) => {
        const page = {};
        return new PageLink({ port, source, onIntent, onFocus: (focused) => this.#focus.set(page, focused) });
      },
      onVisibility,
      onClosed,
      log,
    } as const;
  }
}
