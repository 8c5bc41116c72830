/** What lists of conversations and sessions say beside their names. Pure. */
import type { AgentSessionList, ConversationHit } from '../core/index.js';
import { oneLine } from './plainText.js';

const sources: Readonly<Record<ConversationHit['by'], string>> = { user: 'You', agent: 'Agent', command: 'Command', file: 'File' };

/** What a search found in a conversation, in one line: who wrote it, or what it is, and the text. */
export function foundText({ by, text, isCut }: Pick<ConversationHit, 'by' | 'text' | 'isCut'>): string {
  return `${sources[by]}: ${isCut ? '…' : ''}${oneLine(text)}`;
}

/** Says what a list lacks. @returns nothing if it is complete */
export function missingText({
  agent: { label },
  end,
  sessions,
  unreadable,
}: Pick<AgentSessionList, 'agent' | 'end' | 'sessions' | 'unreadable'>): readonly string[] {
  const ends: Readonly<Record<NonNullable<AgentSessionList['end']>, string>> = {
    limit: `${label} has more sessions than a list can show. These are the first ones that it listed.`,
    repeated: `The list of ${label} repeats itself. These are the ${sessions.length} sessions until then.`,
    slow: `${label} took too long to list all of its sessions. These are the ones that it listed in time.`,
  };
  const entries = unreadable === 1 ? '1 entry' : `${unreadable} entries`;
  return [
    ...(end === undefined ? [] : [ends[end]]),
    ...(unreadable === 0 ? [] : [`${entries} in the list of ${label} could not be read.`]),
  ];
}
