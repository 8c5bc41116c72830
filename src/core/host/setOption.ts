import type { BackendSession } from '../backends/agentBackend.js';
import { HostError, toHostError } from '../base/errors.js';
import { wishNames } from '../session/chooseOption.js';
import type { SessionOption } from '../session/sessionOption.js';
import type { KeySignIn } from './signIn.js';

/**
 * Sets an option of a session, after a sign-in if the agent requires one.
 * @throws HostError also if the agent answers without an error and leaves the value as it was: nothing may run with a mode or a model that
 * the user did not choose. An agent may set another value instead, such as the full name of a model.
 */
export async function setOption(
  session: BackendSession,
  { signIn }: Pick<KeySignIn, 'signIn'>,
  id: string,
  value: string | boolean,
): Promise<void> {
  const set = (): Promise<void> => session.setOption(id, value);
  const before = optionOf(session, id);
  await set().catch((failure: unknown) => signIn(toHostError(failure)).then(set));
  if (before === undefined || before.currentValue === value || optionOf(session, id)?.currentValue !== before.currentValue) return;
  const current = wishNames(before, before.currentValue).value;
  throw new HostError('usage', { reason: 'option_kept', ...wishNames(before, value), current });
}

function optionOf({ options }: BackendSession, id: string): SessionOption | undefined {
  return options.find((option) => option.id === id);
}
