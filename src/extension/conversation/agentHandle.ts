import { type AgentHost, type Disposable, DisposableStore, HostError } from '../../core/index.js';
import type { AgentChoice, ConversationPorts } from './ports.js';

/** One host of an agent and what hangs on it. */
interface Running {
  readonly host: AgentHost;
  readonly agentId: string;
  readonly owned: DisposableStore;
}

/** The agent of a conversation: which one it is, and its host from the first need to the end. One at a time. */
export class AgentHandle implements Disposable {
  readonly #ports: ConversationPorts;
  readonly #onChange: () => void;
  #choice: Pick<AgentChoice, 'definition' | 'isFallback'> | undefined;
  #running: Running | undefined;
  #disposed = false;

  /** @param onChange the state of the agent changed */
  constructor(ports: ConversationPorts, onChange: () => void) {
    this.#ports = ports;
    this.#onChange = onChange;
  }

  /** The agent that runs, or that would. */
  get choice(): Pick<AgentChoice, 'definition' | 'isFallback'> | undefined {
    return this.#choice;
  }

  get host(): AgentHost | undefined {
    return this.#running?.host;
  }

  /** Id of the agent that `host` is of. */
  get hostedId(): string | undefined {
    return this.#running?.agentId;
  }

  /** Looks again which agent there is, as long as there is no host. @throws as ConversationPorts.peekAgent */
  async look(id: string | undefined): Promise<void> {
    if (this.#running === undefined) this.#choice = await this.#ports.peekAgent(id);
  }

  /** The host that is there, or a new one; starts no process yet. @throws as ConversationPorts.chooseAgent, and `disposed` */
  async ensureHost(id: string | undefined): Promise<{ readonly host: AgentHost; readonly agentId: string }> {
    if (this.#running !== undefined) return this.#running;
    const choice = await this.#ports.chooseAgent(id);
    if (this.#disposed) throw new HostError('disposed', 'The conversation was closed');
    const owned = new DisposableStore();
    const created = this.#ports.createHost(choice);
    const host = owned.add(created.host);
    owned.add(created.owned);
    owned.add(host.onStatus(this.#onChange));
    this.#choice = choice;
    this.#running = { host, agentId: choice.definition.id, owned };
    return this.#running;
  }

  /** Ends the agent well. `beforeGone` runs when it has ended and its sessions can still be read. */
  async end(beforeGone: () => void): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    await running.host.stop();
    beforeGone();
    this.#running = undefined;
    running.owned.dispose();
  }

  dispose(): void {
    this.#disposed = true;
    this.#running?.owned.dispose();
  }
}
