import * as vscode from 'vscode';
import { type Disposable, DisposableStore, type Logger } from '../../core/index.js';
import { PageLink, type PageIntent, type PageSource } from '../pages/pageLink.js';
import { loadPage, panelIcon, portOf } from '../pages/pageDocument.js';

export interface PromptPanelOptions {
  readonly extensionUri: vscode.Uri;
  readonly source: PageSource;
  readonly onIntent: (intent: PageIntent) => void;
  readonly isChatVisible: () => boolean;
  readonly log: Logger;
}

/**
 * What agents ask, beside what the user is reading, when no chat is on screen. It never takes the keyboard, and closing it decides nothing:
 * the requests stay in the chat. It goes away by itself when the last one is answered, wherever that was.
 */
export class PromptPanel implements Disposable {
  readonly #options: PromptPanelOptions;
  /** Open requests over which the user closed the panel: they do not bring it up again. */
  #setAside: ReadonlySet<string> = new Set();
  #open: { readonly panel: vscode.WebviewPanel; readonly owned: DisposableStore } | undefined;

  constructor(options: PromptPanelOptions) {
    this.#options = options;
  }

  /** Something changed: requests, or what is on screen. */
  refresh(): void {
    const ids = this.#openIds();
    this.#setAside = new Set(ids.filter((id) => this.#setAside.has(id)));
    if (ids.length === 0) this.#close();
    else if (ids.length > this.#setAside.size && !this.#options.isChatVisible()) this.#show();
  }

  dispose(): void {
    this.#close();
  }

  #openIds(): readonly string[] {
    return this.#options.source.view().prompts.map(({ id }) => id);
  }

  #show(): void {
    if (this.#open !== undefined) return;
    const { extensionUri, source, onIntent, log } = this.#options;
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel('acpHost.prompts', 'Waiting for You', place, { enableScripts: true });
    const owned = new DisposableStore();
    const link = owned.add(new PageLink({ port: portOf(panel.webview), source, onIntent, log }));
    owned.add(
      panel.onDidChangeViewState(() => {
        if (!panel.visible) link.suspend();
      }),
    );
    owned.add(
      panel.onDidDispose(() => {
        this.#open = undefined;
        this.#setAside = new Set(this.#openIds());
        owned.dispose();
      }),
    );
    panel.iconPath = panelIcon(extensionUri);
    this.#open = { panel, owned };
    loadPage(panel.webview, extensionUri, 'prompts').catch((error: unknown) =>
      log.error('The panel for requests could not be drawn', error),
    );
  }

  #close(): void {
    this.#open?.panel.dispose();
  }
}
