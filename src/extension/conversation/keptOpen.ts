import type { ConversationState } from '../../core/index.js';
import type { OpenConversation, OpenConversations } from './openConversations.js';

/** This many stay open behind the one on screen although they have nothing to do: coming back to one of them is instant. */
const keptAtRest = 8;

export interface KeptOpenOptions {
  readonly conversations: OpenConversations;
  /** It is in a tab, or something of it is only in memory. */
  isNeeded(entry: OpenConversation): boolean;
}

/** Closes those that were opened first and have nothing to do. Nothing is lost: they are saved. */
export function closeAtRest({ conversations, isNeeded }: KeptOpenOptions): Promise<unknown> {
  const { shown, current } = conversations;
  const atRest = conversations.all.filter(
    (entry) => entry !== shown && entry !== current && isAtRest(entry.conversation.state) && !isNeeded(entry),
  );
  return Promise.all(atRest.slice(0, Math.max(0, atRest.length - keptAtRest)).map(({ id }) => conversations.close(id)));
}

/** No turn runs, nothing is to be sent, and nothing is to be decided. */
function isAtRest({ session, opening, sending, outbox, returned, blocker, status, context }: ConversationState): boolean {
  return (
    (session === undefined || (session.turn.type === 'idle' && session.requests.length === 0 && session.queue.length === 0)) &&
    opening === undefined &&
    sending === undefined &&
    outbox.length === 0 &&
    returned.length === 0 &&
    blocker === undefined &&
    context === undefined &&
    status.state !== 'reconnecting'
  );
}
