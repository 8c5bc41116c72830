import { randomUUID } from 'node:crypto';
import {
  type AgentHost, type AgentInfo, type AgentStatus, type ContentBlock, type Disposable, DisposableStore, Emitter, HostError, type HostErrorCode, type Session,
  type SessionState, toHostError, type TurnOutcome,
} from '../../core/index.js';
import type { AgentChoice, ConversationPorts, Obstacle, SessionKey } from './ports.js';

/** A message that no turn has taken yet. It stays until one does. */
export interface UnsentPrompt {
  readonly id: string;
  readonly content: readonly ContentBlock[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Everything that there is to draw of a conversation. */
export interface ConversationState {
  readonly agent: { readonly id: string; readonly label: string; readonly fallback: boolean } | undefined;
  readonly status: AgentStatus;
  readonly info: AgentInfo | undefined;
  /** Milliseconds since the epoch; the session is being opened. */
  readonly connectingSince: number | undefined;
  readonly session: SessionState | undefined;
  /** The agent of `session` runs, and knows it. */
  readonly live: boolean;
  readonly above: readonly SessionState[];
  readonly unsent: readonly UnsentPrompt[];
  readonly obstacle: Obstacle | undefined;
}

/** One process of an agent and what hangs on it. */
interface Running {
  readonly host: AgentHost;
  readonly agentId: string;
  readonly owned: DisposableStore;
}

interface Connecting {
  readonly since: number;
  readonly abort: AbortController;
  readonly session: Promise<Session>;
}

/** An agent that answers so cannot take a conversation up, and trying again will not help. */
const loadRefusals: ReadonlySet<HostErrorCode> = new Set(['unsupported', 'session_unknown', 'request_failed', 'invalid_response']);

/**
 * The conversation of one folder: which agent, which session, and what is still to be sent. Starts the agent when it is needed and not before,
 * takes the session up again after a restart of the agent or the window, and loses no message on the way.
 */
export class Conversation implements Disposable {
  readonly #ports: ConversationPorts;
  readonly #onChange = new Emitter<void>();
  #agent: Pick<AgentChoice, 'definition' | 'fallback'> | undefined;
  #running: Running | undefined;
  #connecting: Connecting | undefined;
  #session: Session | undefined;
  #watching: Disposable | undefined;
  #agentId: string | undefined;
  #kept: SessionState | undefined;
  #above: { readonly key: SessionKey; readonly state: SessionState }[] = [];
  #unsent: UnsentPrompt[] = [];
  #obstacle: Obstacle | undefined;
  #restored: Promise<void> | undefined;
  #disposed = false;

  constructor(ports: ConversationPorts) {
    this.#ports = ports;
  }

  readonly onChange = this.#onChange.event;

  get host(): AgentHost | undefined {
    return this.#running?.host;
  }

  get state(): ConversationState {
    const { host } = this.#running ?? {};
    const agent = this.#agent;
    return {
      agent: agent === undefined ? undefined : { id: agent.definition.id, label: agent.definition.label, fallback: agent.fallback },
      status: host?.status ?? { state: 'stopped' },
      info: host?.info,
      connectingSince: this.#connecting?.since,
      session: this.#session?.state ?? this.#kept,
      live: this.#session?.live === true,
      above: this.#above.map(({ state }) => state),
      unsent: this.#unsent,
      obstacle: this.#obstacle,
    };
  }

  /** Brings back what was said before the window was closed. Starts nothing. Concurrent calls share one. */
  restore(): Promise<void> {
    return (this.#restored ??= this.#restore());
  }

  /** Sends a message; starts the agent and opens the session if need be. Resolves when its turn ended, or when it waits for the user. */
  async send(content: readonly ContentBlock[]): Promise<void> {
    this.#unsent = [...this.#unsent, { id: randomUUID(), content, at: Date.now() }];
    await this.sendUnsent();
  }

  /** Tries again whatever could not be sent. */
  async sendUnsent(): Promise<void> {
    const session = await this.open();
    if (session === undefined) return;
    const turns = this.#unsent.map(({ content }) => this.#runTurn(session, content));
    this.#unsent = [];
    this.#changed();
    await Promise.all(turns);
  }

  /**
   * The live session: the one that is there, the one that was kept, or a new one.
   * @returns undefined when something stands in the way, which then is the `obstacle`
   */
  async open(): Promise<Session | undefined> {
    await this.restore();
    if (this.#session?.live === true) return this.#session;
    this.#obstacle = undefined;
    try {
      return await this.#connect();
    } catch (error) {
      this.#meetObstacle(toHostError(error));
      return undefined;
    } finally {
      this.#changed();
    }
  }

  /** Sends the prompt of an earlier turn again, before what waits behind it. */
  async retry(turnId: string): Promise<void> {
    const { session } = this.state;
    const prompt = session?.items.find((item) => item.kind === 'message' && item.role === 'user' && item.turnId === turnId);
    if (prompt?.kind !== 'message') return;
    this.#unsent = [{ id: randomUUID(), content: prompt.content, at: Date.now() }, ...this.#unsent];
    await this.sendUnsent();
  }

  /** Stops what is going on: the turn, the start of the agent, or the wait for the next one. Queued messages go back to the composer. */
  cancel(): void {
    this.#connecting?.abort.abort();
    const host = this.#running?.host;
    if (host?.status.state === 'reconnecting') void host.stop();
    const queued = this.#session?.state.queue ?? [];
    this.#session?.cancel();
    for (const { content } of queued) this.#giveBack(content);
  }

  async forceStop(): Promise<void> {
    await this.#running?.host.stop({ force: true });
  }

  answer(askId: string, answer: Parameters<Session['answer']>[1]): boolean {
    return this.#session?.answer(askId, answer) ?? false;
  }

  unqueue(promptId: string): void {
    this.#session?.unqueue(promptId);
    this.#unsent = this.#unsent.filter(({ id }) => id !== promptId);
    this.#changed();
  }

  /** An empty conversation with the same agent. A running agent opens it at once, so that its choices are there. */
  async newSession(): Promise<void> {
    await this.restore();
    this.#leaveSession();
    this.#above = [];
    this.#ports.remember(undefined);
    this.#changed();
    if (this.#running?.host.status.state === 'ready') await this.open();
  }

  /** Shows an earlier conversation of this folder. Its agent is started with the next message, where it does not run. */
  async openEarlier({ agentId, sessionId }: SessionKey): Promise<void> {
    await this.restore();
    if (this.#running !== undefined && this.#running.agentId !== agentId) await this.#endAgent();
    this.#leaveSession();
    this.#above = [];
    this.#agentId = agentId;
    const session = this.#running?.host.sessions.get(sessionId);
    if (session?.live === true) this.#adopt(session, agentId);
    else this.#kept = session?.state ?? await this.#readKept({ agentId, sessionId });
    this.#ports.remember({ agentId, sessionId, above: [] });
    await this.refreshAgent();
  }

  /** Goes on with an agent that knows nothing of what is shown above. */
  async startFresh(): Promise<void> {
    const { session } = this.state;
    const unsent = this.#unsent;
    this.#unsent = [];
    const above = session === undefined || this.#agentId === undefined
      ? this.#above
      : [...this.#above, { key: { agentId: this.#agentId, sessionId: session.sessionId }, state: session }];
    this.#leaveSession();
    this.#above = above;
    this.#unsent = unsent;
    await this.sendUnsent();
  }

  /** Ends the agent well, starts it again and takes the conversation up. */
  async restart(): Promise<void> {
    await this.#endAgent();
    await this.sendUnsent();
  }

  /** The settings of the agent changed, or another one was chosen: an agent that runs is ended, and an empty conversation begins. */
  async changeAgent(): Promise<void> {
    await this.restore();
    await this.#endAgent();
    this.#leaveSession();
    this.#above = [];
    this.#ports.remember(undefined);
    await this.refreshAgent();
  }

  /** Looks again which agent there is, as long as none runs. */
  async refreshAgent(): Promise<void> {
    try {
      if (this.#running === undefined) this.#agent = await this.#ports.peekAgent(this.#boundAgentId);
    } catch (error) {
      this.#obstacle = { type: 'failed', error: toHostError(error).toData() };
    }
    this.#changed();
  }

  /** The graceful end, in which an agent saves what it knows. */
  async end(): Promise<void> {
    this.#connecting?.abort.abort();
    await this.#endAgent();
    this.dispose();
  }

  dispose(): void {
    this.#disposed = true;
    this.#connecting?.abort.abort();
    this.#watching?.dispose();
    this.#running?.owned.dispose();
    this.#onChange.dispose();
  }

  /** A conversation in which something was said goes on with its own agent, whatever the settings say by now. */
  get #boundAgentId(): string | undefined {
    return ((this.#session?.state ?? this.#kept)?.items.length ?? 0) > 0 ? this.#agentId : undefined;
  }

  async #restore(): Promise<void> {
    const record = this.#ports.recall();
    if (record !== undefined) {
      this.#agentId = record.agentId;
      this.#kept = await this.#readKept(record);
      for (const key of record.above) {
        const state = await this.#readKept(key);
        if (state !== undefined) this.#above.push({ key, state });
      }
    }
    await this.refreshAgent();
  }

  async #readKept(key: SessionKey): Promise<SessionState | undefined> {
    try {
      return await this.#ports.readKept(key);
    } catch (error) {
      this.#obstacle = { type: 'failed', error: toHostError(error, 'storage_failed').toData() };
      return undefined;
    }
  }

  #connect(): Promise<Session> {
    if (this.#connecting !== undefined) return this.#connecting.session;
    const abort = new AbortController();
    const session = this.#connectOnce(abort.signal).finally(() => {
      this.#connecting = undefined;
    });
    this.#connecting = { since: Date.now(), abort, session };
    this.#changed();
    return session;
  }

  async #connectOnce(signal: AbortSignal): Promise<Session> {
    if (!this.#ports.isTrusted()) throw new HostError('untrusted', 'The workspace is not trusted');
    const { host, agentId } = this.#running ?? await this.#createHost();
    await host.start(signal);
    const known = this.#session?.state ?? this.#kept;
    // A session in which nothing was said is nothing to take up.
    const session = known === undefined || known.items.length === 0
      ? await this.#openNew(host)
      : await host.loadSession(known.sessionId, known);
    if (signal.aborted) throw new HostError('cancelled', 'Opening the session was stopped');
    this.#adopt(session, agentId);
    return session;
  }

  async #createHost(): Promise<Running> {
    const choice = await this.#ports.chooseAgent(this.#boundAgentId);
    if (this.#disposed) throw new HostError('disposed', 'The conversation was closed');
    const owned = new DisposableStore();
    const created = this.#ports.createHost(choice);
    const host = owned.add(created.host);
    owned.add(created.owned);
    owned.add(host.onStatus(() => this.#changed()));
    this.#agent = choice;
    this.#running = { host, agentId: choice.definition.id, owned };
    return this.#running;
  }

  async #openNew(host: AgentHost): Promise<Session> {
    const session = await host.newSession();
    const wanted = this.#ports.defaultMode();
    if (wanted === '' || session.state.modes?.currentModeId === wanted) return session;
    if (session.state.modes?.availableModes.some(({ id }) => id === wanted) === true) await session.setMode(wanted);
    else this.#ports.log.warn(`The agent offers no mode "${wanted}" (acpHost.defaultMode)`);
    return session;
  }

  #adopt(session: Session, agentId: string): void {
    this.#session = session;
    this.#agentId = agentId;
    this.#kept = undefined;
    this.#watching?.dispose();
    this.#watching = session.onState(() => this.#changed());
    this.#ports.remember({ agentId, sessionId: session.id, above: this.#above.map(({ key }) => key) });
  }

  async #runTurn(session: Session, content: readonly ContentBlock[]): Promise<void> {
    try {
      this.#onOutcome(await session.prompt(content), content);
    } catch (thrown) {
      const error = toHostError(thrown);
      // `cancelled`: the user took it out of the queue, or stopped the turn before it and has it back.
      if (error.code !== 'cancelled') this.#keepUnsent(content);
    }
  }

  #onOutcome(outcome: TurnOutcome, content: readonly ContentBlock[]): void {
    if (outcome.type !== 'failed' || outcome.error.code !== 'auth_required') return;
    this.#obstacle = { type: 'sign_in', error: outcome.error };
    this.#keepUnsent(content);
  }

  #keepUnsent(content: readonly ContentBlock[]): void {
    if (this.#disposed) return;
    this.#unsent = [...this.#unsent, { id: randomUUID(), content, at: Date.now() }];
    this.#changed();
  }

  #meetObstacle(error: HostError): void {
    const data = error.toData();
    this.#ports.log.warn('The conversation cannot go on', error);
    if (error.code === 'auth_required') this.#obstacle = { type: 'sign_in', error: data };
    else if (loadRefusals.has(error.code) && (this.#kept ?? this.#session) !== undefined) this.#obstacle = { type: 'load_failed', error: data };
    else if (error.code === 'cancelled') this.#returnUnsent();
    else this.#obstacle = { type: 'failed', error: data };
  }

  #returnUnsent(): void {
    for (const { content } of this.#unsent) this.#giveBack(content);
    this.#unsent = [];
  }

  #giveBack(content: readonly ContentBlock[]): void {
    this.#ports.giveBack(content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n'));
  }

  /** The session stays open in its agent: the user may come back to it. */
  #leaveSession(): void {
    this.#session?.cancel();
    this.#watching?.dispose();
    this.#session = undefined;
    this.#kept = undefined;
    this.#obstacle = undefined;
    this.#returnUnsent();
  }

  /** What was said stays, as it was at the end. */
  async #endAgent(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    await running.host.stop();
    this.#kept = this.#session?.state ?? this.#kept;
    this.#watching?.dispose();
    this.#session = undefined;
    this.#running = undefined;
    running.owned.dispose();
  }

  #changed(): void {
    this.#onChange.fire();
  }
}
