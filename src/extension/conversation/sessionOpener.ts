import { type AgentHost, type Disposable, HostError, isChoice, selectOf, type Session } from '../../core/index.js';
import type { AgentHandle } from './agentHandle.js';
import type { ConversationPorts } from './ports.js';
import type { Thread } from './thread.js';

interface UnderWay {
  readonly since: number;
  readonly abort: AbortController;
  readonly session: Promise<Session>;
}

export interface SessionOpenerParts {
  readonly ports: ConversationPorts;
  readonly agent: AgentHandle;
  readonly thread: Thread;
  /** Opening began. */
  readonly onStart: () => void;
}

/** The way from no session to one: starts the agent, takes the conversation up or begins one. One way at a time, for however many want it. */
export class SessionOpener implements Disposable {
  readonly #parts: SessionOpenerParts;
  #underWay: UnderWay | undefined;

  constructor(parts: SessionOpenerParts) {
    this.#parts = parts;
  }

  /** Milliseconds since the epoch; absent while nothing is being opened. */
  get since(): number | undefined {
    return this.#underWay?.since;
  }

  /** A conversation in which something was said goes on with its own agent, whatever the settings say by now. */
  get boundAgentId(): string | undefined {
    const { thread } = this.#parts;
    return thread.hasWords ? thread.agentId : undefined;
  }

  /** @throws HostError whatever stands in the way; `cancelled` after `abort` */
  open(): Promise<Session> {
    if (this.#underWay !== undefined) return this.#underWay.session;
    const abort = new AbortController();
    const session = this.#open(abort.signal).finally(() => {
      this.#underWay = undefined;
    });
    this.#underWay = { since: Date.now(), abort, session };
    this.#parts.onStart();
    return session;
  }

  abort(): void {
    this.#underWay?.abort.abort();
  }

  dispose(): void {
    this.abort();
  }

  async #open(signal: AbortSignal): Promise<Session> {
    const { ports, agent, thread } = this.#parts;
    if (!ports.isTrusted()) throw new HostError('untrusted', 'The workspace is not trusted');
    const { host, agentId } = await agent.ensureHost(this.boundAgentId);
    await host.start(signal);
    const known = thread.state;
    const session = known === undefined || !thread.hasWords ? await this.#begin(host) : await host.loadSession(known.sessionId, known);
    if (signal.aborted) throw new HostError('cancelled', 'Opening the session was stopped');
    thread.adopt(session, agentId);
    return session;
  }

  async #begin(host: AgentHost): Promise<Session> {
    const { ports, thread } = this.#parts;
    const { continues } = thread;
    const session = await host.newSession(continues === undefined ? {} : { continues });
    const wanted = ports.defaultMode();
    const mode = selectOf(session.state.options, 'mode');
    if (wanted === '' || mode?.currentValue === wanted) return session;
    if (mode !== undefined && isChoice(mode, wanted)) await session.setOption(mode.id, wanted);
    else ports.log.warn(`The agent offers no mode "${wanted}" (acpHost.defaultMode)`);
    return session;
  }
}
