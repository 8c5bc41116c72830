/** Actions that show the chat. */
import type { ActionScope } from './actionScope.js';

export function createChatActions({ parts, target, current }: ActionScope) {
  const { pages, pending, editorInUse, conversations } = parts;
  return {
    async toggleFocus(): Promise<void> {
      if (pages.hasFocus) return editorInUse.focus({ covered: pages.isTabFocused });
      const inTab = conversations.get(pages.lastTabId);
      await pages.focus(inTab !== undefined && pages.isOnScreen(inTab.id) ? inTab : target(), 'composer');
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
      await pages.openTab(current());
      await pages.focus(current(), 'composer');
    },
  };
}
