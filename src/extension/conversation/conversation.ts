import {
  type AgentHost, type ContentBlock, type Disposable, Emitter, HostError, type HostErrorCode, type Session, type SessionState, toHostError, type TurnOutcome,
} from '../../core/index.js';
import { AgentSlot } from './agentSlot.js';
import { Outbox } from './outbox.js';
import type { ConversationPorts, Obstacle, SessionKey } from './ports.js';
import type { ConversationState } from './state.js';
import { type AboveEntry, Thread } from './thread.js';

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
  readonly #agent: AgentSlot;
  readonly #thread: Thread;
  readonly #outbox = new Outbox();
  #connecting: Connecting | undefined;
  #obstacle: Obstacle | undefined;
  #restored: Promise<void> | undefined;
  #disposed = false;

  constructor(ports: ConversationPorts) {
    this.#ports = ports;
    this.#agent = new AgentSlot(ports, () => this.#changed());
    this.#thread = new Thread(() => this.#changed());
  }

  readonly onChange = this.#onChange.event;

  get host(): AgentHost | undefined {
    return this.#agent.host;
  }

  get state(): ConversationState {
    const { host, choice } = this.#agent;
    return {
      agent: choice === undefined ? undefined : { id: choice.definition.id, label: choice.definition.label, fallback: choice.fallback },
      status: host?.status ?? { state: 'stopped' },
      info: host?.info,
      connectingSince: this.#connecting?.since,
      session: this.#thread.state,
      live: this.#thread.live,
      above: this.#thread.above.map(({ state }) => state),
      unsent: this.#outbox.all,
      obstacle: this.#obstacle,
    };
  }

  /** Brings back what was said before the window was closed. Starts nothing. Concurrent calls share one. */
  restore(): Promise<void> {
    return (this.#restored ??= this.#restore());
  }

  /** Sends a message; starts the agent and opens the session if need be. Resolves when its turn ended, or when it waits for the user. */
  async send(content: readonly ContentBlock[]): Promise<void> {
    this.#outbox.add(content);
    await this.sendUnsent();
  }

  /** Tries again whatever could not be sent. */
  async sendUnsent(): Promise<void> {
    const session = await this.open();
    if (session === undefined) return;
    const turns = this.#outbox.take().map(({ content }) => this.#runTurn(session, content));
    this.#changed();
    await Promise.all(turns);
  }

  /**
   * The live session: the one that is there, the one that was kept, or a new one.
   * @returns undefined when something stands in the way, which then is the `obstacle`
   */
  async open(): Promise<Session | undefined> {
    await this.restore();
    const { session } = this.#thread;
    if (session?.live === true) return session;
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
    const prompt = this.#thread.state?.items.find((item) => item.kind === 'message' && item.role === 'user' && item.turnId === turnId);
    if (prompt?.kind !== 'message') return;
    this.#outbox.addFirst(prompt.content);
    await this.sendUnsent();
  }

  /** Stops what is going on: the turn, the start of the agent, or the wait for the next one. Queued messages go back to the composer. */
  cancel(): void {
    this.#connecting?.abort.abort();
    const { host } = this.#agent;
    if (host?.status.state === 'reconnecting') void host.stop();
    const queued = this.#thread.session?.state.queue ?? [];
    this.#thread.session?.cancel();
    for (const { content } of queued) this.#giveBack(content);
  }

  async forceStop(): Promise<void> {
    await this.#agent.host?.stop({ force: true });
  }

  answer(askId: string, answer: Parameters<Session['answer']>[1]): boolean {
    return this.#thread.session?.answer(askId, answer) ?? false;
  }

  unqueue(promptId: string): void {
    this.#thread.session?.unqueue(promptId);
    this.#outbox.remove(promptId);
    this.#changed();
  }

  /** An empty conversation with the same agent. A running agent opens it at once, so that its choices are there. */
  async newSession(): Promise<void> {
    await this.restore();
    this.#leave();
    this.#ports.remember(undefined);
    this.#changed();
    if (this.#agent.host?.status.state === 'ready') await this.open();
  }

  /** Shows an earlier conversation of this folder. Its agent is started with the next message, where it does not run. */
  async openEarlier({ agentId, sessionId }: SessionKey): Promise<void> {
    await this.restore();
    if (this.#agent.hostedId !== agentId) await this.#endAgent();
    this.#leave();
    const session = this.#agent.host?.sessions.get(sessionId);
    this.#thread.show(agentId, session === undefined ? await this.#readKept({ agentId, sessionId }) : session.state, []);
    if (session?.live === true) this.#thread.adopt(session, agentId);
    this.#ports.remember({ agentId, sessionId, above: [] });
    await this.refreshAgent();
  }

  /** Goes on with an agent that knows nothing of what is shown above. */
  async startFresh(): Promise<void> {
    this.#thread.moveUp();
    this.#obstacle = undefined;
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
    this.#leave();
    this.#ports.remember(undefined);
    await this.refreshAgent();
  }

  /** Looks again which agent there is, as long as none runs. */
  async refreshAgent(): Promise<void> {
    try {
      await this.#agent.look(this.#boundAgentId);
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
    this.#thread.dispose();
    this.#agent.dispose();
    this.#onChange.dispose();
  }

  /** A conversation in which something was said goes on with its own agent, whatever the settings say by now. */
  get #boundAgentId(): string | undefined {
    return this.#thread.hasWords ? this.#thread.agentId : undefined;
  }

  async #restore(): Promise<void> {
    const record = this.#ports.recall();
    if (record !== undefined) this.#thread.show(record.agentId, await this.#readKept(record), await this.#readAbove(record.above));
    await this.refreshAgent();
  }

  async #readAbove(keys: readonly SessionKey[]): Promise<readonly AboveEntry[]> {
    const above: AboveEntry[] = [];
    for (const key of keys) {
      const state = await this.#readKept(key);
      if (state !== undefined) above.push({ key, state });
    }
    return above;
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
    const { host, agentId } = await this.#agent.ensureHost(this.#boundAgentId);
    await host.start(signal);
    const known = this.#thread.state;
    const session = known === undefined || !this.#thread.hasWords ? await this.#openNew(host) : await host.loadSession(known.sessionId, known);
    if (signal.aborted) throw new HostError('cancelled', 'Opening the session was stopped');
    this.#thread.adopt(session, agentId);
    this.#ports.remember(this.#thread.record);
    return session;
  }

  async #openNew(host: AgentHost): Promise<Session> {
    const session = await host.newSession();
    const wanted = this.#ports.defaultMode();
    if (wanted === '' || session.state.modes?.currentModeId === wanted) return session;
    if (session.state.modes?.availableModes.some(({ id }) => id === wanted) === true) await session.setMode(wanted);
    else this.#ports.log.warn(`The agent offers no mode "${wanted}" (acpHost.defaultMode)`);
    return session;
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
    this.#outbox.add(content);
    this.#changed();
  }

  #meetObstacle(error: HostError): void {
    const data = error.toData();
    this.#ports.log.warn('The conversation cannot go on', error);
    if (error.code === 'auth_required') this.#obstacle = { type: 'sign_in', error: data };
    else if (loadRefusals.has(error.code) && this.#thread.state !== undefined) this.#obstacle = { type: 'load_failed', error: data };
    else if (error.code === 'cancelled') this.#returnUnsent();
    else this.#obstacle = { type: 'failed', error: data };
  }

  #returnUnsent(): void {
    for (const { content } of this.#outbox.take()) this.#giveBack(content);
  }

  #giveBack(content: readonly ContentBlock[]): void {
    this.#ports.giveBack(content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n'));
  }

  #leave(): void {
    this.#thread.leave();
    this.#obstacle = undefined;
    this.#returnUnsent();
  }

  #endAgent(): Promise<void> {
    return this.#agent.end(() => this.#thread.freeze());
  }

  #changed(): void {
    this.#onChange.fire();
  }
}
