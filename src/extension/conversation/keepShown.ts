import type { WindowMemory } from '../window/windowMemory.js';
import type { OpenConversations } from './openConversations.js';

export interface KeepShownOptions {
  readonly conversations: OpenConversations;
  readonly memory: Pick<WindowMemory, 'shownIn' | 'show' | 'lastShown'>;
}

/**
 * Remembers the conversation in the chat view. Without one, it shows the one that was last shown, as long as a folder is open. Call this when
 * the chat view shows another conversation, and when the folders changed.
 */
export function keepShown({ conversations, memory }: KeepShownOptions): void {
  const { shown } = conversations;
  if (shown !== undefined) return memory.show(shown.folder.path, shown.id);
  const folder = memory.lastShown();
  if (folder === undefined) return;
  const id = memory.shownIn(folder.path);
  conversations.show(conversations.open(folder, id === undefined || conversations.isDeleted(id) ? {} : { id }));
}
