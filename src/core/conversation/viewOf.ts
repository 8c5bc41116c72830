import { toStatusData } from './agentStatus.js';
import type { ConversationParts } from './conversationParts.js';
import type { ConversationView } from './publisher.js';

const waitsForTurn: ConversationView['whileRunning'] = { deliveries: [], canUnqueue: false };

/** Returns the state of a conversation, as its parts have it. */
export function viewOf(parts: ConversationParts): Omit<ConversationView, 'isRestored'> {
  const { agent, thread, deletion, opener, gate, context, outbox, draft, options, delivery } = parts;
  // Must come first: reading it delivers the session's events, which precede all other changes.
  const session = thread.state;
  const { host } = agent;
  const live = gate.liveSession;
  return {
    session,
    agent: agent.summary,
    status: toStatusData(host, session, live !== undefined),
    info: host?.info,
    opening: opener.since === undefined ? undefined : { since: opener.since },
    live: live !== undefined,
    whileRunning: live?.whileRunning ?? waitsForTurn,
    openedBy: thread.session?.openedBy,
    earlierSessions: thread.earlierSessions,
    context: context.current,
    outbox: outbox.all,
    returned: outbox.returned,
    draft: draft.content,
    optionChanges: options.pending,
    sending: delivery.sending && { promptId: delivery.sending.id },
    interrupted: delivery.interrupted,
    blocker: gate.blocker,
    isDeleted: deletion.isDeleted,
  };
}
