import { MessageTooLargeError } from '@agentclientprotocol/sdk';
import { HostError } from '../core/index.js';

/**
 * `left`: the client closed the connection, sends nothing more, or sent something that ends the connection, which is in `error`. `lost`:
 * the agent ended. `failed`: the agent did not start.
 */
export type ServeEnd =
  | { readonly type: 'left'; readonly error?: HostError }
  | { readonly type: 'lost'; readonly error: HostError }
  | { readonly type: 'failed'; readonly error: HostError };

/** @param reason why the SDK ended the connection */
export function unreadable(reason: unknown): { readonly error?: HostError } {
  if (!(reason instanceof MessageTooLargeError)) return {};
  const params = { reason: 'message_too_large', limitBytes: reason.maxMessageBytes } as const;
  return { error: new HostError('agent_exited', params, { cause: reason }) };
}
