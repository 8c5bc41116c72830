/** The options of a session, as users change them. */
import { HostError, type HostErrorCode, toHostError } from '../base/errors.js';
import type { Session } from '../host/api.js';
import { chooseOption, type ChosenOption, optionName, type OptionWish, wishNames } from '../session/chooseOption.js';
import { isChoice, type SessionOption } from '../session/sessionOption.js';

/**
 * Sets an option as the user typed it, with `set`. Waits for the choices if the agent reports them late.
 * @returns its id
 * @throws HostError `usage` if the agent doesn't offer it or refuses it, `agent_exited`, `auth_required`
 */
export async function setWished(
  session: Session,
  wish: OptionWish,
  set: Session['setOption'] = (id, value) => setOption(session, id, value),
): Promise<string> {
  let chosen = chooseOption(session.state.options, wish);
  if (chosen.type !== 'found' && session.moreOptions !== undefined) {
    await session.moreOptions;
    chosen = chooseOption(session.state.options, wish);
  }
  if (chosen.type !== 'found') throw toUnavailable(chosen, session.state.options);
  const { option, value } = chosen;
  if (option.currentValue === value) return option.id;
  await set(option.id, value);
  return option.id;
}

/** @throws HostError as Session.setOption; `usage` if the agent refuses: the session is open and works, only not with this value */
async function setOption(session: Session, id: string, value: string | boolean): Promise<void> {
  const option = session.state.options.find((one) => one.id === id);
  await session.setOption(id, value).catch((thrown: unknown) => {
    const error = toHostError(thrown);
    if (error.code !== 'request_failed' || option === undefined) throw error;
    const { detail } = error.params;
    const facts = { ...wishNames(option, value), ...(detail !== undefined && { detail }) };
    throw new HostError('usage', { reason: 'option_refused', ...facts }, { cause: error });
  });
}

function toUnavailable(chosen: Exclude<ChosenOption, { type: 'found' }>, options: readonly SessionOption[]): HostError {
  if (chosen.type === 'unknown') {
    return new HostError('usage', { reason: 'option_unknown', option: chosen.id, offered: options.map(optionName) });
  }
  const { type, id: option, value, offered } = chosen;
  return new HostError('usage', { reason: type === 'ambiguous' ? 'option_ambiguous' : 'option_unavailable', option, value, offered });
}

/**
 * A change by the user that the session doesn't have yet. `asked`: the agent has not answered yet. `deferred`: the agent did not accept it
 * during a turn, so the host asks again at the end of the turn. `needs_sign_in`: the agent requires a sign-in first; the host asks again after
 * it.
 */
export interface OptionChange {
  readonly optionId: string;
  readonly value: string | boolean;
  readonly state: 'asked' | 'deferred' | 'needs_sign_in';
}

/** Errors that another attempt at the end of the turn does not resolve. */
const final: ReadonlySet<HostErrorCode> = new Set(['agent_exited', 'disposed', 'cancelled', 'auth_required']);

/**
 * Applies options that the user changes. Many agents also accept them while a turn is running; the others are asked again when the turn
 * ends.
 */
export class OptionChanges {
  readonly #onChange: () => void;
  readonly #onSignInNeeded: (error: HostError) => void;
  readonly #waiting = new Set<() => void>();
  #pending: readonly OptionChange[] = [];
  #asking: Promise<void> | undefined;

  constructor(onChange: () => void, onSignInNeeded: (error: HostError) => void) {
    this.#onChange = onChange;
    this.#onSignInNeeded = onSignInNeeded;
  }

  /** Keeps its identity as long as nothing changed. */
  get pending(): readonly OptionChange[] {
    return this.#pending;
  }

  /**
   * Resolves once the agent has accepted it. False: the session has no such option, or at the end of the turn the user has chosen another
   * value or the agent is gone.
   * @throws HostError the agent refused it outside of a turn
   */
  async set(session: Session, optionId: string, value: string | boolean): Promise<boolean> {
    if (!session.state.options.some(({ id }) => id === optionId)) return false;
    const isDuringTurn = session.state.turn.type !== 'idle';
    let change: OptionChange = { optionId, value, state: 'asked' };
    this.#replace(optionId, change);
    try {
      return await this.#ask(session, optionId, value).then(
        () => true,
        (thrown: unknown) => {
          const error = toHostError(thrown);
          if (!isDuringTurn || final.has(error.code) || !this.#pending.includes(change)) throw error;
          const deferred: OptionChange = { ...change, state: 'deferred' };
          this.#replace(optionId, deferred);
          change = deferred;
          return this.#setAtEndOfTurn(session, deferred);
        },
      );
    } finally {
      if (this.#pending.includes(change)) this.#replace(optionId, undefined);
    }
  }

  /** Prompts wait for these changes: the agent would get them with the options from before. */
  get needSignIn(): boolean {
    return this.#pending.some(({ state }) => state === 'needs_sign_in');
  }

  /**
   * Sets an option as the user typed it; it is not deferred.
   * @throws HostError as `setWished`; the host asks again if it needed a sign-in
   */
  async choose(session: Session, wish: OptionWish): Promise<void> {
    const id = await setWished(session, wish, (optionId, value) => this.#ask(session, optionId, value));
    if (this.#pending.some(({ optionId, state }) => optionId === id && state === 'needs_sign_in')) this.#replace(id, undefined);
  }

  /**
   * Asks for what needed a sign-in, once, however often it is called meanwhile. What the session no longer offers is dropped.
   * @throws HostError as `setOption`
   */
  askAgain(session: Session): Promise<void> {
    return (this.#asking ??= this.#askEach(session).finally(() => (this.#asking = undefined)));
  }

  /** Drops all changes. */
  clear(): void {
    this.#pending = [];
    for (const finish of [...this.#waiting]) finish();
  }

  async #askEach(session: Session): Promise<void> {
    let failure: HostError | undefined;
    for (const change of this.#pending.filter(({ state }) => state === 'needs_sign_in')) {
      const { optionId, value } = change;
      const isOffered = session.state.options.some((option) => option.id === optionId && isChoice(option, value));
      if (isOffered) await setOption(session, optionId, value).catch((thrown: unknown) => (failure ??= toHostError(thrown)));
      if (failure?.code === 'auth_required') throw failure;
      if (this.#pending.includes(change)) this.#replace(optionId, undefined);
    }
    if (failure !== undefined) throw failure;
  }

  async #ask(session: Session, optionId: string, value: string | boolean): Promise<void> {
    await setOption(session, optionId, value).catch((thrown: unknown) => {
      const error = toHostError(thrown);
      const known = this.#pending.find((one) => one.optionId === optionId);
      const isLatest = known === undefined || known.value === value || known.state === 'needs_sign_in';
      if (error.code === 'auth_required' && isLatest) {
        this.#replace(optionId, { optionId, value, state: 'needs_sign_in' });
        this.#onSignInNeeded(error);
      }
      throw error;
    });
  }

  /** Runs at the very end of the turn, so that the change precedes the next prompt on the wire. */
  #setAtEndOfTurn(session: Session, change: OptionChange): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        this.#waiting.delete(finish);
        watching.dispose();
        if (!session.live || !this.#pending.includes(change)) resolve(false);
        else
          this.#ask(session, change.optionId, change.value).then(
            () => resolve(true),
            (thrown: unknown) => reject(toHostError(thrown)),
          );
      };
      const watching = session.onBatch(({ state }) => {
        if (state.turn.type === 'idle') finish();
      });
      this.#waiting.add(finish);
      if (session.state.turn.type === 'idle') finish();
    });
  }

  #replace(optionId: string, change: OptionChange | undefined): void {
    const others = this.#pending.filter((one) => one.optionId !== optionId);
    this.#pending = change === undefined ? others : [...others, change];
    this.#onChange();
  }
}
