import { execute } from './execute.js';
import type { OpenConversation, OpenConversations } from './openConversations.js';

/** Opens a session if the agent already runs for another conversation, so that its options are there before the first message. */
export async function openIfRunning(
  { all }: Pick<OpenConversations, 'all'>,
  { id, folder, conversation }: OpenConversation,
): Promise<void> {
  // A new conversation learns a moment later which agent it would start.
  if (!(await conversation.execute({ type: 'refresh_agent' })).ok) return;
  const agentId = conversation.state.agent?.id;
  const runs = all.some((other) => {
    const { agent, status } = other.conversation.state;
    return other.id !== id && other.folder.path === folder.path && agent?.id === agentId && status.state !== 'stopped';
  });
  if (runs) await execute(conversation, { type: 'open' });
}
