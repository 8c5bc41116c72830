/** Goes back to a message of the user: to send it again from its place, edited, and to restore the files from before it. */
import {
  type ChangeSet,
  type ContentBlock,
  type ConversationState,
  HostError,
  type MessageItem,
  withoutContext,
  isInTurn,
  sessionsOf,
} from '../../core/index.js';
import { counted } from '../../text/sentence.js';
import { isTakenBack } from '../chat/changesView.js';
import { findItem, viewIdOf } from '../chat/transcript.js';
import { textOf } from '../chat/messageView.js';
import { filesOf } from '../chat/toReview.js';
import { showMessage } from '../window/windowMessages.js';
import type { ToldMessage } from '../pages/pageLink.js';
import type { ActionScope } from './actionScope.js';
import type { ChangeActions } from './changeActions.js';
import { pickFilesToRestore, pickMessage } from './pickers.js';
import { putBack, sendPrompt } from './promptActions.js';

/** How many names there is room for. */
const mostNamed = 5;

export function createRewindActions(scope: ActionScope, { filesIn, takeBack }: Pick<ChangeActions, 'filesIn' | 'takeBack'>) {
  const { parts, current, ask } = scope;
  const { conversations, pages } = parts;
  /** @throws HostError `usage` if a message of the page is gone, or began no turn here */
  const messageAt = (state: ConversationState, itemId: string): MessageItem & { readonly turnId: string } => {
    const item = findItem(state, itemId);
    const turnId = item?.kind === 'message' && item.role === 'user' ? item.turnId : undefined;
    if (item?.kind !== 'message' || turnId === undefined)
      throw new HostError('usage', { detail: "This message didn't start a turn of this conversation" });
    return { ...item, turnId };
  };

  const editing = (state: ConversationState, itemId: string, turnId: string): Extract<ToldMessage, { type: 'editMessage' }> => {
    const sets = changesSince(state, turnId);
    const names = filesOf(sets).map(({ path }) => path);
    // Of a change set with many files, only some are known here.
    const count = names.length + sets.reduce((sum, { fileCount, files: its }) => sum + fileCount - its.length, 0);
    const named = names.slice(0, mostNamed);
    const rest = count - named.length;
    const files = `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
    const restore = names.length === 0 ? {} : { restore: { label: `Restore ${counted(count, 'file')}`, files } };
    return { type: 'editMessage', itemId, ...restore };
  };

  return {
    /** Makes a message editable in the page. @param itemId the user's message */
    editMessage(itemId = ''): void {
      const entry = current();
      const { state } = entry.conversation;
      const item = findItem(state, itemId);
      if (item?.kind !== 'message') return;
      // If the agent has replayed it, nothing can begin there.
      if (item.turnId === undefined) putBack(parts, entry, { id: itemId, content: withoutContext(item.content) });
      else pages.tell(entry.id, editing(state, itemId, item.turnId));
    },
    /** Lists the user's messages. The chosen one becomes editable. */
    async rewind(): Promise<void> {
      const entry = current();
      const messages = messagesIn(entry.conversation.state);
      const chosen = messages.length === 0 ? undefined : await ask(() => pickMessage(messages, Date.now()));
      if (messages.length === 0) await showMessage('information', 'There is no message to rewind to in this conversation');
      if (chosen === undefined) return;
      const { state } = entry.conversation;
      await pages.focus(entry, 'composer', editing(state, chosen, messageAt(state, chosen).turnId));
    },
    /** Sends a message again from its place, in another conversation that has everything before it. @param restores see changesSince */
    async sendFrom(itemId: string, text: string, restores: boolean): Promise<void> {
      const entry = current();
      const { state } = entry.conversation;
      // What returns to the composer if it is not sent, and where that is.
      let unsent = withText([], text);
      let place = entry;
      try {
        const { turnId, content } = messageAt(state, itemId);
        unsent = withText(content, text);
        if (isInTurn(state)) throw new HostError('usage', { detail: 'A turn is running. Stop it before you rewind' });
        const sets = restores ? changesSince(state, turnId).map(({ id }) => id) : [];
        const branch = await conversations.branch(entry, turnId);
        await pages.openInPlaceOf(entry, branch);
        place = branch;
        if (sets.length > 0) await takeBack(entry, sets);
        await pages.focus(place, 'composer');
        if (await sendPrompt(place.conversation, { content: unsent }, scope)) unsent = [];
      } finally {
        if (unsent.length > 0) putBack(parts, place, { id: itemId, content: unsent });
      }
    },
    /** Restores files to how they were before a message, and leaves the conversation as it is. @param itemId the user's message */
    async restoreFiles(itemId = ''): Promise<void> {
      const entry = current();
      const { state } = entry.conversation;
      const since = changesSince(state, messageAt(state, itemId).turnId);
      const sets = await Promise.all(since.map(async (set) => ({ ...set, files: await filesIn(entry, set) })));
      const files = filesOf(sets);
      if (files.length === 0) {
        await showMessage('information', 'No turn has changed files since this message, or the changes are undone');
        return;
      }
      const chosen = await ask(() => pickFilesToRestore(files));
      if (chosen === undefined || chosen.length === 0) return;
      const ids = sets.map(({ id }) => id);
      // What may be the user's has to be named.
      if (chosen.length === files.length && !chosen.some(({ alsoUser }) => alsoUser)) await takeBack(entry, ids);
      else await takeBack(entry, ids, withEarlierNames(new Set(chosen.map(({ path }) => path)), sets));
    },
  };
}

/** Returns what this turn and later ones changed and is not undone; nothing while a turn is running, because it may change more. */
function changesSince(state: ConversationState, turnId: string): readonly ChangeSet[] {
  if (isInTurn(state)) return [];
  const turns = sessionsOf(state).flatMap(({ items }) => items.flatMap((item) => (item.kind === 'turn_end' ? [item.turnId] : [])));
  const first = turns.indexOf(turnId);
  const since = new Set(first === -1 ? [] : turns.slice(first));
  return state.changes.filter((set) => set.kind === 'turn' && since.has(set.id) && !isTakenBack(set));
}

/** A file that was renamed since has to be restored under each of its names. */
function withEarlierNames(paths: Set<string>, sets: readonly ChangeSet[]): readonly string[] {
  for (const { files } of sets.toReversed()) for (const { path, from } of files) if (from !== undefined && paths.has(path)) paths.add(from);
  return [...paths];
}

/** Newest first, without those at which nothing can begin. */
function messagesIn(state: ConversationState): readonly { id: string; text: string; at: number }[] {
  return sessionsOf(state)
    .flatMap((one) =>
      one.items.flatMap((item) =>
        item.kind === 'message' && item.role === 'user' && item.turnId !== undefined
          ? [{ id: viewIdOf(one, item.id), text: textOf(withoutContext(item.content)), at: item.startedAt }]
          : [],
      ),
    )
    .toReversed();
}

/** Puts another text in the place of that of a message, whose other parts go along. */
function withText(content: readonly ContentBlock[], text: string): readonly ContentBlock[] {
  const attached = withoutContext(content).filter(({ type }) => type !== 'text');
  return text === '' ? attached : [{ type: 'text', text }, ...attached];
}
