import { type Disposable, DisposableStore } from '../base/disposable.js';
import { HostError, type HostErrorData, toHostError } from '../base/errors.js';
import type { AgentHost } from '../host/agentHost.js';
import { type NewSession, openRefusals, type Session, type SessionBatch, type SessionOwner } from '../host/api.js';
import { type SetOutcome, setTogether } from '../host/sessionOptions.js';
import type { CallAsker } from '../services/userRequests.js';
import { optionName, wishNames } from '../session/chooseOption.js';
import { selectOf, type SessionOption } from '../session/sessionOption.js';
import type { AgentHandle } from './agentHandle.js';
import type { SharedAgent } from './agentPool.js';
import { type ConversationContext, contextOf, type EarlierContext } from './context.js';
import type { ConversationPorts, OptionDefault } from './ports.js';
import { setWished } from './optionChanges.js';
import { type Blocker, sessionsOf } from './state.js';
import type { SessionBeginning, Thread } from './thread.js';

interface Attempt {
  readonly since: number;
  readonly abort: AbortController;
  readonly session: Promise<Session>;
}

export interface RecoveryParts {
  readonly ports: ConversationPorts;
  readonly agent: AgentHandle;
  readonly thread: Thread;
  readonly context: Pick<EarlierContext, 'fork'>;
  /** The configured agent. If undefined, the agent that the user chose is used. */
  readonly agentId: () => string | undefined;
  /** Called with what the agent asks while the session is opened. */
  readonly onRequest: CallAsker['onRequest'];
  /** The session is live. */
  readonly onOpen: () => void;
  /** There is no live session. @param wasStopped the user stopped it, and nothing else is being opened */
  readonly onFailed: (wasStopped: boolean) => void;
  readonly onChange: () => void;
}

/**
 * Gets a live session: starts the agent, resumes the session or opens a new one, and says what prevents it.
 * One attempt at a time, which concurrent callers share.
 */
export class Recovery {
  readonly #parts: RecoveryParts;
  #attempt: Attempt | undefined;
  /** The last start of the agent. */
  #starting: Promise<unknown> = Promise.resolve();
  /** What prevents a live session. Keeps its identity as long as nothing changed. */
  blocker: Blocker | undefined;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /** Since when a session is being opened, in milliseconds since the epoch; absent otherwise. */
  get since(): number | undefined {
    return this.#attempt?.since;
  }

  /** Opens the session, unless it is live. @returns what prevents it */
  async open(): Promise<HostErrorData | undefined> {
    this.blocker = undefined;
    try {
      await this.#reach();
      return undefined;
    } catch (thrown) {
      const error = toHostError(thrown);
      this.#onFailed(error);
      return error.toData();
    } finally {
      this.#parts.onChange();
    }
  }

  async #reach(): Promise<void> {
    const { thread, onOpen, onChange } = this.#parts;
    if (thread.liveSession === undefined) {
      this.#attempt ??= this.#begin();
      onChange();
      await this.#attempt.session;
    }
    // Does not start an agent in a loop that is lost at once each time.
    if (thread.liveSession !== undefined) onOpen();
  }

  /** Aborts the attempt. The next caller doesn't wait for it. */
  abort(): void {
    this.#attempt?.abort.abort();
    this.#attempt = undefined;
  }

  /** The agent was lost with the session, and is running again. */
  onRestarted(): void {
    const { thread, onChange } = this.#parts;
    if (thread.session === undefined || thread.liveSession !== undefined) return;
    if (this.blocker !== undefined || this.#attempt !== undefined) return;
    this.#reach()
      .catch((thrown: unknown) => {
        const error = toHostError(thrown);
        // An agent that is lost again restarts again, or its status says why not.
        if (error.code !== 'agent_exited') this.#onFailed(error);
      })
      .finally(onChange);
  }

  /** A turn ended. If the running agent lost the session and doesn't reopen it, the user must decide. */
  onTurnEnded(): void {
    const refusal = this.#parts.thread.session?.refusal;
    if (refusal !== undefined) this.blocker = toBlocker(refusal, this.#resuming);
  }

  #onFailed(error: HostError): void {
    const { ports, thread, onFailed } = this.#parts;
    // A later attempt has succeeded, after this one was stopped.
    if (error.code === 'cancelled' && thread.liveSession !== undefined) return;
    onFailed(error.code === 'cancelled' && this.#attempt === undefined);
    if (error.code === 'cancelled') return;
    ports.log.warn('Could not continue the conversation', error);
    this.blocker = toBlocker(error, this.#resuming);
  }

  get #resuming(): Parameters<typeof toBlocker>[1] {
    const { toResume, earlierSessions, state } = this.#parts.thread;
    return toResume && { ...toResume, offer: () => contextOf(sessionsOf({ earlierSessions, session: state })) };
  }

  #begin(): Attempt {
    const abort = new AbortController();
    const session = this.#open(abort.signal).finally(() => {
      if (this.#attempt?.abort === abort) this.#attempt = undefined;
      // Whatever the result, it was stopped.
      if (abort.signal.aborted) throw cancelled();
    });
    return { since: this.#parts.ports.clock.now(), abort, session };
  }

  async #open(signal: AbortSignal): Promise<Session> {
    for (;;) {
      let shared: SharedAgent | undefined;
      const starting = this.#starting.then(() => this.#start(signal, (ensured) => (shared = ensured)));
      this.#starting = starting.catch(() => {});
      try {
        return await this.#enter(await starting, signal);
      } catch (error) {
        if (signal.aborted || shared?.ended === undefined) throw error;
        // A conversation that shares the agent restarts it. The next process may have other settings.
        await shared.ended;
      }
    }
  }

  async #enter(shared: SharedAgent, signal: AbortSignal): Promise<Session> {
    const { thread } = this.#parts;
    const { toResume } = thread;
    const beginnings = new BeginningRecord(shared.host);
    let hold: Disposable | undefined;
    try {
      const session =
        toResume === undefined
          ? await this.#newSession(shared.host, signal)
          : await shared.host.loadSession(toResume.sessionId, toResume.known, this.#owner(shared.host, signal));
      hold = shared.hold(session);
      // A session that was open here has the options again that it had.
      const isBack = toResume !== undefined && thread.session !== undefined;
      if (!isBack) await this.#setDefaults(session, toResume === undefined);
      if (signal.aborted) throw cancelled();
      thread.adopt(session, shared, beginnings.of(session));
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
  async #start(signal: AbortSignal, onEnsured: (shared: SharedAgent) => void): Promise<SharedAgent> {
    const { ports, agent, agentId } = this.#parts;
    if (signal.aborted) throw cancelled();
    const shared = await agent.ensure(agentId(), signal);
    if (!('url' in shared.host.agent)) ports.changes?.warm();
    onEnsured(shared);
    if (signal.aborted) throw cancelled();
    await shared.host.start(signal).catch((error: unknown) => {
      // Another conversation that shared the start of this agent stopped it.
      if (toHostError(error).code === 'cancelled' && !signal.aborted && shared.ended === undefined) return shared.host.start(signal);
      throw error;
    });
    return shared;
  }

  async #newSession(host: AgentHost, signal: AbortSignal): Promise<Session> {
    const { ports, thread, context } = this.#parts;
    const { fork } = context;
    const setup: NewSession = { continues: thread.earlierSessions.at(-1)?.sessionId, ...this.#owner(host, signal) };
    const canFork = fork !== undefined && (fork.messageId === undefined ? host.forks !== undefined : host.forks === 'at_message');
    if (!canFork) return host.newSession(setup);
    try {
      return await host.newSession({ ...setup, fork });
    } catch (thrown) {
      const error = toHostError(thrown);
      if (!openRefusals.has(error.code) && error.code !== 'request_timeout') throw error;
      // Its history goes to the new one as text.
      ports.log.warn('The agent could not fork a session; beginning a new one', error);
      return host.newSession({ ...setup, forkError: error.toData() });
    }
  }

  #owner({ agent }: AgentHost, until: AbortSignal): SessionOwner {
    const { onRequest, ports } = this.#parts;
    const { openJournal, changes } = ports;
    // An agent on a server changes nothing in the folder.
    return { journal: openJournal, turns: 'url' in agent ? undefined : changes, asker: { onRequest, until } };
  }

  /**
   * @throws HostError `usage` for a required option that the agent doesn't offer, refuses, or changes because of another one, and for the mode
   * of a session that goes on if it is lost by them
   */
  async #setDefaults(session: Session, isNew: boolean): Promise<void> {
    const { log, optionDefaults } = this.#parts.ports;
    const optionIds = new Map<OptionDefault, string>();
    const errors = new Map<OptionDefault, HostError>();
    const optionOf = (one: OptionDefault): SessionOption | undefined => session.state.options.find(({ id }) => id === optionIds.get(one));
    const set = async (wish: OptionDefault): Promise<SetOutcome> => {
      try {
        optionIds.set(wish, await setWished(session, wish));
        errors.delete(wish);
        return 'set';
      } catch (thrown) {
        const error = toHostError(thrown);
        if (error.code !== 'usage') throw error;
        errors.set(wish, error);
        return 'failed';
      }
    };
    const wishes = optionDefaults().filter(({ isRequired }) => isNew || isRequired);
    const mode = isNew ? undefined : selectOf(session.state.options, 'mode');
    const setAll = (all: readonly OptionDefault[]) => setTogether(all, set, (one) => optionOf(one)?.currentValue);
    let left = await setAll(wishes);
    // Some agents change the mode with the model. It decides what runs without asking.
    if (mode !== undefined && !new Set(optionIds.values()).has(mode.id) && isChanged(mode, session.state.options))
      left = await setAll([{ id: optionName(mode), value: mode.currentValue, isRequired: true }, ...wishes]);
    for (const wish of left) {
      const error = errors.get(wish) ?? toChanged(wish, optionOf(wish));
      if (wish.isRequired) throw error;
      log.warn('The agent does not accept a default option', error.params);
    }
  }
}

function isChanged({ id, currentValue }: SessionOption, now: readonly SessionOption[]): boolean {
  return now.some((option) => option.id === id && option.currentValue !== currentValue);
}

/** @param option as another wish has left it; undefined if it is no longer offered */
function toChanged(wish: OptionDefault, option: SessionOption | undefined): HostError {
  const name = 'id' in wish ? wish.id : wish.category;
  const current = option === undefined ? '' : wishNames(option, option.currentValue).value;
  return new HostError('usage', { reason: 'option_kept', option: name, value: wish.value, current });
}

/** @param resuming the session that should have been resumed; absent for a new session */
function toBlocker(
  error: HostError,
  resuming: { readonly sessionId: string; readonly offer: () => ConversationContext | undefined } | undefined,
): Blocker {
  const data = error.toData();
  if (error.code === 'auth_required') return { type: 'sign_in', error: data };
  if (resuming === undefined || !openRefusals.has(error.code)) return { type: 'failed', error: data };
  return { type: 'resume_refused', error: data, sessionId: resuming.sessionId, offer: resuming.offer() };
}

function cancelled(): HostError {
  return new HostError('cancelled', { reason: 'opening' });
}

/** Records how sessions begin that are opened in an agent, until disposed. */
class BeginningRecord implements Disposable {
  readonly #owned = new DisposableStore();
  readonly #beginnings = new Map<Session, SessionBeginning>();

  constructor(host: AgentHost) {
    this.#owned.add(host.onSession((session) => this.#begin(session)));
  }

  /** A session that was already open begins now. */
  of(session: Session): SessionBeginning {
    const { state } = session;
    // Reading the state delivers the remaining events.
    return this.#beginnings.get(session) ?? { state, batches: [] };
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #begin(session: Session): void {
    const batches: SessionBatch[] = [];
    this.#beginnings.set(session, { state: session.state, batches });
    this.#owned.add(session.onBatch((batch) => batches.push(batch)));
  }
}
