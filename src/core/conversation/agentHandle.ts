import { isDeepStrictEqual } from 'node:util';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import { HostError } from '../base/errors.js';
import type { AgentHost } from '../host/agentHost.js';
import type { AgentStatus } from '../host/api.js';
import { serverCaveat } from '../host/connectAgent.js';
import type { CallAsker } from '../services/userRequests.js';
import type { SessionState } from '../session/model.js';
import type { UserRequest } from '../session/userRequest.js';
import type { AgentPool, SharedAgent } from './agentPool.js';
import type { AgentChoice, ConversationPorts } from './ports.js';
import type { AgentInfo, AgentSummary } from './state.js';

type Held =
  | { readonly type: 'none'; readonly summary: AgentSummary | undefined }
  | { readonly type: 'held'; readonly summary: AgentSummary; readonly shared: SharedAgent; readonly watching: DisposableStore }
  | { readonly type: 'closed' };

export interface AgentHandleParts {
  readonly ports: ConversationPorts;
  readonly pool: AgentPool;
  readonly cwd: string;
  /** The state of the agent changed. */
  readonly onChange: () => void;
  /** The agent was lost, and is running again. */
  readonly onRestarted: () => void;
  /** The agent ended, or the conversation leaves it. Its sessions can still be read. */
  readonly onLetGo: () => void;
  /** The agent was ended for all conversations that share it, after `onLetGo`. */
  readonly onRetired: () => void;
}

/**
 * The agent of a conversation: which agent it is, and the conversation's share in its process from the first use to the end. One at a time.
 */
export class AgentHandle implements Disposable {
  readonly #parts: AgentHandleParts;
  #held: Held = { type: 'none', summary: undefined };
  /** How often it was looked which agent would start. */
  #looks = 0;

  constructor(parts: AgentHandleParts) {
    this.#parts = parts;
  }

  /** The agent that is running, or the one that would start. */
  get summary(): AgentSummary | undefined {
    const held = this.#held;
    if (held.type !== 'held') return held.type === 'closed' ? undefined : held.summary;
    const { agent, info } = held.shared.host;
    return agent.isUnnamed === true && info !== undefined ? { ...held.summary, label: ownName(info) ?? agent.label } : held.summary;
  }

  get host(): AgentHost | undefined {
    return this.#held.type === 'held' ? this.#held.shared.host : undefined;
  }

  /** The agent is being ended: it finishes its turn, but takes no other prompt. */
  get isEnding(): boolean {
    return this.#held.type === 'held' && this.#held.shared.ended !== undefined;
  }

  /** Determines again which agent would start, unless the conversation holds one. @throws as ConversationPorts.peekAgent */
  async look(id: string | undefined): Promise<void> {
    if (this.#held.type !== 'none') return;
    const look = ++this.#looks;
    const summary = await this.#parts.ports.peekAgent(id);
    // Another one may be wanted by now, and found sooner.
    if (look === this.#looks && this.#held.type === 'none') this.#held = { type: 'none', summary };
  }

  /**
   * Returns the agent that the conversation holds, or takes a share in one. Starts no process yet.
   * @param signal if it is aborted, the conversation may want another agent by now, and takes no share in this one
   * @throws as ConversationPorts.chooseAgent, `cancelled`, and `disposed`
   */
  async ensure(id: string | undefined, signal: AbortSignal): Promise<SharedAgent> {
    if (this.#held.type === 'held') return this.#held.shared;
    const { ports, pool, cwd, onChange, onRestarted } = this.#parts;
    const choice = await ports.chooseAgent(id);
    const shared = await pool.acquire(cwd, choice, () => ports.createHost(choice));
    const held = this.#current();
    if (held.type !== 'none' || signal.aborted) {
      shared.leave();
      if (held.type === 'closed') throw new HostError('disposed', { reason: 'conversation' });
      if (held.type === 'held') return held.shared;
      throw new HostError('cancelled', { reason: 'opening' });
    }
    const watching = new DisposableStore();
    watching.add(shared.host.onStatus(onChange));
    watching.add(shared.host.onRestarted(onRestarted));
    watching.add(
      shared.onRetired(() => {
        this.#letGo();
        this.#parts.onRetired();
      }),
    );
    this.#held = { type: 'held', summary: agentSummary(choice), shared, watching };
    return shared;
  }

  /** Whether the agent's settings changed since it was started. */
  async isOutdated(id: string | undefined): Promise<boolean> {
    const { host } = this;
    if (host === undefined) return false;
    const { definition } = await this.#parts.ports.chooseAgent(id ?? this.summary?.id);
    return definition.id === host.agent.id && !isDeepStrictEqual(definition, host.agent);
  }

  /** Ends the conversation's share in the agent. The last one to do so ends the agent gracefully. */
  async release(): Promise<void> {
    if (this.#held.type === 'held') await this.#held.shared.release(() => this.#letGo());
  }

  /** Ends the agent gracefully for every conversation that shares it. */
  async retire(): Promise<void> {
    if (this.#held.type === 'held') await this.#held.shared.retire();
  }

  dispose(): void {
    const held = this.#held;
    this.#held = { type: 'closed' };
    if (held.type !== 'held') return;
    held.watching.dispose();
    held.shared.leave();
  }

  /** Read again each time, because it may change during an await. */
  #current(): Held {
    return this.#held;
  }

  #letGo(): void {
    if (this.#held.type !== 'held') return;
    const { summary } = this;
    this.#parts.onLetGo();
    this.#held.watching.dispose();
    this.#held = { type: 'none', summary };
  }
}

const nameChars = 60;

/** Returns the name on one line, without control characters for a terminal. */
function ownName({ title, name }: AgentInfo): string | undefined {
  const line = (title ?? name).replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  return line === '' ? undefined : line.slice(0, nameChars);
}

/**
 * What the agent does for one conversation: `busy` and `waiting` refer to this one only, whoever shares the process.
 * @param requests what the agent asks outside of the session
 * @param session the session on screen: what the agent does in other sessions, or fails to open, does not concern this conversation
 * @param isLive the session accepts prompts
 */
export function statusFor(
  host: AgentHost | undefined,
  requests: readonly UserRequest[],
  session: SessionState | undefined,
  isLive: boolean,
): AgentStatus {
  if (host === undefined) return { state: 'stopped' };
  const [request] = requests;
  if (request !== undefined) return { state: 'waiting', since: request.at, requests: requests.length };
  if (isLive) return activityOf(session);
  const { status } = host;
  return status.state === 'busy' || status.state === 'waiting' ? activityOf(session) : status;
}

/** What the agent does in one session while it is running. */
function activityOf(session: SessionState | undefined): Extract<AgentStatus, { state: 'ready' | 'busy' | 'waiting' }> {
  const request = session?.requests[0];
  if (session === undefined) return { state: 'ready' };
  if (request !== undefined) return { state: 'waiting', since: request.at, requests: session.requests.length };
  return session.turn.type === 'idle' ? { state: 'ready' } : { state: 'busy', since: session.turn.startedAt };
}

/** Returns what front ends show of an agent, as plain data. */
export function agentSummary({ definition, isFallback }: Pick<AgentChoice, 'definition' | 'isFallback'>): AgentSummary {
  const caveat = serverCaveat(definition);
  const server = 'url' in definition ? ({ isServer: true } as const) : {};
  return { id: definition.id, label: definition.label, isFallback, ...server, ...(caveat === undefined ? {} : { caveat }) };
}

/** Signing in with a method of the agent, which waits for the user for any time, for example in a browser. One attempt at a time. */
export class SignInAttempt {
  readonly #onRequest: CallAsker['onRequest'];
  #abort: AbortController | undefined;

  /** @param onRequest called with what the agent asks in order to sign the user in */
  constructor(onRequest: CallAsker['onRequest']) {
    this.#onRequest = onRequest;
  }

  /** Cancels an attempt that is under way. @throws HostError as AgentHost.authenticate; `cancelled` after `abort` */
  async run(host: AgentHost, methodId: string): Promise<void> {
    this.abort();
    const abort = new AbortController();
    this.#abort = abort;
    const { signal } = abort;
    await host.authenticate(methodId, { signal, asker: { onRequest: this.#onRequest, until: signal } });
  }

  abort(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }
}
