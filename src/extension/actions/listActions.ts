/** Actions on a conversation in the list, whether it is open or not. */
import type { ConversationListEntry } from '../../core/index.js';
import type { Action } from '../../contract/actions.js';
import type { ChatPages } from '../chat/chatPages.js';
import { findMadeSession } from '../chat/transcript.js';
import { execute } from '../conversation/execute.js';
import type { OpenConversation, OpenConversations } from '../conversation/openConversations.js';
import { nameIn } from '../list/listRow.js';
import { confirm, showMessage } from '../window/windowMessages.js';
import { askText, type HistoryChoice, pickConversation } from './pickers.js';

export type ListAction = Extract<
  Action,
  | 'showHistory'
  | 'openConversation'
  | 'openConversationInEditor'
  | 'openSession'
  | 'renameConversation'
  | 'pinConversation'
  | 'unpinConversation'
  | 'archiveConversation'
  | 'unarchiveConversation'
  | 'deleteConversation'
>;

export interface ListActionParts {
  readonly conversations: OpenConversations;
  readonly pages: ChatPages;
}

/** @param targetId returns the conversation to act on; undefined if there is none */
export function createListActions(
  { conversations, pages }: ListActionParts,
  targetId: () => string | undefined,
): { readonly [A in ListAction]: (itemId?: string) => Promise<void> } {
  const listed = (id = targetId()): ConversationListEntry | undefined => conversations.list.find((one) => one.id === id);
  const opened = (id = targetId()): OpenConversation | undefined => (id === undefined ? undefined : conversations.openListed(id));
  const show = async (entry: OpenConversation | undefined): Promise<void> => {
    if (entry !== undefined) await pages.focus(entry, 'composer');
  };

  /** Opens the session of the notice instead of the conversation that contains the notice. */
  const openSession = async (itemId = ''): Promise<void> => {
    const entry = conversations.get(targetId());
    const session = entry && findMadeSession(entry.conversation.state, itemId);
    if (entry === undefined || session === undefined) return;
    const made = await conversations.openSession(entry.folder, session);
    await pages.openInPlaceOf(entry, made);
    await pages.focus(made, 'composer');
    await execute(made.conversation, { type: 'open' });
  };

  const rename = async (id = targetId()): Promise<void> => {
    const entry = listed(id);
    if (entry === undefined) return;
    const title = await askText('Rename Conversation', 'Leave it empty to use the name that the agent gives it.', nameIn(entry), {
      optional: true,
    });
    if (title !== undefined) await conversations.change({ type: 'rename', id: entry.id, title: title.trim() });
  };

  /** @returns whether the user confirmed and the conversation was deleted */
  const remove = async (id = targetId()): Promise<boolean> => {
    const entry = listed(id);
    if (entry === undefined) return false;
    const name = nameIn(entry);
    const runs = entry.activity === 'busy' || entry.activity === 'needs_input';
    const detail = `${runs ? 'Its turn will be stopped. ' : ''}You can undo this until you close the window.`;
    if (!(await confirm(`Delete "${name}"?`, detail, 'Delete'))) return false;
    await conversations.delete(entry.id);
    // Not awaited, because the message may stay open for any time.
    void showMessage('information', `Deleted "${name}"`, 'Undo').then(async (choice) => {
      if (choice !== undefined) await conversations.change({ type: 'restore', id: entry.id });
    });
    return true;
  };

  const change = async (command: { type: 'pin'; isPinned: boolean } | { type: 'archive'; isArchived: boolean }): Promise<void> => {
    const entry = listed();
    if (entry !== undefined) await conversations.change({ ...command, id: entry.id });
  };

  return {
    async showHistory() {
      const current = conversations.current?.id;
      const choice: HistoryChoice | undefined = await pickConversation({
        entries: () => conversations.list,
        currentId: current,
        onListChange: (listener) => conversations.onListChange(listener),
        rename,
        remove: async (id) => void (await remove(id)),
      });
      if (choice !== undefined) await show(opened(choice.id));
    },
    openConversation: () => show(opened()),
    async openConversationInEditor() {
      const entry = opened();
      if (entry === undefined) return;
      await pages.openTab(entry);
      await pages.focus(entry, 'composer');
    },
    openSession,
    renameConversation: () => rename(),
    pinConversation: () => change({ type: 'pin', isPinned: true }),
    unpinConversation: () => change({ type: 'pin', isPinned: false }),
    archiveConversation: () => change({ type: 'archive', isArchived: true }),
    unarchiveConversation: () => change({ type: 'archive', isArchived: false }),
    deleteConversation: async () => void (await remove()),
  };
}
