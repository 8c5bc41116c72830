import {
  type AgentHost,
  type ContentBlock,
  type Disposable,
  Emitter,
  type HostError,
  isContextBlock,
  type Session,
  type SessionState,
  toHostError,
  type TurnOutcome,
} from '../../core/index.js';
import { AgentHandle } from './agentHandle.js';
import { EarlierContext } from './earlierContext.js';
import { type Blocker, toBlocker } from './blocker.js';
import { type HoldReason, Outbox, type UnsentPrompt } from './outbox.js';
import { SessionOpener } from './sessionOpener.js';
import type { ConversationPorts, SessionKey } from './ports.js';
import type { ConversationState } from './state.js';
import { Thread } from './thread.js';
import { WindowRecord } from './windowRecord.js';

/**
 * The conversation of one folder: which agent, which session, and what is still to be sent. Starts the agent when it is needed and not before,
 * takes the session up again after a restart of the agent or the window, and loses no message on the way.
 */
export class Conversation implements Disposable {
  readonly #ports: ConversationPorts;
  readonly #onChange = new Emitter<void>();
  readonly #agent: AgentHandle;
  readonly #thread: Thread;
  readonly #opening: SessionOpener;
  readonly #context: EarlierContext;
  readonly #outbox = new Outbox((content) => this.#giveBack(content));
  readonly #record: WindowRecord;
  #obstacle: Blocker | undefined;
  #restored: Promise<void> | undefined;
  #disposed = false;

  constructor(ports: ConversationPorts) {
    this.#ports = ports;
    this.#record = new WindowRecord(ports);
    this.#agent = new AgentHandle(ports, () => this.#changed());
    this.#thread = new Thread(() => this.#changed());
    this.#context = new EarlierContext(this.#thread);
    this.#opening = new SessionOpener({ ports, agent: this.#agent, thread: this.#thread, onStart: () => this.#changed() });
  }

  readonly onChange = this.#onChange.event;

  get host(): AgentHost | undefined {
    return this.#agent.host;
  }

  get state(): ConversationState {
    const { host, choice } = this.#agent;
    return {
      agent: choice === undefined ? undefined : { id: choice.definition.id, label: choice.definition.label, isFallback: choice.isFallback },
      status: host?.status ?? { state: 'stopped' },
      info: host?.info,
      connectingSince: this.#opening.since,
      session: this.#thread.state,
      live: this.#thread.live,
      earlierSessions: this.#thread.earlierSessions,
      context: this.#context.current,
      unsent: this.#outbox.all,
      blocker: this.#obstacle ?? this.#refusal,
    };
  }

  /** Brings back what was said before the window was closed. Starts nothing. Concurrent calls share one. */
  restore(): Promise<void> {
    return (this.#restored ??= this.#restore());
  }

  /** Sends a message; starts the agent and opens the session if need be. Resolves when its turn ended, or when it waits for the user. */
  async send(content: readonly ContentBlock[]): Promise<void> {
    await this.restore();
    this.#outbox.add(content);
    await this.#sendReady();
  }

  /** Tries again whatever could not be sent; what waits for the user goes on waiting. */
  async sendUnsent(): Promise<void> {
    await this.restore();
    await this.#sendReady();
  }

  /** The user lets go what waits. */
  async sendHeld(): Promise<void> {
    await this.restore();
    this.#outbox.release();
    await this.#sendReady();
  }

  /** Messages that are known to freeze the agent, until the user has decided. */
  get risky(): readonly UnsentPrompt[] {
    return this.#outbox.risky;
  }

  async holdRisky(content: readonly ContentBlock[]): Promise<void> {
    await this.restore();
    this.#outbox.add(content, 'freezes');
    this.#changed();
  }

  /** For whoever decided how these are sent. */
  takeRisky(risky: readonly UnsentPrompt[]): void {
    this.#outbox.take(risky);
    this.#changed();
  }

  giveRiskyBack(): void {
    this.#outbox.giveBackRisky();
    this.#changed();
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
      const opened = await this.#opening.open();
      this.#rememberPlace();
      return opened;
    } catch (error) {
      this.#meetObstacle(toHostError(error));
      return undefined;
    } finally {
      this.#changed();
    }
  }

  /** Sends the prompt of an earlier turn again, before what waits behind it. */
  async retry(turnId: string, session?: SessionState): Promise<void> {
    const content = this.#thread.promptOf(turnId, session);
    if (content === undefined) return;
    this.#outbox.addFirst(content);
    await this.sendHeld();
  }

  /** Puts the prompt of an earlier turn into the composer; what waits behind it goes on waiting. */
  editPrompt(turnId: string, session?: SessionState): void {
    const content = this.#thread.promptOf(turnId, session);
    if (content !== undefined) this.#giveBack(content);
    this.#changed();
  }

  /** Stops what is going on: the turn, the start of the agent, or the wait for the next one. Queued messages go back to the composer. */
  cancel(): void {
    this.#opening.abort();
    const { host } = this.#agent;
    if (host?.status.state === 'reconnecting') void host.stop();
    const { queue } = this.#thread;
    this.#thread.session?.cancel();
    for (const { content } of queue) this.#giveBack(content);
  }

  async forceStop(): Promise<void> {
    await this.#agent.host?.stop({ force: true });
  }

  answer(requestId: string, answer: Parameters<Session['answer']>[1]): boolean {
    return this.#thread.session?.answer(requestId, answer) ?? false;
  }

  /** What stands above does not go with the next message. */
  dropContext(): void {
    this.#context.clear();
    this.#rememberPlace();
    this.#changed();
  }

  unqueue(promptId: string): void {
    this.#thread.session?.unqueue(promptId);
    // It is the page that has the words then.
    if (this.#outbox.remove(promptId)?.content.some(isContextBlock) === true) this.#context.stage();
    this.#changed();
  }

  /** An empty conversation with the same agent. A running agent opens it at once, so that its choices are there. */
  async newSession(): Promise<void> {
    await this.restore();
    this.#leave();
    this.#record.forgetPlace();
    this.#changed();
    if (this.#agent.host?.status.state === 'ready') await this.open();
  }

  /** Shows an earlier conversation of this folder. Its agent is started with the next message, where it does not run. */
  async openEarlier(key: SessionKey): Promise<void> {
    const { agentId, sessionId, createdAt } = key;
    await this.restore();
    if (this.#thread.isAt(key)) return;
    if (this.#agent.hostedId !== agentId) await this.#endAgent();
    this.#leave();
    const open = this.#agent.host?.sessions.get(sessionId);
    const session = createdAt === undefined || open?.state.createdAt === createdAt ? open : undefined;
    if (session === undefined) {
      const kept = await this.#readKept(key);
      this.#thread.show(agentId, kept.at(-1), kept.slice(0, -1));
    } else {
      // Newer than what is on disk by now.
      const { state } = session;
      this.#thread.show(agentId, state, await this.#ports.readBefore(agentId, state));
    }
    this.#rememberPlace();
    await this.refreshAgent();
    // The agent still has it open: it comes back as it is.
    if (session?.live === true) await this.open();
  }

  /** Goes on below what was said, with an agent that is told of it: the next message carries it. Messages that wait go on waiting. */
  async goOnWithContext(): Promise<void> {
    this.#moveUp();
    this.#context.stage();
    await this.open();
  }

  /** Goes on below what was said, with an agent that knows nothing of it. Messages that wait go on waiting. */
  async startFresh(): Promise<void> {
    this.#moveUp();
    await this.open();
  }

  /** Ends the agent well, starts it again and takes the conversation up. */
  async restart(): Promise<void> {
    await this.#endAgent();
    await this.#sendReady();
  }

  /** The settings of the agent changed, or another one was chosen: an agent that runs is ended, and an empty conversation begins. */
  async changeAgent(): Promise<void> {
    await this.restore();
    await this.#endAgent();
    this.#leave();
    this.#record.forgetPlace();
    await this.refreshAgent();
  }

  /** Looks again which agent there is, as long as none runs. */
  async refreshAgent(): Promise<void> {
    try {
      await this.#agent.look(this.#opening.boundAgentId);
    } catch (error) {
      this.#obstacle = { type: 'failed', error: toHostError(error).toData() };
    }
    this.#changed();
  }

  /** The graceful end, in which an agent saves what it knows. */
  async end(): Promise<void> {
    this.#opening.abort();
    await this.#endAgent();
    this.dispose();
  }

  dispose(): void {
    this.#disposed = true;
    this.#opening.dispose();
    this.#thread.dispose();
    this.#agent.dispose();
    this.#onChange.dispose();
  }

  async #restore(): Promise<void> {
    const record = this.#ports.recall();
    if (record !== undefined) {
      const { agentId, continues, withContext } = record;
      const kept = await this.#readKept(record);
      // A session in which nothing was said yet is not on disk.
      const above =
        kept.length > 0 ? kept.slice(0, -1) : continues === undefined ? [] : await this.#readKept({ agentId, sessionId: continues });
      this.#thread.show(agentId, kept.at(-1), above);
      if (withContext) this.#context.stage();
    }
    this.#outbox.restore(this.#ports.recallUnsent(), this.#thread.state);
    await this.refreshAgent();
  }

  /** The agent came back by itself and does not take the conversation up: what now is the user's decision. */
  get #refusal(): Blocker | undefined {
    const refusal = this.#opening.since === undefined && this.#thread.hasWords ? this.#thread.session?.refusal : undefined;
    return refusal === undefined ? undefined : { type: 'load_failed', error: refusal.toData() };
  }

  async #sendReady(): Promise<void> {
    this.#changed();
    const session = await this.open();
    if (session === undefined) return;
    const turns = this.#outbox.takeReady().map(({ content }) => this.#runTurn(session, this.#context.attach(content)));
    this.#rememberPlace();
    this.#changed();
    await Promise.all(turns);
  }

  #moveUp(): void {
    this.#thread.archiveCurrent();
    this.#outbox.hold('context_lost');
    this.#obstacle = undefined;
    this.#context.clear();
  }

  async #readKept(key: SessionKey): Promise<readonly SessionState[]> {
    try {
      return await this.#ports.readSaved(key);
    } catch (error) {
      this.#obstacle = { type: 'failed', error: toHostError(error, 'storage_failed').toData() };
      return [];
    }
  }

  async #runTurn(session: Session, content: readonly ContentBlock[]): Promise<void> {
    try {
      this.#onOutcome(await session.prompt(content), content);
    } catch (thrown) {
      const error = toHostError(thrown);
      // `cancelled`: the user took it out of the queue, or stopped the turn before it and has it back.
      if (error.code !== 'cancelled') this.#keepUnsent(content, 'turn_cut');
    }
  }

  #onOutcome(outcome: TurnOutcome, content: readonly ContentBlock[]): void {
    if (outcome.type !== 'failed' || outcome.error.code !== 'auth_required') return;
    this.#obstacle = { type: 'sign_in', error: outcome.error };
    this.#keepUnsent(content);
  }

  #keepUnsent(content: readonly ContentBlock[], held?: HoldReason): void {
    if (this.#disposed) return;
    this.#outbox.add(content, held);
    this.#changed();
  }

  #meetObstacle(error: HostError): void {
    this.#ports.log.warn('The conversation cannot go on', error);
    if (error.code === 'cancelled') this.#outbox.giveBackReady();
    else this.#obstacle = toBlocker(error, this.#thread.state !== undefined);
  }

  /** The words go to the composer; what stands above goes with the next message again. */
  #giveBack(content: readonly ContentBlock[]): void {
    if (content.some(isContextBlock)) this.#context.stage();
    this.#ports.returnToComposer(content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n'));
  }

  /** What the agent was still to read goes back to its author: it was meant for this conversation. */
  #leave(): void {
    const { queue } = this.#thread;
    this.#opening.abort();
    this.#thread.leave();
    this.#obstacle = undefined;
    for (const { content } of queue) this.#giveBack(content);
    this.#outbox.giveBackAll();
    this.#context.clear();
  }

  #endAgent(): Promise<void> {
    return this.#agent.end(() => this.#thread.freeze());
  }

  #rememberPlace(): void {
    this.#record.keepPlace(this.#thread, this.#context.current !== undefined);
  }

  #changed(): void {
    this.#record.keepUnsent(this.#thread, this.#outbox);
    this.#onChange.fire();
  }
}
