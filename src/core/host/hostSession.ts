import type { AgentBackend, SessionUpdate } from '../backends/agentBackend.js';
import type { Clock } from '../base/clock.js';
import { Emitter } from '../base/event.js';
import { HostError, toHostError } from '../base/errors.js';
import type { UserRequestRegistry } from '../services/userRequests.js';
import type { OpenedBy, SessionEvent } from '../session/event.js';
import { EventBatcher } from '../session/eventBatcher.js';
import type { Journal } from '../journal/journalStore.js';
import type { Ask, AskAnswer, ContentBlock, QueuedPrompt, SessionState, TurnOutcome } from '../session/model.js';
import { reduceAll } from '../session/reducer.js';
import type { AgentHost, Session, SessionBatch } from './api.js';
import { ReplayRecord } from './replayRecord.js';

/** How much of the agent's stderr is shown where it may explain something. */
const stderrTailLines = 12;
/** How long the agent's last words may take. */
const stderrSettleMs = 100;

export interface SessionParts {
  readonly host: AgentHost;
  readonly asks: UserRequestRegistry;
  readonly clock: Clock;
  /** What was known before: empty, or the transcript that the host kept. */
  readonly initial: SessionState;
  readonly journal: Journal | undefined;
  /** The session's turn or its asks changed, so the agent's status may have. */
  readonly onActivity: (ended?: TurnOutcome) => void;
}

interface Waiting {
  readonly prompt: QueuedPrompt;
  readonly resolve: (outcome: TurnOutcome) => void;
  readonly reject: (error: HostError) => void;
}

/** Events that tell what was said. While a replay runs over a transcript that the host already has, they are old news. */
const transcriptEvents: ReadonlySet<SessionEvent['type']> = new Set(['message', 'tool', 'plan', 'notice', 'compaction']);

export class HostSession implements Session {
  readonly id: string;
  readonly host: AgentHost;
  readonly #parts: SessionParts;
  readonly #intake: EventBatcher;
  readonly #onState = new Emitter<SessionState>();
  readonly #onBatch = new Emitter<SessionBatch>();
  readonly #onEvent = new Emitter<SessionEvent>();
  readonly #onUpdate = new Emitter<SessionUpdate>();
  #state: SessionState;
  /** The running agent's; absent while there is none. */
  #backend: AgentBackend | undefined;
  #lost = false;
  /** The user is done with it. */
  #left = false;
  #refusal: HostError | undefined;
  #how: OpenedBy = 'new';
  #replay: ReplayRecord | undefined;
  #waiting: Waiting[] = [];
  #turnId: string | undefined;
  #turnStartedAt: number | undefined;
  /** Resolves with the end of the running turn, or of the last one. */
  #turnOver: Promise<unknown> = Promise.resolve();
  #cancelling = false;
  /** The agent showed something in the running turn. */
  #sawOutput = false;
  #turns: number;
  #queued = 0;
  /** Called when the agent's process is gone. */
  #onGone: (() => void)[] = [];
  /** How the last one ended. */
  #loss: HostError | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.id = parts.initial.sessionId;
    this.host = parts.host;
    this.#state = parts.initial;
    this.#turns = parts.initial.items.filter((item) => item.kind === 'turn_end').length;
    this.#intake = new EventBatcher((events) => this.#reduce(events));
    for (const prompt of parts.initial.queue) this.emit({ type: 'unqueued', at: parts.clock.now(), promptId: prompt.id });
  }

  readonly onState = this.#onState.event;
  readonly onBatch = this.#onBatch.event;
  readonly onEvent = this.#onEvent.event;
  readonly onUpdate = this.#onUpdate.event;

  get state(): SessionState {
    this.#intake.flush();
    return this.#state;
  }

  get live(): boolean {
    return this.#backend !== undefined;
  }

  get how(): OpenedBy {
    return this.#how;
  }

  get refusal(): HostError | undefined {
    return this.#refusal;
  }

  set refusal(error: HostError) {
    this.#refusal = error;
  }

  /** The agent went away under it and did not come back yet, and the user is still in it. */
  get lost(): boolean {
    return this.#lost && !this.#left;
  }

  /** When something was added to it last; milliseconds since the epoch. */
  get lastSaidAt(): number {
    const last = this.state.items.at(-1);
    if (last === undefined) return this.state.createdAt;
    return last.kind === 'message' ? last.updatedAt : last.kind === 'tool' ? (last.endedAt ?? last.startedAt) : last.at;
  }

  /** The conversation goes on in this agent, which knows it. */
  connect(backend: AgentBackend): void {
    this.#backend = backend;
    this.#lost = false;
    this.#refusal = undefined;
    this.reactivate();
    this.#parts.asks.allow(this.id);
  }

  get asks(): readonly Ask[] {
    return this.#parts.asks.open.filter((ask) => ask.sessionId === this.id);
  }

  get busy(): boolean {
    return this.#turnId !== undefined;
  }

  /** When the running turn began. */
  get busySince(): number | undefined {
    return this.#turnStartedAt;
  }

  /** While `tell` runs, what the agent tells again of a known transcript is left out. */
  async withoutReplay<T>(tell: () => Promise<T>): Promise<{ readonly result: T; readonly replay: ReplayRecord }> {
    const replay = new ReplayRecord();
    this.#replay = replay;
    try {
      return { result: await tell(), replay };
    } finally {
      this.#replay = undefined;
    }
  }

  emit(event: SessionEvent): void {
    if (this.#replay !== undefined && transcriptEvents.has(event.type)) return this.#replay.record(event);
    if (event.type === 'opened') this.#how = event.how;
    if (event.type === 'tool' || (event.type === 'message' && event.role === 'agent')) this.#sawOutput = true;
    // First: who hears of it may answer at once, and the answer comes after it.
    this.#intake.push(event);
    this.#onEvent.fire(event);
  }

  emitUpdate(update: SessionUpdate): void {
    this.#onUpdate.fire(update);
  }

  prompt(content: readonly ContentBlock[]): Promise<TurnOutcome> {
    if (!this.live) return Promise.reject(notRunning());
    if (this.#turnId === undefined && this.#waiting.length === 0) return this.#beginTurn(content);
    const prompt: QueuedPrompt = { id: `q${++this.#queued}`, content, at: this.#parts.clock.now() };
    return new Promise((resolve, reject) => {
      this.#waiting.push({ prompt, resolve, reject });
      this.emit({ type: 'queued', at: prompt.at, prompt });
    });
  }

  unqueue(promptId: string): void {
    const waiting = this.#waiting.find((entry) => entry.prompt.id === promptId);
    if (waiting !== undefined) this.#giveBack(waiting, new HostError('cancelled', 'The prompt was taken out of the queue'));
  }

  cancel(): void {
    if (this.#turnId === undefined || this.#backend === undefined) return;
    for (const waiting of [...this.#waiting]) this.#giveBack(waiting, new HostError('cancelled', 'The turn before it was stopped'));
    this.#parts.asks.cancelSession(this.id, 'turn_cancelled', { later: true });
    if (!this.#cancelling) {
      this.#cancelling = true;
      this.emit({ type: 'turn_cancelling', at: this.#parts.clock.now(), turnId: this.#turnId });
    }
    this.#backend.cancel(this.id);
  }

  answer(askId: string, answer: AskAnswer): boolean {
    return this.asks.some((ask) => ask.id === askId) && this.#parts.asks.answer(askId, answer);
  }

  async setMode(modeId: string): Promise<void> {
    await this.#agent().setMode(this.id, modeId);
  }

  async setConfigOption(configId: string, value: string | boolean): Promise<void> {
    await this.#agent().setConfigOption(this.id, configId, value);
  }

  /** The agent's process is gone. What was said stays; a turn under way ends when its request is rejected. */
  onAgentLost(error: HostError): void {
    if (this.#backend === undefined) return;
    this.#backend = undefined;
    this.#lost = true;
    this.#loss = error;
    for (const tell of this.#onGone.splice(0)) tell();
    this.#parts.asks.cancelSession(this.id, 'agent_gone', { later: true });
    for (const waiting of [...this.#waiting]) this.#giveBack(waiting, error);
  }

  /** The user is done with it: nothing of it goes on, and it is not taken up again. */
  detach(): void {
    this.#left = true;
    this.cancel();
  }

  reactivate(): void {
    this.#left = false;
  }

  /** The agent may forget it. Resolves when its last turn is told to its end. @throws HostError as AgentBackend.closeSession */
  async closeInAgent(): Promise<void> {
    await this.#backend?.closeSession(this.id);
    await this.#turnOver;
  }

  /** Resolves when everything said so far is on disk. */
  async flush(): Promise<void> {
    this.#intake.flush();
    await this.#parts.journal?.flush();
  }

  dispose(): void {
    this.onAgentLost(new HostError('disposed', 'The conversation was closed'));
    this.#intake.dispose();
    void this.#parts.journal?.close();
    this.#onState.dispose();
    this.#onBatch.dispose();
    this.#onEvent.dispose();
    this.#onUpdate.dispose();
  }

  #reduce(events: readonly SessionEvent[]): void {
    const before = this.#state;
    this.#state = reduceAll(before, events);
    this.#parts.journal?.append(events);
    this.#onBatch.fire({ before, events, state: this.#state });
    this.#onState.fire(this.#state);
  }

  #agent(): AgentBackend {
    if (this.#backend === undefined) throw notRunning();
    return this.#backend;
  }

  #untilGone(): Promise<void> {
    return this.live ? new Promise((resolve) => this.#onGone.push(resolve)) : Promise.resolve();
  }

  #giveBack(waiting: Waiting, error: HostError): void {
    this.#waiting = this.#waiting.filter((entry) => entry !== waiting);
    this.emit({ type: 'unqueued', at: this.#parts.clock.now(), promptId: waiting.prompt.id });
    waiting.reject(error);
  }

  #beginTurn(content: readonly ContentBlock[]): Promise<TurnOutcome> {
    const turn = this.#runTurn(content);
    this.#turnOver = turn.catch(() => {});
    return turn;
  }

  async #runTurn(content: readonly ContentBlock[]): Promise<TurnOutcome> {
    const turnId = `t${++this.#turns}`;
    this.#turnId = turnId;
    this.#cancelling = false;
    this.#sawOutput = false;
    this.#parts.asks.allow(this.id);
    this.#turnStartedAt = this.#parts.clock.now();
    this.emit({ type: 'turn_started', at: this.#turnStartedAt, turnId, content });
    this.#parts.onActivity();
    const outcome = await this.#askAgent(turnId, content);
    this.#turnId = undefined;
    this.#turnStartedAt = undefined;
    // The turn may learn of the end before the host does; what is queued must not go to a dead agent.
    if (outcome.type === 'interrupted')
      this.onAgentLost(new HostError(outcome.error.code, outcome.error.message, { data: outcome.error.data }));
    // Whatever the agent still wants to know of a finished turn, nobody waits for the answer.
    this.#parts.asks.cancelSession(this.id, this.live ? 'withdrawn' : 'agent_gone');
    this.emit({ type: 'turn_ended', at: this.#parts.clock.now(), turnId, outcome });
    this.#intake.flush();
    this.#parts.onActivity(outcome);
    this.#runNext();
    return outcome;
  }

  #runNext(): void {
    // Who heard of the end may have begun the next turn already.
    const next = this.live && !this.busy ? this.#waiting.shift() : undefined;
    if (next === undefined) return;
    this.emit({ type: 'unqueued', at: this.#parts.clock.now(), promptId: next.prompt.id });
    this.#beginTurn(next.prompt.content).then(next.resolve, (error: unknown) => next.reject(toHostError(error)));
  }

  async #askAgent(turnId: string, content: readonly ContentBlock[]): Promise<TurnOutcome> {
    try {
      const { stopReason } = await this.#agent().prompt(this.id, turnId, content);
      const silent = stopReason === 'end_turn' && !this.#sawOutput;
      return { type: 'ended', stopReason, silent, ...(silent ? await this.#stderrTail() : {}) };
    } catch (thrown) {
      let error = toHostError(thrown);
      // The request dies with the pipe, the process a little later: only then is known how it ended, and may a new one start.
      if (error.code === 'agent_exited') {
        await this.#untilGone();
        error = this.#loss ?? error;
      }
      // An agent that answers a cancel with an error was cancelled all the same (ACP: cancellation).
      if (this.#cancelling && this.live && error.code !== 'agent_exited') return { type: 'ended', stopReason: 'cancelled', silent: false };
      const lost = error.code === 'agent_exited' || error.code === 'disposed' || !this.live;
      return { type: lost ? 'interrupted' : 'failed', error: error.toData(), ...(await this.#stderrTail()) };
    }
  }

  async #stderrTail(): Promise<{ stderrTail?: string }> {
    // Two pipes have no order: what was written to stderr before the answer may come after it. Of a process that is gone all is known.
    if (this.live) await new Promise((resolve) => setTimeout(resolve, stderrSettleMs));
    const stderrTail = this.host.stderrTail(stderrTailLines);
    return stderrTail === '' ? {} : { stderrTail };
  }
}

function notRunning(): HostError {
  return new HostError('agent_exited', 'The agent of this conversation is not running');
}
