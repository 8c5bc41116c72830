import type { ConversationState } from '../../core/index.js';
import type { OpenConversation, OpenConversations } from './openConversations.js';

/** The number of idle conversations that stay open in the background, so that returning to one of them is instant. */
const keptAtRest = 8;

export interface KeptOpenOptions {
  readonly conversations: OpenConversations;
  hasTab(entry: OpenConversation): boolean;
}

/** Closes idle conversations, in the order in which they were opened. Nothing is lost, because they are saved. */
export function closeAtRest({ conversations, hasTab }: KeptOpenOptions): Promise<unknown> {
  const { shown, current } = conversations;
  const atRest = conversations.all.filter(
    (entry) => entry !== shown && entry !== current && isAtRest(entry.conversation.state) && !hasTab(entry),
  );
  return Promise.all(atRest.slice(0, Math.max(0, atRest.length - keptAtRest)).map(({ id }) => conversations.close(id)));
}

/** Whether no turn is running, and there is nothing to send or decide. */
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
