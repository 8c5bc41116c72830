import { type Disposable, toDisposable } from './disposable.js';

/**
 * Subscribes to an event. The listener gets values in the order in which they are fired, until the returned disposable is disposed. Same
 * shape as `vscode.Event`.
 */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/**
 * An emitter that keeps the order: if a listener fires while a value is being delivered, the new value waits until every listener has
 * received the current one.
 */
export class Emitter<T> implements Disposable {
  /** Replaced instead of changed, so that a delivery continues with the listeners that existed when it began. */
  #listeners: readonly { readonly listener: (value: T) => void }[] = [];
  readonly #pending: T[] = [];
  readonly #onListenerError: (error: unknown) => void;
  #delivering = false;
  #disposed = false;

  /**
   * @param onListenerError gets what a listener throws; without it, the error is rethrown in its own task, so the other listeners still run
   */
  constructor(onListenerError?: (error: unknown) => void) {
    this.#onListenerError =
      onListenerError ??
      ((error) =>
        queueMicrotask(() => {
          throw error;
        }));
  }

  readonly event: Event<T> = (listener) => {
    if (this.#disposed) return toDisposable(() => {});
    // The same function may listen twice.
    const own = { listener };
    this.#listeners = [...this.#listeners, own];
    return toDisposable(() => {
      this.#listeners = this.#listeners.filter((other) => other !== own);
    });
  };

  get hasListeners(): boolean {
    return this.#listeners.length > 0;
  }

  fire(value: T): void {
    if (this.#listeners.length === 0 && !this.#delivering) return;
    this.#pending.push(value);
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      // By index: a value may itself be undefined, and listeners may append during the loop.
      for (let index = 0; index < this.#pending.length; index++) {
        const next = this.#pending[index] as T;
        for (const { listener } of this.#listeners) {
          try {
            listener(next);
          } catch (error) {
            this.#onListenerError(error);
          }
        }
      }
    } finally {
      this.#pending.length = 0;
      this.#delivering = false;
    }
  }

  dispose(): void {
    this.#disposed = true;
    this.#listeners = [];
    this.#pending.length = 0;
  }
}
