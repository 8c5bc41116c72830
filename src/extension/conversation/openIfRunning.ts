import { execute } from './execute.js';
import type { OpenConversation, OpenConversations } from './openConversations.js';

/** Opens a session if the agent already runs for another conversation, so that its options are there before the first message. */
export async function openIfRunning(
  conversations: Pick<OpenConversations, 'hasAgent'>,
  { folder, conversation }: OpenConversation,
): Promise<void> {
  // A new conversation learns a moment later which agent it would start.
  if (!(await conversation.execute({ type: 'refresh_agent' })).ok) return;
  if (conversations.hasAgent(folder, conversation.state.agent?.id)) await execute(conversation, { type: 'open' });
}
