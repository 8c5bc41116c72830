import type { Disposable } from '../base/disposable.js';
import { type HostErrorCode, toHostError } from '../base/errors.js';
import type { Session } from '../host/api.js';

/**
 * A change by the user that the session doesn't have yet. `asked`: the agent has not answered yet. `deferred`: the agent did not accept it
 * during a turn, so the host asks again at the end of the turn.
 */
export interface OptionChange {
  readonly optionId: string;
  readonly value: string | boolean;
  readonly state: 'asked' | 'deferred';
}

/** Errors that another attempt does not resolve. */
const final: ReadonlySet<HostErrorCode> = new Set(['agent_exited', 'disposed', 'cancelled']);

/**
 * Applies options that the user changes. Many agents also accept them while a turn is running; the others are asked again when the turn
 * ends.
 */
export class OptionChanges implements Disposable {
  readonly #onChange: () => void;
  readonly #waiting = new Set<() => void>();
  #pending: readonly OptionChange[] = [];

  constructor(onChange: () => void) {
    this.#onChange = onChange;
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
      return await session.setOption(optionId, value).then(
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

  dispose(): void {
    this.#pending = [];
    for (const finish of [...this.#waiting]) finish();
  }

  /** Runs at the very end of the turn, so that the change precedes the next prompt on the wire. */
  #setAtEndOfTurn(session: Session, change: OptionChange): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        this.#waiting.delete(finish);
        watching.dispose();
        if (!session.live || !this.#pending.includes(change)) resolve(false);
        else
          session.setOption(change.optionId, change.value).then(
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
