/** Actions that show the chat, or put something into it. */
import type { ActionScope } from './actionScope.js';
import { selectionChip } from '../editor/selection.js';

export function createChatActions({ parts, target, current, source }: ActionScope) {
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
    async addSelectionToChat(): Promise<void> {
      source().addChip(selectionChip());
      await pages.focus(target(), 'composer');
    },
  };
}
