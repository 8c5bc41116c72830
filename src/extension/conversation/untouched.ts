import type { ConversationState } from '../../core/index.js';

/**
 * Returns whether nothing was said, nothing is to be sent, and nothing went wrong, so that there is no need for another conversation next
 * to it.
 */
export function isUntouched({
  isRestored,
  session,
  earlierSessions,
  outbox,
  returned,
  sending,
  blocker,
  context,
}: ConversationState): boolean {
  return (
    isRestored &&
    (session === undefined || session.items.length === 0) &&
    earlierSessions.length === 0 &&
    outbox.length === 0 &&
    returned.length === 0 &&
    sending === undefined &&
    blocker === undefined &&
    context === undefined
  );
}
