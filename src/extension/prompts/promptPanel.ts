import * as vscode from 'vscode';
import { pageMessageSchema } from '../../contract/pageMessages.js';
import type { Disposable, Logger } from '../../core/index.js';
import { type ChatPort, type PageIntent, PageLink, type PageSource } from '../pages/pageLink.js';
import { adoptPanel, type WebviewPage } from '../pages/webviewPage.js';

export interface PromptPanelOptions {
  readonly extensionUri: vscode.Uri;
  /** The pending requests of all conversations. */
  readonly source: PageSource;
  readonly onIntent: (intent: PageIntent) => void;
  /** Whether a page shows the conversation of the request. */
  readonly isOnScreen: (promptId: string) => boolean;
  /** Where requests out of sight appear. Only `panel` is this panel. */
  readonly place: () => 'panel' | 'reveal' | 'notification';
  /** Shows the conversation of a request that arrived out of sight in the chat view, which does not get the keyboard focus. */
  readonly reveal: (promptId: string) => void;
  readonly log: Logger;
}

/**
 * Shows pending requests next to what the user is reading while one of their conversations is not visible: in the other half of an editor
 * that is split, otherwise in the chat view, once: a conversation that the user left in that view does not come back. It never splits the
 * editor or takes the keyboard focus, and closing it decides nothing: the requests stay in their conversations. It closes itself when the
 * last request is answered, wherever that happens.
 */
export class PromptPanel implements Disposable {
  readonly #options: PromptPanelOptions;
  /** Requests that were open before: only others have arrived. */
  #known: ReadonlySet<string> = new Set();
  /** Requests that were open when the user closed the panel; they don't open it again. */
  #setAside: ReadonlySet<string> = new Set();
  /** Requests that no other page shows, and for which the panel came to the front. */
  #shown: ReadonlySet<string> = new Set();
  #open: { readonly panel: vscode.WebviewPanel; readonly page: WebviewPage<PageLink> } | undefined;

  constructor(options: PromptPanelOptions) {
    this.#options = options;
  }

  /** Call this when the requests or the visible pages changed. */
  refresh(): void {
    const ids = this.#openIds();
    this.#setAside = new Set(ids.filter((id) => this.#setAside.has(id)));
    const hidden = ids.filter((id) => !this.#setAside.has(id) && !this.#options.isOnScreen(id));
    const added = hidden.filter((id) => !this.#shown.has(id));
    const arrived = added.find((id) => !this.#known.has(id));
    this.#shown = new Set(hidden);
    this.#known = new Set(ids);
    if (ids.length === 0) return this.#close();
    if (added.length === 0) return;
    const place = this.#options.place();
    const column = columnBeside();
    if (place === 'panel' && column !== undefined) this.#show(column);
    else if (place !== 'notification' && arrived !== undefined) this.#options.reveal(arrived);
  }

  dispose(): void {
    this.#close();
  }

  #openIds(): readonly string[] {
    return this.#options.source.view().prompts.map(({ id }) => id);
  }

  #show(viewColumn: vscode.ViewColumn): void {
    // It may be behind a file that the user has opened over it. That file stays, because the user may be writing in it.
    if (this.#open?.page.visible === false) this.#open.panel.reveal(viewColumn, true);
    if (this.#open !== undefined) return;
    const { extensionUri, source, onIntent, log } = this.#options;
    const place = { viewColumn, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel('acpHost.prompts', 'Pending Requests', place, { enableScripts: true });
    const page = adoptPanel(panel, {
      extensionUri,
      document: 'prompts',
      schema: pageMessageSchema,
      createFeed: (port: ChatPort) => new PageLink({ port, source, onIntent }),
      onClosed: () => {
        this.#open = undefined;
        this.#setAside = new Set(this.#openIds());
      },
      log,
    });
    this.#open = { panel, page };
    page.load().catch((error: unknown) => log.error('Could not show the panel for requests', error));
  }

  #close(): void {
    this.#open?.page.close();
  }
}

/** The editor group beside the one that the user works in; undefined if there is only one. */
function columnBeside(): vscode.ViewColumn | undefined {
  return vscode.window.tabGroups.all.find(({ isActive }) => !isActive)?.viewColumn;
}
