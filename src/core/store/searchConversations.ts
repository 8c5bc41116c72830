import { readConversation, type JournalStore } from '../journal/journalStore.js';
import { commandsIn } from '../session/commandInput.js';
import { promptText } from '../session/content.js';
import type { TranscriptItem } from '../session/model.js';

/** Where a text is in a conversation. */
export interface ConversationHit {
  /** Of the conversation. */
  readonly id: string;
  /** The host's id of the session. */
  readonly sessionId: string;
  readonly itemId: string;
  /** Who wrote it; or what a tool call ran or touched. */
  readonly by: 'user' | 'agent' | 'command' | 'file';
  /** Around the place, from a conversation as it is saved: without secrets. */
  readonly text: string;
  /** Something stands before `text`. */
  readonly isCut: boolean;
}

export interface ConversationSearch {
  /** All of its words are in one text, in any case. */
  readonly text: string;
  /** In the order in which they are searched. */
  readonly ids: readonly string[];
  readonly signal: AbortSignal;
}

/** No one reads a longer list: a search ends there. What follows can be searched for itself. */
export const mostSearchHits = 50;
const charsBefore = 40;
const charsAfter = 160;

/** Finds the latest place in each conversation. Others run between two of them. @returns what was found when it was aborted, or all */
export async function searchConversations(
  journals: Pick<JournalStore, 'read'>,
  { text, ids, signal }: ConversationSearch,
): Promise<readonly ConversationHit[]> {
  const hits: ConversationHit[] = [];
  if (text.trim() === '') return hits;
  const placeIn = wordSearch(text);
  for (const id of ids) {
    if (signal.aborted || hits.length === mostSearchHits) break;
    // One that can't be read says so when it is opened.
    const sessions = await readConversation(journals, id).catch(() => []);
    const hit = latestIn(sessions, placeIn);
    if (hit !== undefined) hits.push({ id, ...hit });
  }
  return hits;
}

/** @returns where a text has these words, in any order and case; -1 if it doesn't have all of them */
export function wordSearch(wanted: string): (text: string) => number {
  const phrase = wanted.trim().toLowerCase();
  const words = phrase.split(/\s+/);
  return (text) => {
    const lower = text.toLowerCase();
    if (!words.every((word) => lower.includes(word))) return -1;
    const at = lower.indexOf(phrase);
    return at < 0 ? lower.indexOf(words[0] ?? '') : at;
  };
}

/** @param placeIn returns where it is in a text; -1 if it isn't */
function latestIn(
  sessions: Awaited<ReturnType<typeof readConversation>>,
  placeIn: (text: string) => number,
): Omit<ConversationHit, 'id'> | undefined {
  for (const session of sessions.toReversed()) {
    for (const item of session.items.toReversed()) {
      for (const { by, text } of textsOf(item)) {
        const at = placeIn(text);
        if (at >= 0) return { sessionId: session.id, itemId: item.id, by, ...around(text, at) };
      }
    }
  }
  return undefined;
}

function textsOf(item: TranscriptItem): readonly Pick<ConversationHit, 'by' | 'text'>[] {
  if (item.kind === 'message') return item.role === 'thought' ? [] : [{ by: item.role, text: promptText(item.content) }];
  if (item.kind !== 'tool') return [];
  const paths = [...item.locations, ...item.content.filter((part) => part.type === 'diff')].map(({ path }) => path);
  return [
    ...commandsIn(item.rawInput, item.toolKind).map((text) => ({ by: 'command', text }) as const),
    ...paths.map((text) => ({ by: 'file', text }) as const),
  ];
}

/** Begins with a whole word if one is near. */
function around(text: string, at: number): Pick<ConversationHit, 'text' | 'isCut'> {
  const from = Math.max(at - charsBefore, 0);
  const before = text.slice(from, at);
  const start = from === 0 ? 0 : from + Math.max(before.search(/\s/), 0);
  return { text: text.slice(start, at + charsAfter).replaceAll(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, ''), isCut: start > 0 };
}
