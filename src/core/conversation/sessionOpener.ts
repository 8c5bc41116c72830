import type { Disposable } from '../base/disposable.js';
import { HostError, type HostErrorCode, toHostError } from '../base/errors.js';
import type { AgentHost, NewSession, Session, SessionOwner } from '../host/api.js';
import type { AgentHandle } from './agentHandle.js';
import type { AgentLease } from './agentPool.js';
import type { EarlierContext } from './earlierContext.js';
import type { ConversationPorts, OptionDefault } from './ports.js';
import { BeginningRecord } from './sessionBeginning.js';
import { setWished } from './sessionAccess.js';
import type { Thread } from './thread.js';

type Opening =
  | { readonly type: 'idle' }
  | { readonly type: 'opening'; readonly since: number; readonly abort: AbortController; readonly session: Promise<Session> };

export interface SessionOpenerParts {
  readonly ports: ConversationPorts;
  readonly agent: AgentHandle;
  readonly thread: Thread;
  readonly context: Pick<EarlierContext, 'fork'>;
  /** The configured agent. If undefined, the agent that the user chose is used. */
  readonly agentId: () => string | undefined;
}

/** Gets a live session: starts the agent, and resumes a session or opens a new one. One attempt at a time; concurrent callers share it. */
export class SessionOpener {
  readonly #parts: SessionOpenerParts;
  #state: Opening = { type: 'idle' };
  /** The last start of the agent. */
  #starting: Promise<unknown> = Promise.resolve();

  constructor(parts: SessionOpenerParts) {
    this.#parts = parts;
  }

  /** Since when a session is being opened, in milliseconds since the epoch; absent otherwise. */
  get since(): number | undefined {
    return this.#state.type === 'opening' ? this.#state.since : undefined;
  }

  /** @throws HostError whatever prevents it; `cancelled` after `abort` */
  open(): Promise<Session> {
    if (this.#state.type === 'opening') return this.#state.session;
    const abort = new AbortController();
    const session = this.#open(abort.signal).finally(() => {
      if (this.#state.type === 'opening' && this.#state.abort === abort) this.#state = { type: 'idle' };
      // Whatever the result, it was stopped.
      if (abort.signal.aborted) throw cancelled();
    });
    this.#state = { type: 'opening', since: this.#parts.ports.clock.now(), abort, session };
    return session;
  }

  /** Aborts the attempt. The next caller doesn't wait for it. */
  abort(): void {
    if (this.#state.type === 'opening') this.#state.abort.abort();
    this.#state = { type: 'idle' };
  }

  async #open(signal: AbortSignal): Promise<Session> {
    for (;;) {
      let lease: AgentLease | undefined;
      const starting = this.#starting.then(() => this.#start(signal, (ensured) => (lease = ensured)));
      this.#starting = starting.catch(() => {});
      try {
        return await this.#enter(await starting, signal);
      } catch (error) {
        if (signal.aborted || lease?.ended === undefined) throw error;
        // A conversation that shares the agent restarts it. The next process may have other settings.
        await lease.ended;
      }
    }
  }

  async #enter(lease: AgentLease, signal: AbortSignal): Promise<Session> {
    const { ports, thread } = this.#parts;
    const { toResume } = thread;
    const beginnings = new BeginningRecord(lease.host);
    let hold: Disposable | undefined;
    try {
      const session =
        toResume === undefined
          ? await this.#begin(lease.host)
          : await lease.host.loadSession(toResume.sessionId, toResume.known, this.#owner(lease.host));
      hold = lease.hold(session);
      for (const option of ports.optionDefaults()) await this.#setDefault(session, option, toResume === undefined);
      if (signal.aborted) throw cancelled();
      thread.adopt(session, lease, beginnings.of(session));
      hold.dispose();
      return session;
    } catch (error) {
      // Another attempt may have waited for the same session, and is about to hold it.
      setImmediate(() => hold?.dispose());
      throw error;
    } finally {
      beginnings.dispose();
    }
  }

  /** Waits for an earlier start that was stopped, whose process may still be ending. */
  async #start(signal: AbortSignal, onEnsured: (lease: AgentLease) => void): Promise<AgentLease> {
    const { ports, agent, agentId } = this.#parts;
    if (signal.aborted) throw cancelled();
    const lease = await agent.ensure(agentId(), signal);
    if (!('url' in lease.host.agent)) ports.changes?.warm();
    onEnsured(lease);
    if (signal.aborted) throw cancelled();
    await lease.host.start(signal).catch((error: unknown) => {
      // Another conversation that shared the start of this agent stopped it.
      if (toHostError(error).code === 'cancelled' && !signal.aborted && lease.ended === undefined) return lease.host.start(signal);
      throw error;
    });
    return lease;
  }

  async #begin(host: AgentHost): Promise<Session> {
    const { ports, thread, context } = this.#parts;
    const { fork } = context;
    const setup: NewSession = { continues: thread.continues, ...this.#owner(host) };
    const canFork = fork !== undefined && (fork.messageId === undefined ? host.forks !== undefined : host.forks === 'at_message');
    if (!canFork) return host.newSession(setup);
    try {
      return await host.newSession({ ...setup, fork });
    } catch (thrown) {
      const error = toHostError(thrown);
      if (!forkRefusals.has(error.code)) throw error;
      ports.log.warn('The agent could not fork a session; beginning a new one', error);
      return host.newSession({ ...setup, forkError: error.toData() });
    }
  }

  #owner({ agent }: AgentHost): SessionOwner {
    const { openJournal, changes } = this.#parts.ports;
    // An agent on a server changes nothing in the folder.
    return { journal: openJournal, turns: 'url' in agent ? undefined : changes };
  }

  /** @throws HostError `usage` for a required option that the agent doesn't offer or refuses */
  async #setDefault(session: Session, { isRequired, ...wish }: OptionDefault, isNew: boolean): Promise<void> {
    if (!isNew && !isRequired) return;
    try {
      await setWished(session, wish);
    } catch (thrown) {
      const error = toHostError(thrown);
      if (isRequired || error.code !== 'usage') throw error;
      this.#parts.ports.log.warn('The agent does not accept a default option', error.params);
    }
  }
}

/** The agent is running and did not fork the session. Its history still goes to a new one as text. */
const forkRefusals: ReadonlySet<HostErrorCode> = new Set([
  'unsupported',
  'session_unknown',
  'request_failed',
  'request_timeout',
  'invalid_response',
]);

function cancelled(): HostError {
  return new HostError('cancelled', { reason: 'opening' });
}
