import { isDeepStrictEqual } from 'node:util';
import { type ConversationClient, type ConversationCommand, HostError, isRefusal } from '../../core/index.js';

/**
 * Does what the user asked for. Not an error: what the card on top of the chat says by itself, and a command that came too late, as when its button went.
 * @returns whether it was done
 * @throws HostError any other reason why it was not
 */
export async function execute(conversation: ConversationClient, command: ConversationCommand): Promise<boolean> {
  const result = await conversation.execute(command);
  if (result.ok) return true;
  if (isRefusal(result.error) || isDeepStrictEqual(conversation.state.blocker?.error, result.error)) return false;
  throw HostError.from(result.error);
}
