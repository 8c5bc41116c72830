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
   * @throws HostError also if the agent answers without an error and leaves the value as it was, or goes to another mode: nothing may run with
   * a mode or a model that the user did not choose. For other options, an agent may set another value instead, such as the full name of a model.
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
    const problems = new Map<SessionOption, UnrestoredOption>();
    const restore = async (wanted: SessionOption): Promise<SetOutcome> => {
      const { id, currentValue } = wanted;
      if (current(wanted)?.currentValue === currentValue && !opened.unstated.has(id)) return 'had';
      if (!offers(current(wanted), wanted)) await opened.moreOptions;
      if (!offers(current(wanted), wanted)) return 'failed';
      try {
        await this.set(opened, agent, id, currentValue);
        return 'set';
      } catch (thrown) {
        const error = toHostError(thrown);
        if (error.code === 'agent_exited' || error.code === 'auth_required') throw error;
        problems.set(wanted, { ...nameOf(wanted), error: error.toData() });
        return 'failed';
      }
    };
    const ordered = [...saved].sort((one, other) => rankOf(one) - rankOf(other));
    const failed = await setTogether(ordered, restore, (wanted) => current(wanted)?.currentValue);
    return failed.map((wanted) => problems.get(wanted) ?? nameOf(wanted));
  }
}

export type SetOutcome = 'set' | 'had' | 'failed';

/**
 * Sets several options. What each of them offers may depend on the others, and setting one may change another, so what failed or was changed
 * is set once more. Of two that exclude each other, the later one stays.
 * @param set sets one of them
 * @param valueOf returns the value that the session has for one of them
 * @returns those that don't have the value that they were set to
 */
export async function setTogether<T>(
  wanted: readonly T[],
  set: (one: T) => Promise<SetOutcome>,
  valueOf: (one: T) => unknown,
): Promise<readonly T[]> {
  const values = new Map<T, unknown>();
  const isLeft = (one: T): boolean => !values.has(one) || values.get(one) !== valueOf(one);
  const round = async (): Promise<boolean> => {
    let hasSet = false;
    for (const one of wanted) {
      if (!isLeft(one)) continue;
      const outcome = await set(one);
      if (outcome !== 'failed') values.set(one, valueOf(one));
      hasSet ||= outcome === 'set';
    }
    return hasSet;
  };
  if (await round()) await round();
  return wanted.filter(isLeft);
}

/** @throws HostError `usage` if the value is the one from before, or a mode that nobody chose: it decides what runs without asking */
function expectChange(before: SessionOption, after: SessionOption | undefined, value: string | boolean): void {
  const current = after?.currentValue;
  // What the agent doesn't offer may be its full name for the value.
  if (current === undefined || current === value || !isChoice(before, current)) return;
  if (current !== before.currentValue && before.category !== 'mode') return;
  throw new HostError('usage', { reason: 'option_kept', ...wishNames(before, value), current: wishNames(before, current).value });
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

function nameOf(option: SessionOption): UnrestoredOption {
  const { name, currentValue } = option;
  const choice = option.type === 'select' ? choicesOf(option).find(({ value }) => value === currentValue) : undefined;
  return { name, value: choice?.name ?? currentValue };
}
