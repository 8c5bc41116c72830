/** Where the window shows what goes on while nobody looks at the chat: status bar, badge, context keys, and (a setting) a notification. */
import * as vscode from 'vscode';
import type { ChatView } from '../../contract/view.js';
import type { ChatPages } from '../chat/chatPages.js';

/** Conditions in package.json (test/extension/manifest.test.ts compares them). */
export const contextKeys = ['acpHost.busy', 'acpHost.waiting', 'acpHost.signInOffered'] as const;

/** @returns draws context keys and badge where they changed */
export function createMarks(pages: ChatPages): (view: ChatView) => void {
  const values = new Map<string, boolean>();
  const setKey = (key: (typeof contextKeys)[number], value: boolean): void => {
    if (values.get(key) === value) return;
    values.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  };
  return ({ composer, prompts, banner }) => {
    setKey('acpHost.busy', composer.busy);
    setKey('acpHost.waiting', prompts.length > 0);
    setKey('acpHost.signInOffered', banner?.buttons.some(({ action }) => action === 'signIn') === true);
    pages.setBadge(prompts.length);
  };
}

export interface NotifierOptions {
  isWanted(): boolean;
  isChatVisible(): boolean;
  openChat(): void;
}

/** @returns tells once of each request that no chat shows */
export function createNotifier({ isWanted, isChatVisible, openChat }: NotifierOptions): (view: ChatView) => void {
  let told: ReadonlySet<string> = new Set();
  return ({ prompts }) => {
    const fresh = prompts.filter(({ id }) => !told.has(id));
    told = new Set(prompts.map(({ id }) => id));
    const first = fresh[0];
    if (first === undefined || isChatVisible() || !isWanted()) return;
    void vscode.window.showInformationMessage(`${first.agent}: ${first.title}`, 'Show').then((choice) => {
      if (choice !== undefined) openChat();
    });
  };
}
