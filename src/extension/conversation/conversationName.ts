import { type ConversationState, titleOf } from '../../core/index.js';

/** Longer names make tabs unreadable. */
const longest = 60;

export const unnamed = 'New conversation';

/** Returns the name of a conversation: the agent's title, else the beginning of the first message, on one line. */
export function conversationName({ session, earlierSessions }: ConversationState): string {
  const sessions = session === undefined ? earlierSessions : [...earlierSessions, session];
  const title = titleOf(sessions);
  const first = sessions.flatMap(({ items }) => items).find((item) => item.kind === 'message' && item.role === 'user');
  const words = first?.kind === 'message' ? first.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : [];
  return shortName(title ?? words.join(' ')) ?? unnamed;
}

/** @returns undefined if the text contains nothing to read */
export function shortName(text: string): string | undefined {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line === '') return undefined;
  return line.length > longest ? `${line.slice(0, longest).trimEnd()}…` : line;
}
