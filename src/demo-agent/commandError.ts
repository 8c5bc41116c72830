/** A command that could not be done, in words for the user. The turn goes on and ends normally: the agent said what happened. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
