/** A conversation as a row of a list: its name, and what it is doing. */
import type { ConversationActivity, ConversationListEntry } from '../../core/index.js';
import { shortName, unnamed } from '../conversation/conversationName.js';
import { ageText } from './age.js';

export interface ListRow {
  /** One line. */
  readonly name: string;
  /** The agent, the age, and what the conversation is doing if that is unusual. */
  readonly description: string;
  /** The name of a codicon. */
  readonly icon: string;
  /** The id of a theme color. */
  readonly iconColor?: string;
  /** The whole row as text, for screen readers. */
  readonly spoken: string;
}

interface ActivityLook {
  readonly icon: string;
  readonly color?: string;
  /** Absent if there is nothing unusual. */
  readonly words?: string;
}

const looks: Readonly<Record<ConversationActivity, ActivityLook>> = {
  saved: { icon: 'comment' },
  idle: { icon: 'comment-discussion' },
  opening: { icon: 'loading~spin', words: 'starting' },
  busy: { icon: 'loading~spin', words: 'running' },
  needs_input: { icon: 'bell-dot', color: 'list.warningForeground', words: 'needs your input' },
  blocked: { icon: 'warning', color: 'list.warningForeground', words: 'needs attention' },
  interrupted: { icon: 'debug-disconnect', color: 'list.warningForeground', words: 'interrupted' },
  elsewhere: { icon: 'multiple-windows', words: 'open elsewhere' },
};

/** @param now milliseconds since the epoch */
export function listRow(entry: ConversationListEntry, now: number): ListRow {
  const { agent, activity, isPinned, isArchived, usedAt } = entry;
  const { icon, color, words } = looks[activity];
  const name = nameIn(entry);
  const age = ageText(usedAt, now);
  const facts = [words, agent?.label, age].filter((fact) => fact !== undefined);
  return {
    name,
    description: facts.join(' · '),
    icon: words !== undefined ? icon : isArchived ? 'archive' : isPinned ? 'pinned' : icon,
    ...(color === undefined ? {} : { iconColor: color }),
    spoken: [name, ...facts, isPinned ? 'pinned' : undefined, isArchived ? 'archived' : undefined]
      .filter((fact) => fact !== undefined)
      .join(', '),
  };
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
  const rank = ({ isPinned, isArchived }: ConversationListEntry): number => Number(isPinned && !isArchived);
  return rank(b) - rank(a) || b.usedAt - a.usedAt || (a.id < b.id ? -1 : 1);
}
