import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { HostMessage } from '../../contract/messages.js';
import { pageMessageSchema } from '../../contract/pageMessages.js';
import { type Disposable, DisposableStore, type Logger } from '../../core/index.js';
import type { OpenConversation, OpenConversations } from '../conversation/openConversations.js';
import { type ChatPort, type PageIntent, PageLink, type PageSource, type ToldMessage } from '../pages/pageLink.js';
import { adoptPanel, resolveView, type WebviewPage } from '../pages/webviewPage.js';
import type { ChatSources } from './chatSource.js';

export const chatPanelType = 'acpHost.chatPanel';

export interface ChatPagesOptions {
  readonly extensionUri: vscode.Uri;
  readonly conversations: OpenConversations;
  readonly sources: ChatSources;
  /** Returns the name of a tab. */
  nameOf(entry: OpenConversation): string;
  /**
   * Returns the conversation of a tab that the editor restored.
   * @returns undefined if there is no such conversation any more
   */
  reopen(id: string): Promise<OpenConversation | undefined>;
  readonly onIntent: (intent: PageIntent) => void;
  /** Called when a page became visible, ready or hidden. */
  readonly onVisibility: () => void;
  /** Called when the chat got or lost the keyboard focus. */
  readonly onFocus: (focused: boolean) => void;
  readonly log: Logger;
}

type ChatPage = WebviewPage<PageLink>;

/** The part that the host reads of what a page saves over a reload of the window. */
const pageStateSchema = z.object({ conversation: z.string() });

/**
 * The places that show conversations: the view in a side bar, which shows different ones over time, and tabs in the editor area, one per
 * conversation.
 */
export class ChatPages implements Disposable {
  readonly #options: ChatPagesOptions;
  readonly #store = new DisposableStore();
  /** The page with the keyboard focus; `tabId` is absent for the view. */
  readonly #focus: ChatFocus<{ readonly tabId: string | undefined }>;
  readonly #tabs = new Map<string, ChatPage>();
  #view: ChatPage | undefined;
  #lastTabId: string | undefined;
  /** What the view is told when the editor has created it. */
  #awaited: readonly ToldMessage[] = [];

  constructor(options: ChatPagesOptions) {
    this.#options = options;
    this.#focus = new ChatFocus(options.onFocus);
    this.#store.add(options.conversations.onClosed(({ id }) => this.#tabs.get(id)?.close()));
    this.#store.add(
      options.conversations.onShown(() => {
        this.labelTabs();
        options.onVisibility();
      }),
    );
  }

  /** Whether a visible page shows the conversation. */
  isOnScreen(id: string): boolean {
    return this.#pageOf(id) !== undefined;
  }

  /** Whether a visible page that shows the conversation is ready for messages. */
  hears(id: string): boolean {
    return this.#pageOf(id)?.feed.isReady === true;
  }

  /** Whether the conversation has a tab, visible or not. */
  hasTab(id: string): boolean {
    return this.#tabs.has(id);
  }

  /** Call this when the editor has created the view, which may happen again after it removed the view. */
  async resolveView(webviewView: vscode.WebviewView): Promise<void> {
    const onClosed = (): void => (this.#view = undefined);
    const page = this.#store.add(resolveView(webviewView, this.#pageOptions(this.#options.sources.shown, undefined, onClosed)));
    this.#view = page;
    for (const message of this.#awaited) page.feed.tell(message);
    this.#awaited = [];
    this.labelTabs();
    await page.load();
  }

  /** Opens a conversation in its own tab, or reveals the tab. */
  async openTab(entry: OpenConversation): Promise<void> {
    const tab = this.#tabs.get(entry.id);
    if (tab !== undefined) return tab.reveal();
    const place = { viewColumn: vscode.ViewColumn.Active, preserveFocus: false };
    await this.#adopt(vscode.window.createWebviewPanel(chatPanelType, this.#options.nameOf(entry), place, { enableScripts: true }), entry);
  }

  /** Opens a conversation where the user worked in another one: in a tab or in the chat view. */
  async openInPlaceOf(before: OpenConversation | undefined, entry: OpenConversation): Promise<void> {
    if (before !== undefined && before.id === this.#options.conversations.activeId) await this.openTab(entry);
    else this.#options.conversations.show(entry);
  }

  /**
   * Takes over a tab that the editor restored after a reload of the window.
   * @param state the saved state of the page
   */
  async adoptTab(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const kept = pageStateSchema.safeParse(state);
    const entry = kept.success ? await this.#options.reopen(kept.data.conversation) : this.#options.conversations.current;
    // The conversation was deleted in the meantime, or already has a tab.
    if (entry === undefined || this.#tabs.has(entry.id)) panel.dispose();
    else await this.#adopt(panel, entry);
  }

  /** Whether one of the pages has the keyboard focus. */
  get hasFocus(): boolean {
    return this.#focus.holder !== undefined;
  }

  /** Whether the page with the keyboard focus is a tab. */
  get isTabFocused(): boolean {
    return this.#focus.holder?.tabId !== undefined;
  }

  /** The conversation in whose tab the user last wrote; undefined if that was in the chat view. */
  get lastTabId(): string | undefined {
    return this.#lastTabId;
  }

  /**
   * Moves the keyboard focus to a conversation: to the visible page that shows it, else to its tab, else to the chat view, which then shows
   * it.
   * @param then what the page is told as well, once it is there
   */
  async focus(entry: OpenConversation | undefined, target: 'composer' | 'prompt', then?: ToldMessage): Promise<void> {
    const page = entry === undefined ? undefined : (this.#pageOf(entry.id) ?? this.#tabs.get(entry.id));
    const { conversations } = this.#options;
    if (page !== undefined) page.reveal();
    else {
      if (entry !== undefined) conversations.show(entry);
      await vscode.commands.executeCommand('acpHost.chat.focus');
    }
    if (page === undefined || page === this.#view) conversations.activate(undefined);
    else conversations.activate(entry?.id);
    const told = page ?? this.#view;
    const messages = [{ type: 'focus', target } as const, ...(then === undefined ? [] : [then])];
    // The editor may create the view a moment after it has the focus.
    if (told === undefined) this.#awaited = messages;
    else for (const message of messages) told.feed.tell(message);
  }

  /**
   * Shows the conversation without moving the keyboard focus. Does nothing while the user works in another conversation in the chat view, which
   * would take its place.
   */
  async reveal(entry: OpenConversation): Promise<void> {
    const { conversations } = this.#options;
    const tab = this.#tabs.get(entry.id);
    if (tab !== undefined) return tab.reveal(true);
    if (this.#focus.holder !== undefined && this.#focus.holder.tabId === undefined) return;
    conversations.show(entry);
    await vscode.commands.executeCommand('acpHost.chat.focus', { preserveFocus: true });
  }

  /**
   * Posts to the visible page that shows the conversation.
   * @returns false if there is none
   */
  tell(id: string, message: Extract<HostMessage, { type: 'focus' | 'follow' | 'returnText' | 'editMessage' }>): boolean {
    const page = this.#pageOf(id);
    page?.feed.tell(message);
    return page !== undefined;
  }

  /** Passes on a draft to every page of the conversation, also to the one in which it was written. */
  tellDraft(id: string, text: string): void {
    for (const page of [this.#tabs.get(id), this.#view]) page?.feed.tellDraft(id, text);
  }

  /** Call this when conversations were renamed, or their states changed. */
  labelTabs(): void {
    const { conversations, nameOf } = this.#options;
    for (const [id, tab] of this.#tabs) {
      const entry = conversations.get(id);
      if (entry === undefined) continue;
      tab.setTitle(nameOf(entry));
      const listed = conversations.listed(id);
      tab.setLook(listed?.activity === 'needs_input' ? 'panel-waiting' : listed?.isUnread === true ? 'panel-done' : 'panel');
    }
    if (conversations.shown !== undefined) this.#view?.setTitle(nameOf(conversations.shown));
  }

  dispose(): void {
    this.#store.dispose();
  }

  async #adopt(panel: vscode.WebviewPanel, entry: OpenConversation): Promise<void> {
    const { conversations, sources, onVisibility } = this.#options;
    const { id } = entry;
    let wasActive = false;
    const onTab = (isActive: boolean): void => {
      if (isActive !== wasActive)
        conversations.activate(isActive ? id : conversations.activeId === id ? undefined : conversations.activeId);
      wasActive = isActive;
    };
    const onClosed = (): void => {
      if (this.#tabs.get(id) === page) this.#tabs.delete(id);
      onTab(false);
    };
    const page: ChatPage = this.#store.add(
      adoptPanel(panel, {
        ...this.#pageOptions(sources.of(entry), id, onClosed),
        onVisibility: () => {
          onTab(panel.active && this.#tabs.has(id));
          onVisibility();
        },
      }),
    );
    this.#tabs.set(id, page);
    this.labelTabs();
    onTab(panel.active);
    await page.load();
  }

  /** The page in which the user works takes precedence, and otherwise the tab, because the user opened it to see it. */
  #pageOf(id: string): ChatPage | undefined {
    const inTab = this.#tabs.get(id);
    const inView = this.#options.conversations.shown?.id === id ? this.#view : undefined;
    const { holder } = this.#focus;
    const pages = holder !== undefined && holder.tabId === undefined ? [inView, inTab] : [inTab, inView];
    return pages.find((page) => page?.visible === true);
  }

  #pageOptions(source: PageSource, tabId: string | undefined, onClosed: () => void) {
    const { extensionUri, conversations, onIntent, onVisibility, log } = this.#options;
    return {
      extensionUri,
      document: 'chat',
      schema: pageMessageSchema,
      createFeed: (port: ChatPort) => {
        const page = { tabId };
        const onFocus = (focused: boolean): void => {
          this.#focus.set(page, focused);
          if (!focused) return;
          this.#lastTabId = tabId;
          conversations.activate(tabId);
        };
        return new PageLink({ port, source, onIntent, onFocus, onReady: onVisibility });
      },
      onVisibility,
      onClosed,
      log,
    } as const;
  }
}

/** Tracks which page of the chat has the keyboard focus. The blur of one page may arrive after the focus of the next. */
export class ChatFocus<Page extends object> {
  readonly #onChange: (focused: boolean) => void;
  #holder: Page | undefined;

  constructor(onChange: (focused: boolean) => void) {
    this.#onChange = onChange;
  }

  get holder(): Page | undefined {
    return this.#holder;
  }

  /** @param page stands for the page; compared by identity */
  set(page: Page, focused: boolean): void {
    const before = this.#holder;
    if (focused) this.#holder = page;
    else if (before === page) this.#holder = undefined;
    if ((before === undefined) !== (this.#holder === undefined)) this.#onChange(this.#holder !== undefined);
  }
}
