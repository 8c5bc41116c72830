/** Sends a message again from its place in the conversation, in another conversation that has everything before it. */
import { type ChangeSet, type ConversationState, type EngineClient, HostError } from '../../core/index.js';
import { counted } from '../../text/sentence.js';
import { isTakenBack } from '../chat/changesView.js';
import type { ChatPages } from '../chat/chatPages.js';
import { findItem } from '../chat/transcript.js';
import type { OpenConversation, OpenConversations } from '../conversation/openConversations.js';
import { choose, showMessage } from '../window/windowMessages.js';
import type { ActionScope } from './actionScope.js';
import { textOfLeft } from './changeActions.js';

export interface BranchActionParts {
  readonly engine: Pick<EngineClient, 'call'>;
  readonly conversations: Pick<OpenConversations, 'branch'>;
  readonly pages: Pick<ChatPages, 'focus' | 'openInPlaceOf'>;
  current(): OpenConversation;
  readonly ask: ActionScope['ask'];
  /** Runs work that no command waits for, and shows what fails. */
  readonly report: (work: () => Promise<unknown>) => Promise<void>;
}

export function createBranchActions({ engine, conversations, pages, current, ask, report }: BranchActionParts) {
  return {
    /** @param itemId the user's message */
    async branchConversation(itemId = ''): Promise<void> {
      const entry = current();
      const { state } = entry.conversation;
      const item = findItem(state, itemId);
      const turnId = item?.kind === 'message' && item.role === 'user' ? item.turnId : undefined;
      if (turnId === undefined) throw new HostError('usage', { detail: 'This message began no turn of this conversation' });
      const sets = changesSince(state, turnId);
      if (sets.length > 0) {
        const { size } = new Set(sets.flatMap((set) => set.files.map(({ path }) => path)));
        const restore = `Restore ${counted(size, 'File')}`;
        const detail = `This message and those after it changed ${counted(size, 'file')}. You can restore them to how they were before it. The message then continues in a new conversation, and this one stays in the list.`;
        const choice = await ask(() => choose('Rewind to this message?', detail, restore, 'Keep Files'));
        if (choice === undefined) return;
        if (choice === restore) {
          const { left } = await engine.call('undo_changes', { id: entry.id, sets: sets.map(({ id }) => id) });
          if (left.length > 0) void report(() => showMessage('information', textOfLeft(left)));
        }
      }
      const branch = await conversations.branch(entry, turnId);
      await pages.openInPlaceOf(entry, branch);
      await pages.focus(branch, 'composer');
    },
  };
}

/** Returns what this turn and later ones changed and is not undone; nothing while a turn is running, because it may change more. */
function changesSince({ earlierSessions, session, changes }: ConversationState, turnId: string): readonly ChangeSet[] {
  if (session !== undefined && session.turn.type !== 'idle') return [];
  const turns = [...earlierSessions, ...(session === undefined ? [] : [session])].flatMap(({ items }) =>
    items.flatMap((item) => (item.kind === 'turn_end' ? [item.turnId] : [])),
  );
  const since = new Set(turns.slice(Math.max(0, turns.indexOf(turnId))));
  return changes.filter((set) => set.kind === 'turn' && since.has(set.id) && !isTakenBack(set));
}
