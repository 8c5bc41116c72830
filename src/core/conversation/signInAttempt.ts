import type { AgentHost } from '../host/api.js';

/** Signing in with a method of the agent, which waits for the user for any time, for example in a browser. One attempt at a time. */
export class SignInAttempt {
  #abort: AbortController | undefined;

  /** Cancels an attempt that is under way. @throws HostError as AgentHost.authenticate; `cancelled` after `abort` */
  async run(host: AgentHost, methodId: string): Promise<void> {
    this.abort();
    const abort = new AbortController();
    this.#abort = abort;
    await host.authenticate(methodId, abort.signal);
  }

  abort(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }
}
