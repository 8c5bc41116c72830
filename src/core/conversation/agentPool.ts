import { type Disposable, toDisposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { AgentHost } from '../host/agentHost.js';
import type { Session } from '../host/api.js';
import type { AgentChoice, CreatedHost } from './ports.js';

/** A running agent. Whoever gets it from the pool has a share in it, and gives that back with `release` or `leave`. */
export class SharedAgent {
  readonly host: AgentHost;
  readonly #owned: Disposable;
  readonly #onRetired = new Emitter<void>();
  readonly #onGone: () => void;
  /** By session, how many use it. */
  readonly #holders = new Map<Session, number>();
  #shares = 0;
  #ended: Promise<void> | undefined;

  /** @param onGone called when it has ended, which may be at once */
  constructor({ host, owned }: CreatedHost, onGone: () => void) {
    this.host = host;
    this.#owned = owned;
    this.#onGone = onGone;
  }

  /** Fires when one conversation ended the agent for all that share it. Its sessions can be read until the listeners have returned. */
  readonly onRetired = this.#onRetired.event;

  /** Resolves when the agent has ended for all that share it. Absent while it can be used. */
  get ended(): Promise<void> | undefined {
    return this.#ended;
  }

  share(): this {
    this.#shares++;
    return this;
  }

  /** Marks that the session is used. The last one to release it closes it in the agent, unless the agent ends too. */
  hold(session: Session): Disposable {
    this.#holders.set(session, (this.#holders.get(session) ?? 0) + 1);
    return toDisposable(() => {
      const others = (this.#holders.get(session) ?? 1) - 1;
      if (others > 0) return void this.#holders.set(session, others);
      this.#holders.delete(session);
      if (this.#ended === undefined) void this.host.closeSession(session);
    });
  }

  /** Ends the agent gracefully for all conversations that share it. The pool's next agent is a new process. */
  retire(): Promise<void> {
    return this.#end(() => this.#onRetired.fire());
  }

  /** Lets go of the agent; the last one to do so ends it gracefully. @param onEnded called while its sessions can still be read */
  async release(onEnded: () => void): Promise<void> {
    if (--this.#shares <= 0) await this.#end(onEnded);
    else onEnded();
  }

  /** Like `release`, without waiting for a graceful end. */
  leave(): void {
    if (--this.#shares <= 0) this.dispose();
  }

  dispose(): void {
    if (this.#ended === undefined) this.#onGone();
    this.#ended ??= Promise.resolve();
    this.#owned.dispose();
    this.host.dispose();
    this.#onRetired.dispose();
  }

  #end(onEnded: () => void): Promise<void> {
    return (this.#ended ??= this.host
      .stop()
      .then(() => {
        onEnded();
        this.dispose();
      })
      .finally(() => this.#onGone()));
  }
}

/** The agents that run or are ending: one process for each folder, agent, definition, environment, choice of MCP servers and other folders, shared by all of its conversations. */
export class AgentPool implements Disposable {
  readonly #agents = new Map<string, SharedAgent>();

  /** @param create called if no such agent is running; starts no process yet */
  async acquire(cwd: string, choice: AgentChoice, create: () => CreatedHost): Promise<SharedAgent> {
    const { definition, baseEnv, mcpServers = [], otherFolders = [] } = choice;
    const key = JSON.stringify([cwd, definition, mcpServers, otherFolders, Object.entries(baseEnv).sort()]);
    let agent = this.#agents.get(key);
    // The next process of the same agent waits for what this one still writes.
    for (; agent?.ended !== undefined; agent = this.#agents.get(key)) await agent.ended.catch(() => {});
    agent ??= new SharedAgent(create(), () => this.#agents.delete(key));
    this.#agents.set(key, agent);
    return agent.share();
  }

  /** Resolves when every agent that is ending has ended. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#agents.values()].flatMap(({ ended }) => ended ?? []));
  }

  dispose(): void {
    for (const agent of this.#agents.values()) agent.dispose();
  }
}
