/** What the window shows while no chat is on screen: badge, context keys, and (a setting) a notification. */
import * as vscode from 'vscode';
import type { ChatView } from '../../contract/view.js';
import { chatFocusedKey, contextKeys } from './contextKeys.js';

export function markFocus(isFocused: boolean): void {
  void vscode.commands.executeCommand('setContext', chatFocusedKey, isFocused);
}

/** @returns draws context keys and badge where they changed */
export function createMarks(pages: { setBadge(pending: number): void }): (view: ChatView) => void {
  const drawn = new Map<string, boolean>();
  return (view) => {
    for (const [key, isSet] of Object.entries(contextKeys)) {
      const value = isSet(view);
      if (drawn.get(key) === value) continue;
      drawn.set(key, value);
      void vscode.commands.executeCommand('setContext', key, value);
    }
    pages.setBadge(view.prompts.length);
  };
}

export interface NotifierOptions {
  isWanted(): boolean;
  isChatVisible(): boolean;
  openChat(): void;
}

/** @returns notifies once of each request that no chat shows */
export function createNotifier({ isWanted, isChatVisible, openChat }: NotifierOptions): (view: ChatView) => void {
  let known: ReadonlySet<string> = new Set();
  return ({ prompts }) => {
    const added = prompts.filter(({ id }) => !known.has(id));
    known = new Set(prompts.map(({ id }) => id));
    const first = added[0];
    if (first === undefined || isChatVisible() || !isWanted()) return;
    void vscode.window.showInformationMessage(`${first.agent}: ${first.title}`, 'Show').then((choice) => {
      if (choice !== undefined) openChat();
    });
  };
}
