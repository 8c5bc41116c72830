/** A conversation as a row of a list: its name, and what it is doing. */
import {
  type AgentSessionList,
  type ConversationHit,
  type ConversationActivity,
  type ConversationListEntry,
  type ConversationState,
  firstLine,
  isPrompt,
  promptText,
  type SavedSession,
  titleOf,
  sessionsOf,
} from '../../core/index.js';
import { oneLine, shorten, withEllipsis } from '../../text/plainText.js';
import { foundText } from '../../text/listText.js';

/** Formats how long ago something was, as a short text. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Created once, because that takes longer than everything else for a row. */
let dateFormat: Intl.DateTimeFormat | undefined;

/**
 * Returns "now", "5 min", "3 h", "2 days", and a date after a month.
 * @param at milliseconds since the epoch
 */
export function ageText(at: number, now: number): string {
  const age = now - at;
  if (age < minuteMs) return 'now';
  if (age < hourMs) return `${Math.floor(age / minuteMs)} min`;
  if (age < dayMs) return `${Math.floor(age / hourMs)} h`;
  const days = Math.floor(age / dayMs);
  if (days < 31) return days === 1 ? '1 day' : `${days} days`;
  dateFormat ??= new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric' });
  return dateFormat.format(at);
}

/**
 * Returns the group of days of a list.
 * @param at milliseconds since the epoch
 */
export function dayGroup(at: number, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (at >= midnight) return 'Today';
  // Rounded, because a day may have 23 or 25 hours.
  const days = Math.round((midnight - new Date(at).setHours(0, 0, 0, 0)) / dayMs);
  if (days <= 1) return 'Yesterday';
  return days <= 7 ? 'Previous 7 Days' : days <= 30 ? 'Previous 30 Days' : 'Older';
}

/** Longer names make tabs unreadable. */
const longest = 60;

const unnamed = 'New conversation';

/** Returns the name of a conversation: the agent's title, else the first line of the first message. */
export function conversationName(state: ConversationState): string {
  const sessions = sessionsOf(state);
  const title = titleOf(sessions);
  const first = sessions.flatMap(({ items }) => items).find(isPrompt);
  return shortName(title ?? firstLine(promptText(first?.content ?? []))) ?? unnamed;
}

/** @returns undefined if the text contains nothing to read */
function shortName(text: string): string | undefined {
  return oneLine(text, longest) || undefined;
}

export interface ListRow {
  /** One line. */
  readonly name: string;
  /** The agent, the age, and what is unusual about the conversation. */
  readonly description: string;
  /** What stands beside the name: the age, and whether it is a branch, which often has the name of its original. */
  readonly beside: string;
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
  opening: { icon: 'loading~spin', mark: { sign: '◐', words: 'starting' } },
  busy: { icon: 'loading~spin', mark: { sign: '◐', words: 'working' } },
  needs_input: { icon: 'bell-dot', mark: { sign: '?', words: 'needs input', color: warning } },
  blocked: { icon: 'warning', mark: { sign: '!', words: 'needs attention', color: warning } },
  interrupted: { icon: 'debug-disconnect', mark: { sign: '×', words: 'interrupted', color: warning } },
};
const late: StateLook = { icon: 'loading~spin', mark: { sign: '◐', words: 'still working' } };
const onHold: StateLook = { icon: 'debug-pause', mark: { sign: '‖', words: 'messages on hold', color: warning } };
const unread = { icon: 'circle-filled', mark: { sign: '●', words: 'done', color: 'textLink.foreground' } } satisfies StateLook;

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

/** How turns ended out of the user's sight: in the words of their rows. Those that need input are told of in other ways. */
interface UnseenEnds {
  /** Such as `2 done, 1 interrupted`; '' if there are none. */
  readonly text: string;
  /** A line for each. */
  readonly facts: readonly string[];
}

export function unseenEnds(entries: readonly ConversationListEntry[]): UnseenEnds {
  const ended = entries
    .filter(({ isUnread, activity }) => isUnread && activity !== 'needs_input')
    .map((entry) => ({ name: nameIn(entry), words: lookOf(entry).mark?.words ?? unread.mark.words }));
  const kinds = [...new Set(ended.map(({ words }) => words))];
  return {
    text: kinds.map((words) => counted(ended.filter((one) => one.words === words).length, words)).join(', '),
    facts: ended.map(({ name, words }) => `"${name}": ${words}`),
  };
}

/** In a count of conversations, `1 messages on hold` would be one message. */
function counted(count: number, words: string): string {
  return `${count} ${words.replace('messages ', '').replace('needs', count === 1 ? 'needs' : 'need')}`;
}

/** @param now milliseconds since the epoch */
export function listRow(entry: ConversationListEntry, now: number): ListRow {
  const { agent, isPinned, isArchived, isBranch, usedAt } = entry;
  const { icon, mark } = lookOf(entry);
  const name = nameIn(entry);
  const beside = [...(isBranch ? ['branch'] : []), ageText(usedAt, now)];
  const facts = [mark?.words, agent?.label, ...beside].filter((fact) => fact !== undefined);
  return {
    name,
    description: facts.join(' · '),
    beside: beside.join(' · '),
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
): Pick<ListRow, 'name' | 'beside' | 'spoken'> {
  const name = shortName(title ?? '') ?? shortName(sessionId) ?? unnamed;
  const beside = updatedAt === undefined ? '' : ageText(updatedAt, now);
  return { name, beside, spoken: [name, 'other session', agent.label, beside].filter((fact) => fact !== '').join(', ') };
}

/** The number of characters of a row at the default width of the side bar. */
const rowChars = 35;
const doubleWidth = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{Extended_Pictographic}\uff01-\uff60]/u;
/** The longest age, such as `27 days`: names of rows with shorter ones are cut at the same place. */
const ageChars = 7;

/** Returns the beginning of a name, because VS Code would cut the end of the row, which is its age. */
export function rowName({ name, beside }: Pick<ListRow, 'name' | 'beside'>): string {
  const room = rowChars - Math.max(beside.length, ageChars);
  let [fits, width] = [0, 0];
  for (const sign of name) if ((width += doubleWidth.test(sign) ? 2 : 1) < room) fits += sign.length;
  if (width <= room) return name;
  const cut = shorten(name, fits + 1).slice(0, -1);
  // Not in the middle of a word, unless the word is long.
  const space = cut.lastIndexOf(' ');
  return withEllipsis(space > room / 2 ? cut.slice(0, space) : cut);
}

/** Returns the user's or the agent's name for the conversation, or the beginning of its first message. */
export function nameIn({ title, firstWords }: Pick<ConversationListEntry, 'title' | 'firstWords'>): string {
  return shortName(title ?? '') ?? shortName(firstLine(firstWords ?? '')) ?? unnamed;
}

/** Returns the whole name, for a user who changes it. */
export function wholeNameIn({ title, firstWords }: Pick<ConversationListEntry, 'title' | 'firstWords'>): string {
  return oneLine(title ?? '', Infinity) || oneLine(firstLine(firstWords ?? ''), Infinity);
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

interface HistoryRow {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Where the conversation contains what is searched. */
  readonly detail?: string;
  readonly hit?: ConversationHit;
  readonly alwaysShow?: boolean;
}

/**
 * The list of conversations as a quick pick: one row for each, which also says what was found in it.
 * @param now milliseconds since the epoch
 */
export function historyRows(
  entries: readonly ConversationListEntry[],
  { currentId, hits, now }: { readonly currentId: string | undefined; readonly hits: readonly ConversationHit[]; readonly now: number },
): readonly HistoryRow[] {
  const found = new Map(hits.map((hit) => [hit.id, hit]));
  return entries
    .filter((entry) => !isBlank(entry))
    .toSorted(inListOrder)
    .map((entry) => {
      const { name, description, icon } = listRow(entry, now);
      const hit = found.get(entry.id);
      return {
        id: entry.id,
        // In a label, `$(name)` would be rendered as an icon.
        label: `$(${entry.id === currentId ? 'check' : icon}) ${name.replaceAll('$(', '$ (')}`,
        description,
        // The editor would look for the words only next to each other, and only in what is shown of the text.
        ...(hit === undefined ? {} : { detail: foundText(hit).replaceAll('$(', '$ ('), hit, alwaysShow: true }),
      };
    });
}
