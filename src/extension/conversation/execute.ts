import { isDeepStrictEqual } from 'node:util';
import { type ConversationClient, type ConversationCommand, HostError, isRefusal } from '../../core/index.js';

/**
 * Executes a command of the user. It is not an error if the card at the top of the chat already shows the reason, or if the command came
 * too late, because its button is gone.
 * @returns whether it was done
 * @throws HostError any other reason why it was not
 */
export async function execute(conversation: ConversationClient, command: ConversationCommand): Promise<boolean> {
  const result = await conversation.execute(command);
  if (result.ok) return true;
  if (isRefusal(result.error) || isDeepStrictEqual(conversation.state.blocker?.error, result.error)) return false;
  throw HostError.from(result.error);
}
