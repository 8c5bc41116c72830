import { isOfChatView } from '../../contract/userActions.js';
import type { OpenConversation, OpenConversations } from '../conversation/openConversations.js';

/**
 * Returns the conversation that a command applies to; undefined while no folder is open.
 * @param command its id
 */
export function commandTarget(command: string, { shown, current }: OpenConversations): OpenConversation | undefined {
  return isOfChatView(command) ? shown : current;
}
