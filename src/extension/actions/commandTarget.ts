import { isOfChatView } from '../../contract/userActions.js';
import type { OpenConversation, OpenConversations } from '../conversation/openConversations.js';

/**
 * Returns the conversation that a command applies to; undefined while no folder is open.
 * @param command its id
 * @param argument what the editor passes to the command: in the Source Control view, the group of a conversation
 */
export function commandTarget(command: string, conversations: OpenConversations, argument: unknown): OpenConversation | undefined {
  if (isOfChatView(command)) return conversations.shown;
  const isGroup = typeof argument === 'object' && argument !== null && 'resourceStates' in argument && 'id' in argument;
  const ofGroup = isGroup && typeof argument.id === 'string' ? conversations.get(argument.id) : undefined;
  return ofGroup ?? conversations.current;
}
