/** Actions that show the chat. */
import * as vscode from 'vscode';
import type { ActionScope } from './actionScope.js';
import { makeRoom } from './newConversation.js';

export function createChatActions({ parts, target, current }: ActionScope) {
  const { pages, pending, editorInUse, conversations } = parts;
  return {
    async toggleFocus(): Promise<void> {
      if (pages.hasFocus) return editorInUse.focus({ covered: pages.isTabFocused });
      const inTab = conversations.get(pages.lastTabId);
      await pages.focus(inTab !== undefined && pages.isOnScreen(inTab.id) ? inTab : target(), 'composer');
    },
    /** The editor lets the user choose the place, for example the secondary side bar. */
    async moveChat(): Promise<void> {
      await vscode.commands.executeCommand('acpHost.chat.focus');
      await vscode.commands.executeCommand('workbench.action.moveFocusedView', 'acpHost.chat');
    },
    async showNextRequest(): Promise<void> {
      const [oldest] = pending.all;
      if (oldest !== undefined) await pages.focus(oldest.entry, 'prompt');
    },
    async openChat(): Promise<void> {
      const own = target();
      const waiting = pending.all.find(({ entry }) => entry === own) ?? pending.all[0];
      await (waiting === undefined ? pages.focus(own, 'composer') : pages.focus(waiting.entry, 'prompt'));
    },
    async openChatInEditor(): Promise<void> {
      const entry = current();
      await pages.openTab(entry);
      makeRoom(parts, entry);
      await pages.focus(entry, 'composer');
    },
  };
}
