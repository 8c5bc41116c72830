/** Actions that show the chat. */
import type { ActionScope } from './actionScope.js';

export function createChatActions({ parts, target, current }: ActionScope) {
  const { pages, pending } = parts;
  return {
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
