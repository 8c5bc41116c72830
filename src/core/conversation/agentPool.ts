import { type Disposable, toDisposable } from '../base/disposable.js';
import { Emitter, type Event } from '../base/event.js';
import type { AgentHost, Session } from '../host/api.js';
import type { AgentChoice, CreatedHost } from './ports.js';

/** One conversation's share in a running agent. */
export interface AgentLease {
  readonly host: AgentHost;
  readonly agentId: string;
  /** Fires when one conversation ended the agent for all that share it. Its sessions can be read until the listeners have returned. */
  readonly onRetired: Event<void>;
  /** Resolves when the agent has ended for all that share it. Absent while it can be used. */
  readonly ended: Promise<void> | undefined;
  /** Marks that the session is used. The last one to release it closes it in the agent, unless the agent ends too. */
  hold(session: Session): Disposable;
  /** Ends the agent gracefully for all conversations that share it. The next lease is for a new process. */
  retire(): Promise<void>;
  /** Lets go of the agent; the last one to do so ends it gracefully. @param onEnded called while its sessions can still be read */
  release(onEnded: () => void): Promise<void>;
  /** Like `release`, without waiting for a graceful end. */
  dispose(): void;
}

interface Entry extends CreatedHost {
  readonly key: string;
  readonly agentId: string;
  readonly onRetired: Emitter<void>;
  readonly holders: Map<Session, number>;
  leases: number;
  /** The agent is ending, so it gives out no more shares. */
  isEnding: boolean;
  ended: Promise<void> | undefined;
}

/** The running agents: one process for each folder, agent, definition, environment, choice of MCP servers and other folders, shared by all of its conversations. */
export class AgentPool implements Disposable {
  readonly #entries = new Map<string, Entry>();
  /** Agents that are ending: the next process of the same agent waits for what they still write. */
  readonly #ending = new Map<string, Promise<void>>();

  /** @param create called if no such agent is running; starts no process yet */
  async acquire(cwd: string, choice: AgentChoice, create: () => CreatedHost): Promise<AgentLease> {
    const agentId = choice.definition.id;
    const key = keyOf(cwd, choice);
    for (let ending = this.#ending.get(key); ending !== undefined; ending = this.#ending.get(key)) await ending;
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = {
        ...create(),
        key,
        agentId,
        onRetired: new Emitter(),
        holders: new Map(),
        leases: 0,
        isEnding: false,
        ended: undefined,
      };
      this.#entries.set(key, entry);
    }
    return this.#lease(entry);
  }

  /** Resolves when every agent that is ending has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#ending.values());
  }

  dispose(): void {
    for (const entry of this.#entries.values()) this.#dispose(entry);
  }

  #lease(entry: Entry): AgentLease {
    entry.leases++;
    const letGo = toDisposable(() => entry.leases--);
    return {
      host: entry.host,
      agentId: entry.agentId,
      onRetired: entry.onRetired.event,
      get ended() {
        return entry.ended;
      },
      hold: (session) => hold(entry, session),
      retire: () => this.#end(entry, () => entry.onRetired.fire()),
      release: async (onEnded) => {
        letGo.dispose();
        if (entry.leases === 0) await this.#end(entry, onEnded);
        else onEnded();
      },
      dispose: () => {
        letGo.dispose();
        if (entry.leases === 0) this.#dispose(entry);
      },
    };
  }

  #end(entry: Entry, onEnded: () => void): Promise<void> {
    if (entry.isEnding) return entry.ended ?? Promise.resolve();
    entry.ended = this.#stop(entry, onEnded).finally(() => this.#ending.delete(entry.key));
    this.#ending.set(entry.key, entry.ended);
    return entry.ended;
  }

  async #stop(entry: Entry, onEnded: () => void): Promise<void> {
    entry.isEnding = true;
    this.#entries.delete(entry.key);
    await entry.host.stop();
    onEnded();
    this.#dispose(entry);
  }

  #dispose(entry: Entry): void {
    entry.isEnding = true;
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
    entry.owned.dispose();
    entry.host.dispose();
    entry.onRetired.dispose();
  }
}

function keyOf(cwd: string, { definition, baseEnv, mcpServers = [], otherFolders = [] }: AgentChoice): string {
  return JSON.stringify([cwd, definition, mcpServers, otherFolders, Object.entries(baseEnv).sort()]);
}

function hold(entry: Entry, session: Session): Disposable {
  const { holders, host } = entry;
  holders.set(session, (holders.get(session) ?? 0) + 1);
  return toDisposable(() => {
    const others = (holders.get(session) ?? 1) - 1;
    if (others > 0) return void holders.set(session, others);
    holders.delete(session);
    if (!entry.isEnding) void host.closeSession(session);
  });
}
