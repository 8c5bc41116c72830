/** A conversation as a row of a list: its name, and what it is doing. */
import type { AgentSessionList, ConversationActivity, ConversationListEntry, SavedSession } from '../../core/index.js';
import { shortName, unnamed } from '../conversation/conversationName.js';
import { ageText } from './age.js';

export interface ListRow {
  /** One line. */
  readonly name: string;
  /** The agent, the age, and what the conversation is doing if that is unusual. */
  readonly description: string;
  readonly age: string;
  readonly agent: string | undefined;
  /** The name of a codicon for the state. */
  readonly icon: string;
  /** What stands beside the name; absent if there is nothing unusual. */
  readonly mark?: RowMark;
  /** The whole row as text, for screen readers. */
  readonly spoken: string;
}

/** The state of a conversation in one letter, which VS Code shows at the end of the row. */
export interface RowMark {
  readonly sign: string;
  readonly words: string;
  /** The id of a theme color. */
  readonly color?: string;
}

interface StateLook {
  readonly icon: string;
  readonly mark?: RowMark;
}

const warning = 'list.warningForeground';

const looks: Readonly<Record<ConversationActivity, StateLook>> = {
  saved: { icon: 'comment' },
  idle: { icon: 'comment-discussion' },
  opening: { icon: 'loading~spin', mark: { sign: '⋯', words: 'starting' } },
  busy: { icon: 'loading~spin', mark: { sign: '⋯', words: 'working' } },
  needs_input: { icon: 'bell-dot', mark: { sign: '?', words: 'needs input', color: warning } },
  blocked: { icon: 'warning', mark: { sign: '!', words: 'needs attention', color: warning } },
  interrupted: { icon: 'debug-disconnect', mark: { sign: '×', words: 'interrupted', color: warning } },
};
const late: StateLook = { icon: 'loading~spin', mark: { sign: '⋯', words: 'still working' } };
const onHold: StateLook = { icon: 'debug-pause', mark: { sign: '‖', words: 'messages on hold', color: warning } };
const unread: StateLook = { icon: 'circle-filled', mark: { sign: '●', words: 'done', color: 'textLink.foreground' } };

/** Every mark by its words, which are unique. */
export const rowMarks: ReadonlyMap<string, RowMark> = new Map(
  [...Object.values(looks), late, onHold, unread].flatMap(({ mark }) => (mark === undefined ? [] : [[mark.words, mark] as const])),
);

function lookOf({ activity, isOnHold, isUnread, worksLate }: ConversationListEntry): StateLook {
  const look = looks[activity];
  if (activity === 'interrupted' || look.mark === undefined) {
    if (isOnHold) return onHold;
    if (isUnread && activity !== 'interrupted') return unread;
    if (worksLate === true) return late;
  }
  return look;
}

/** @param now milliseconds since the epoch */
export function listRow(entry: ConversationListEntry, now: number): ListRow {
  const { agent, isPinned, isArchived, usedAt } = entry;
  const { icon, mark } = lookOf(entry);
  const name = nameIn(entry);
  const age = ageText(usedAt, now);
  const facts = [mark?.words, agent?.label, age].filter((fact) => fact !== undefined);
  return {
    name,
    description: facts.join(' · '),
    age,
    agent: agent?.label,
    icon: mark !== undefined ? icon : isArchived ? 'archive' : isPinned ? 'pinned' : icon,
    ...(mark === undefined ? {} : { mark }),
    spoken: [name, ...facts, isPinned ? 'pinned' : undefined, isArchived ? 'archived' : undefined]
      .filter((fact) => fact !== undefined)
      .join(', '),
  };
}

/** Returns the row of a session that is no conversation. @param now milliseconds since the epoch */
export function sessionRow(
  { agent, session: { title, sessionId, updatedAt } }: { readonly agent: AgentSessionList['agent']; readonly session: SavedSession },
  now: number,
): Pick<ListRow, 'name' | 'age' | 'spoken'> {
  const name = shortName(title ?? '') ?? shortName(sessionId) ?? unnamed;
  const age = updatedAt === undefined ? '' : ageText(updatedAt, now);
  return { name, age, spoken: [name, 'other session', agent.label, age].filter((fact) => fact !== '').join(', ') };
}

/** The number of characters beside which the age fits at the default width of the side bar. */
const rowChars = 28;

/** Returns the beginning of a name, because VS Code would cut the end of the row, which is its age. */
export function rowName(name: string): string {
  if (name.length <= rowChars) return name;
  const cut = name.slice(0, rowChars - 1);
  // Not in the middle of a word, unless the word is long.
  const space = cut.lastIndexOf(' ');
  return `${(space > rowChars / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** Returns the user's or the agent's name for the conversation, or the beginning of its first message. */
export function nameIn({ title, firstWords }: Pick<ConversationListEntry, 'title' | 'firstWords'>): string {
  return shortName(title ?? '') ?? shortName(firstWords ?? '') ?? unnamed;
}

/** Whether neither the user nor the agent has named the conversation, and nothing was said or written in it. */
export function isUnnamed({ title, firstWords }: Pick<ConversationListEntry, 'title' | 'firstWords'>): boolean {
  return title === undefined && firstWords === undefined;
}

/** These activities alone are no reason to list a conversation without messages: its agent may just have failed to start. */
const quiet: ReadonlySet<ConversationActivity> = new Set(['idle', 'saved', 'opening', 'blocked']);

/** Whether nothing was said or written, and nothing waits or runs. Lists don't show such a conversation. */
export function isBlank(entry: ConversationListEntry): boolean {
  return isUnnamed(entry) && quiet.has(entry.activity);
}

/** Pinned conversations come first, then the most recently used. The pin of an archived one does not count. */
export function inListOrder(a: ConversationListEntry, b: ConversationListEntry): number {
  return Number(isOnTop(b)) - Number(isOnTop(a)) || b.usedAt - a.usedAt || (a.id < b.id ? -1 : 1);
}

export function isOnTop({ isPinned, isArchived }: ConversationListEntry): boolean {
  return isPinned && !isArchived;
}
