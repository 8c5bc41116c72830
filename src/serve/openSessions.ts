import type { ServedSession } from './servedSession.js';

/** The sessions that the client has open, each once. */
export class OpenSessions {
  readonly #open = new Map<string, ServedSession>();
  /** The last attempt to open each session again. */
  readonly #reopening = new Map<string, Promise<unknown>>();

  get(sessionId: string): ServedSession | undefined {
    return this.#open.get(sessionId);
  }

  get all(): Iterable<ServedSession> {
    return this.#open.values();
  }

  add(session: ServedSession): void {
    this.#open.set(session.id, session);
  }

  /** Does nothing if the session is not open. @throws HostError as ServedSession.stop, and then it stays open; as BackendSession.close */
  async close(sessionId: string): Promise<void> {
    const closing = this.#open.get(sessionId);
    if (closing === undefined) return;
    await closing.stop();
    if (this.#open.get(sessionId) !== closing) return;
    this.#open.delete(sessionId);
    await closing.close();
  }

  /**
   * Runs `open` when nothing of the session is open: closes it first, and waits for an earlier attempt. Otherwise the agent would work in
   * one session twice, and the client would reach only one of the two.
   * @throws whatever `open` does, and HostError as `close`
   */
  async reopen<T>(sessionId: string, open: () => Promise<T>): Promise<T> {
    const before = this.#reopening.get(sessionId);
    const reopening = this.#after(before, sessionId, open);
    this.#reopening.set(sessionId, reopening);
    try {
      return await reopening;
    } finally {
      if (this.#reopening.get(sessionId) === reopening) this.#reopening.delete(sessionId);
    }
  }

  async #after<T>(before: Promise<unknown> | undefined, sessionId: string, open: () => Promise<T>): Promise<T> {
    await before?.catch(() => {});
    await this.close(sessionId);
    try {
      return await open();
    } catch (error) {
      // It may have begun.
      this.#open.delete(sessionId);
      throw error;
    }
  }
}
