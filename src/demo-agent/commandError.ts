/**
 * A command that failed, with a message for the user. The turn continues and ends regularly, because the agent has reported what happened.
 */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
