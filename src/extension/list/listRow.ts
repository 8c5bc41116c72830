/** A conversation as a row of a list: what it is called, and what it does. */
import type { ConversationActivity, ConversationListEntry } from '../../core/index.js';
import { shortName, unnamed } from '../conversation/conversationName.js';
import { ageText } from './age.js';

export interface ListRow {
  /** One line. */
  readonly name: string;
  /** Agent and age, and what it does, where that is unusual. */
  readonly description: string;
  /** A codicon. */
  readonly icon: string;
  /** The id of a theme color. */
  readonly iconColor?: string;
  /** The whole in words, for those who listen. */
  readonly spoken: string;
}

interface ActivityLook {
  readonly icon: string;
  readonly color?: string;
  /** Absent: nothing unusual. */
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

/** The user's name for it, the agent's, or its first words. */
export function nameIn({ title, firstWords }: Pick<ConversationListEntry, 'title' | 'firstWords'>): string {
  return shortName(title ?? '') ?? shortName(firstWords ?? '') ?? unnamed;
}

/** Neither the user nor the agent has called it anything, and nothing was said. */
export function isUnnamed({ title, firstWords }: Pick<ConversationListEntry, 'title' | 'firstWords'>): boolean {
  return title === undefined && firstWords === undefined;
}

/** These alone are no reason to list a conversation without messages: its agent may only have failed to start. */
const quiet: ReadonlySet<ConversationActivity> = new Set(['idle', 'saved', 'opening', 'blocked']);

/** Nothing was said in it, and nothing waits or goes on: a list does not show it. */
export function isBlank(entry: ConversationListEntry): boolean {
  return isUnnamed(entry) && quiet.has(entry.activity);
}

/** Pinned ones on top, then the one that was used last. */
export function inListOrder(a: ConversationListEntry, b: ConversationListEntry): number {
  return Number(b.isPinned) - Number(a.isPinned) || b.usedAt - a.usedAt || (a.id < b.id ? -1 : 1);
}
