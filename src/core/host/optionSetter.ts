import type { BackendSession } from '../backends/agentBackend.js';
import { HostError, toHostError } from '../base/errors.js';
import { wishNames } from '../session/chooseOption.js';
import { isChoice, type SessionOption } from '../session/sessionOption.js';
import type { KeySignIn } from './signIn.js';

type SettableSession = Pick<BackendSession, 'options' | 'setOption'>;

/** Sets the options of one session. */
export class OptionSetter {
  /** The last change of each option, by its id. */
  readonly #latest = new Map<string, object>();

  /**
   * Sets an option, after a sign-in if the agent requires one.
   * @throws HostError also if the agent answers without an error and leaves the value as it was: nothing may run with a mode or a model that
   * the user did not choose. An agent may set another value instead, such as the full name of a model.
   */
  async set(session: SettableSession, { signIn }: Pick<KeySignIn, 'signIn'>, id: string, value: string | boolean): Promise<void> {
    const change = {};
    this.#latest.set(id, change);
    const set = (): Promise<void> => session.setOption(id, value);
    const before = optionOf(session, id);
    await set().catch((failure: unknown) => signIn(toHostError(failure)).then(set));
    // The value may be that of a later change.
    if (this.#latest.get(id) !== change || before === undefined || before.currentValue === value) return;
    const { currentValue } = before;
    // What the agent doesn't offer may be its full name for the value.
    if (optionOf(session, id)?.currentValue !== currentValue || !isChoice(before, currentValue)) return;
    const current = wishNames(before, currentValue).value;
    throw new HostError('usage', { reason: 'option_kept', ...wishNames(before, value), current });
  }
}

function optionOf({ options }: SettableSession, id: string): SessionOption | undefined {
  return options.find((option) => option.id === id);
}
