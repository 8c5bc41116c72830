/** Determines which saved conversation a session belongs to. */
import type { ConversationLibrary, ConversationSummary, SavedConversation } from '../conversation/library.js';
import type { ConversationPlace } from '../conversation/ports.js';

type Key = Parameters<ConversationLibrary['find']>[0];

export function isAt({ place, summary }: SavedConversation, { agentId, sessionId, createdAt }: Key): boolean {
  if (place?.agentId !== agentId) return false;
  return [place, ...(summary?.earlier ?? [])].some(
    (one) => one.sessionId === sessionId && (createdAt === undefined || one.createdAt === undefined || one.createdAt === createdAt),
  );
}

/** Whether the conversation at this place is still the saved one. */
export function isWithin(
  { place }: SavedConversation,
  now: ConversationPlace | undefined,
  summary: ConversationSummary | undefined,
): boolean {
  if (place === undefined || now === undefined || now.agentId !== place.agentId) return false;
  const isSame = now.sessionId === place.sessionId && now.createdAt === place.createdAt;
  return isSame || now.continues === place.sessionId || isEarlier(place, summary);
}

/** Whether the conversation continued from there. */
export function isEarlier({ sessionId }: ConversationPlace, summary: ConversationSummary | undefined): boolean {
  return summary?.earlier.some((one) => one.sessionId === sessionId) === true;
}
