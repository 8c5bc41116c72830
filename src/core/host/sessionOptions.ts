import type { BackendSession } from '../backends/agentBackend.js';
import { HostError, toHostError } from '../base/errors.js';
import { wishNames } from '../session/chooseOption.js';
import type { UnrestoredOption } from '../session/hostNotice.js';
import { choicesOf, isChoice, type SessionOption } from '../session/sessionOption.js';
import type { KeySignIn } from './signIn.js';

type OpenedSession = Pick<BackendSession, 'options' | 'setOption'>;
type SigningIn = Pick<KeySignIn, 'signIn'>;

/** Sets the options of one session, and remembers what was set. */
export class SessionOptions {
  /** The last change of each option, by its id. */
  readonly #latest = new Map<string, object>();
  /** By the ids of the options, the values that they were set to. */
  readonly #set = new Map<string, string | boolean>();

  /** Whether the option was last set to this value here, as opposed to by the agent itself. */
  wasSet(id: string, value: string | boolean): boolean {
    return this.#set.get(id) === value;
  }

  /**
   * Sets an option, after a sign-in if the agent requires one.
   * @throws HostError also if the agent answers without an error and leaves the value as it was: nothing may run with a mode or a model that
   * the user did not choose. An agent may set another value instead, such as the full name of a model.
   */
  async set(session: OpenedSession, { signIn }: SigningIn, id: string, value: string | boolean): Promise<void> {
    const change = {};
    this.#latest.set(id, change);
    const set = (): Promise<void> => session.setOption(id, value);
    const before = optionOf(session, id);
    await set().catch((failure: unknown) => signIn(toHostError(failure)).then(set));
    // The value may be that of a later change.
    if (this.#latest.get(id) === change && before !== undefined) expectChange(before, optionOf(session, id), value);
    this.#set.set(id, value);
  }

  /**
   * Some agents resume a session with their default mode and model, and not all of them report it.
   * @param current the option as the user sees it
   * @returns what could not be restored: the options that the user sees must be in effect
   * @throws HostError `agent_exited`, `auth_required`
   */
  async restore(
    saved: readonly SessionOption[],
    current: (wanted: SessionOption) => SessionOption | undefined,
    opened: OpenedSession & Pick<BackendSession, 'unstated' | 'moreOptions'>,
    agent: SigningIn,
  ): Promise<readonly UnrestoredOption[]> {
    const problems: UnrestoredOption[] = [];
    for (const wanted of [...saved].sort((one, other) => rankOf(one) - rankOf(other))) {
      const { id, currentValue } = wanted;
      if (current(wanted)?.currentValue === currentValue && !opened.unstated.has(id)) continue;
      if (!offers(current(wanted), wanted)) await opened.moreOptions;
      const what = { name: wanted.name, value: nameOf(wanted) };
      if (!offers(current(wanted), wanted)) problems.push(what);
      else
        await this.set(opened, agent, id, currentValue).catch((thrown: unknown) => {
          const error = toHostError(thrown);
          if (error.code === 'agent_exited' || error.code === 'auth_required') throw error;
          problems.push({ ...what, error: error.toData() });
        });
    }
    return problems;
  }
}

/** @throws HostError `usage` if the value is the one from before */
function expectChange(before: SessionOption, after: SessionOption | undefined, value: string | boolean): void {
  const { currentValue } = before;
  // What the agent doesn't offer may be its full name for the value.
  if (currentValue === value || after?.currentValue !== currentValue || !isChoice(before, currentValue)) return;
  throw new HostError('usage', { reason: 'option_kept', ...wishNames(before, value), current: wishNames(before, currentValue).value });
}

function optionOf({ options }: OpenedSession, id: string): SessionOption | undefined {
  return options.find((option) => option.id === id);
}

/** The mode first, then the model: the other options may depend on them. */
function rankOf({ category }: SessionOption): number {
  return category === 'mode' ? 0 : category === 'model' ? 1 : 2;
}

function offers(option: SessionOption | undefined, wanted: SessionOption): boolean {
  return option !== undefined && isChoice(option, wanted.currentValue);
}

function nameOf(option: SessionOption): string | boolean {
  if (option.type === 'boolean') return option.currentValue;
  return choicesOf(option).find(({ value }) => value === option.currentValue)?.name ?? option.currentValue;
}
