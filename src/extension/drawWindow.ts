/**
 * Everything that a window shows outside the pages: the status bar, the conditions of commands, the panel for requests, and notifications.
 */
import type * as vscode from 'vscode';
import type { ConversationState, EngineSummary } from '../core/index.js';
import type { ChatSources } from './chat/chatSource.js';
import type { PendingPrompts } from './chat/pendingPrompts.js';
import { reviewOf } from './chat/toReview.js';
import type { OpenConversation, OpenConversations } from './conversation/openConversations.js';
import { isUnnamed, unseenEnds } from './list/listRow.js';
import { createMarks } from './status/attention.js';
import { createRequestNotices, type RequestNoticeOptions } from './status/notices.js';
import { drawStatus, statusOf } from './status/statusBar.js';

export interface WindowDrawerParts extends RequestNoticeOptions {
  readonly statusItem: vscode.StatusBarItem;
  readonly conversations: OpenConversations;
  readonly sources: ChatSources;
  readonly pending: PendingPrompts;
  readonly list: { readonly showsArchived: boolean };
  readonly promptPanel: { refresh(): void };
  nameOf(entry: OpenConversation): string;
  /** Undefined while it can't be reached. */
  engine(): EngineSummary | undefined;
}

/** @returns a function that draws the current state; call it whenever `sources`, the pending requests or the list changed */
export function windowDrawer(parts: WindowDrawerParts): () => void {
  const { statusItem, conversations, sources, pending, list, promptPanel, nameOf } = parts;
  const mark = createMarks();
  const notify = createRequestNotices(parts);
  return () => {
    const { current } = conversations;
    const view = sources.current.view();
    const elsewhere = pending.conversations.filter((entry) => entry !== current).map(nameOf);
    const ended = unseenEnds(conversations.list);
    drawStatus(statusItem, statusOf(view, current?.conversation.state, { elsewhere, ended, engine: parts.engine() }));
    const row = current === undefined ? undefined : conversations.listed(current.id);
    mark({
      view,
      shown: sources.shown.view(),
      hasHunks: conversations.all.some(({ conversation }) => reviewOf(conversation.state.changes).files.length > 0),
      pending: pending.all.length,
      signsOut: current !== undefined && signsOut(current.conversation.state),
      listed: row === undefined || isUnnamed(row) ? undefined : row,
      showsArchived: list.showsArchived,
    });
    promptPanel.refresh();
    notify(pending.all.map(({ prompt }) => prompt));
  };
}

/** Whether the user is signed in to the agent as far as is known, and can sign out. */
function signsOut({ info, status, blocker }: ConversationState): boolean {
  const isRunning = status.state !== 'stopped' && status.state !== 'failed';
  return isRunning && info?.signsOut === true && blocker?.type !== 'sign_in';
}
