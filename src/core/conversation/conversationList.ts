/** The list of conversations as its front ends see it: plain data, numbered batches, commands. */
import { stripControls } from '../base/terminalCodes.js';
import { firstLine, promptText } from '../session/content.js';
import { type ContentBlock, isInterrupted, isPrompt, type SessionState } from '../session/model.js';
import { titleOf } from '../session/sessionTitle.js';
import { wholeAt, withoutContext } from './context.js';
import type { AgentName, ConversationSummary, SavedConversation, SavedTurn } from './ports.js';
import type { Batch, ConversationView } from './events.js';
import { type ConversationState, lateWorkIn, sessionsOf } from './state.js';

/**
 * `saved`: not open. `interrupted`: its last turn was interrupted, and nothing followed. The others apply to open conversations.
 */
export type ConversationActivity = 'saved' | 'idle' | 'opening' | 'busy' | 'needs_input' | 'blocked' | 'interrupted';

/** What a list shows of a conversation as it is saved. */
type SavedFacts = Omit<SavedConversation, 'summary' | 'unsentWords' | 'place' | 'createdAt'>;

/** A conversation as a list shows it, saved or open. If the user has no name for it, its title is the agent's. */
export interface ConversationListEntry extends SavedFacts {
  readonly agent: AgentName | undefined;
  readonly sessionId: string | undefined;
  /** The first line of the user's first message, or of what is not sent yet. Absent together with `title`: there is neither. */
  readonly firstWords: string | undefined;
  /** When the last turn started or ended, or else when the conversation was created; milliseconds since the epoch. */
  readonly usedAt: number;
  /** It is open, and has messages that wait for a decision of the user. */
  readonly isOnHold: boolean;
  readonly activity: ConversationActivity;
  /** No turn is running, but something that a turn began goes on, or the agent does something by itself. */
  readonly worksLate?: true | undefined;
  /** Since when an open conversation does that, in milliseconds since the epoch. Undefined: it is not open. */
  readonly since: number | undefined;
}

/** Whether a turn runs, or waits for the user. */
export function runsTurn({ activity }: Pick<ConversationListEntry, 'activity'>): boolean {
  return activity === 'busy' || activity === 'needs_input';
}

/** The list of conversations as a snapshot. */
export interface ConversationListState {
  readonly revision: number;
  /** The saved and the open conversations of all folders, in no particular order. */
  readonly conversations: readonly ConversationListEntry[];
}

/** A change of the list. */
export type ConversationListEvent =
  | { readonly type: 'added'; readonly conversation: ConversationListEntry }
  | { readonly type: 'changed'; readonly conversation: ConversationListEntry }
  | { readonly type: 'removed'; readonly id: string };

/** What a front end can do with the conversations of the list. */
export type ConversationListCommand =
  /** @param title if empty, the agent's name for it or its first words are used */
  | { readonly type: 'rename'; readonly id: string; readonly title: string }
  | { readonly type: 'pin'; readonly id: string; readonly isPinned: boolean }
  | { readonly type: 'archive'; readonly id: string; readonly isArchived: boolean }
  | { readonly type: 'leave_out_open_file'; readonly id: string; readonly leavesOut: boolean }
  /**
   * Makes another conversation of an open one, with everything before this turn. Its next prompt begins a session that the agent forked, or
   * one that receives the history as text. The result names it; if nothing precedes the turn, there is nothing of it until it is opened.
   */
  | { readonly type: 'branch'; readonly id: string; readonly turnId: string }
  /**
   * Closes the conversation and removes it from every list. It is deleted from disk when the engine ends.
   */
  | { readonly type: 'delete'; readonly id: string }
  /** Restores a conversation that was deleted. */
  | { readonly type: 'restore'; readonly id: string };

export function reduceList(state: ConversationListState, { revision, events }: Batch<ConversationListEvent>): ConversationListState {
  const byId = new Map(state.conversations.map((one) => [one.id, one]));
  for (const event of events) {
    if (event.type === 'removed') byId.delete(event.id);
    else byId.set(event.conversation.id, event.conversation);
  }
  return { revision, conversations: [...byId.values()] };
}

/** A conversation that is open in this process. */
export interface OpenFacts {
  readonly state: ConversationState;
  /** Without symbolic links. */
  readonly folder: string;
  /** Milliseconds since the epoch. */
  readonly openedAt: number;
}

/** What is known of a conversation of which nothing is saved. */
export const nothingSaved = {
  summary: undefined,
  unsentWords: undefined,
  place: undefined,
  title: undefined,
  isPinned: false,
  isArchived: false,
  isUnread: false,
  isBranch: false,
  leavesOutOpenFile: false,
} satisfies Omit<SavedConversation, 'id' | 'cwd' | 'folder' | 'createdAt'>;

/** @param saved absent: nothing of it is saved */
export function toOpenEntry({ state, folder, openedAt }: OpenFacts, saved: SavedConversation | undefined): ConversationListEntry {
  const { id, cwd, agent, session, opening, outbox, status } = state;
  const [waiting] = outbox;
  const known = toSavedEntry(saved ?? { ...nothingSaved, id, cwd, folder, createdAt: openedAt });
  return {
    ...known,
    cwd,
    folder,
    agent: agent && { id: agent.id, label: agent.label },
    sessionId: session?.sessionId ?? known.sessionId,
    title: saved?.title ?? plain(titleOf(sessionsOf(state))) ?? known.title,
    // Before its first message is sent, a conversation is known by it.
    firstWords: saved?.summary?.firstWords ?? (waiting && wordsOf(waiting.content)) ?? known.firstWords,
    isOnHold: outbox.some(({ held }) => held !== undefined),
    activity: activityIn(state),
    ...(lateWorkIn(state).length > 0 ? { worksLate: true } : {}),
    since: opening?.since ?? ('since' in status ? status.since : undefined) ?? saved?.summary?.usedAt ?? openedAt,
  };
}

export function toSavedEntry(saved: SavedConversation): ConversationListEntry {
  const { id, cwd, folder, place, summary, unsentWords, title, createdAt, isPinned, isArchived, isUnread, isBranch, leavesOutOpenFile } =
    saved;
  return {
    id,
    cwd,
    folder,
    agent: summary?.agent,
    sessionId: place?.sessionId,
    title: title ?? plain(summary?.agentTitle),
    firstWords: summary?.firstWords ?? unsentWords,
    usedAt: summary?.usedAt ?? createdAt,
    isPinned,
    isArchived,
    isUnread,
    isBranch,
    isOnHold: false,
    leavesOutOpenFile,
    activity: summary === undefined || summary.turn === 'idle' ? 'saved' : 'interrupted',
    since: undefined,
  };
}

function activityIn({ status, blocker, opening, sending, interrupted, session }: ConversationState): ConversationActivity {
  if (blocker !== undefined) return 'blocked';
  if (status.state === 'waiting') return 'needs_input';
  if (opening !== undefined) return 'opening';
  if (sending !== undefined || status.state === 'busy') return 'busy';
  return interrupted !== undefined || (session !== undefined && isInterrupted(session)) ? 'interrupted' : 'idle';
}

/** Returns an agent's title without what only controls terminals. */
function plain(title: string | undefined): string | undefined {
  return title && stripControls(title);
}

const rowChars = 200;

/** Shortens a line to what a list row has room for. */
export function inRow(line: string): string {
  return line.slice(0, wholeAt(line, rowChars));
}

/** @returns undefined while there are no messages */
export function summaryOf({
  agent,
  session,
  earlierSessions,
  sending,
}: Pick<ConversationView, 'session' | 'earlierSessions' | 'sending'> & {
  readonly agent: AgentName | undefined;
}): ConversationSummary | undefined {
  const sessions = sessionsOf({ earlierSessions, session });
  if (agent === undefined || sessions.every(({ items }) => items.length === 0)) return undefined;
  const last = session ?? earlierSessions.at(-1);
  return {
    agent: { id: agent.id, label: agent.label },
    agentTitle: titleOf(sessions),
    firstWords: firstWordsOf(sessions),
    usedAt: last === undefined ? 0 : usedAt(last),
    turn: last === undefined ? 'idle' : turnOf(last, sending !== undefined),
    earlier: earlierSessions.map(({ sessionId }) => sessionId),
  };
}

function firstWordsOf(sessions: readonly SessionState[]): string | undefined {
  for (const { items } of sessions) {
    const prompt = items.find(isPrompt);
    if (prompt !== undefined) return wordsOf(prompt.content);
  }
  return undefined;
}

/** The first words of a prompt, without the context of earlier sessions. */
export function wordsOf(content: readonly ContentBlock[]): string {
  return inRow(firstLine(promptText(withoutContext(content))));
}

function usedAt({ turn, items, createdAt }: SessionState): number {
  return turn.type === 'idle' ? (items.findLast((item) => item.kind === 'turn_end')?.at ?? createdAt) : turn.startedAt;
}

function turnOf(session: SessionState, isSending: boolean): SavedTurn {
  if (session.turn.type !== 'idle' || isSending) return 'running';
  return isInterrupted(session) ? 'interrupted' : 'idle';
}
