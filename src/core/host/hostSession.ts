import { randomUUID } from 'node:crypto';
import type { BackendSession, Delivery, SessionSink } from '../backends/agentBackend.js';
import { systemClock } from '../base/clock.js';
import { HostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import { within } from '../base/deadline.js';
import type { Journal } from '../journal/journalStore.js';
import type { UserRequestRegistry } from '../services/userRequests.js';
import { editsShownBy, filesNamedBy } from '../session/changes.js';
import type { FrontEndIdentity, OpenedBy, SessionEvent } from '../session/event.js';
import { EventBatcher } from '../session/eventBatcher.js';
import type { HostNotice } from '../session/hostNotice.js';
import {
  isFinal,
  type ContentBlock,
  type QueuedPrompt,
  type SessionState,
  type SessionUsage,
  type ToolItem,
  type TurnOutcome,
} from '../session/model.js';
import { lastLateItem, lateWorkOf } from '../session/lateWork.js';
import { reduceAll } from '../session/reducer.js';
import type { SessionOption } from '../session/sessionOption.js';
import { withLastingTitles } from '../session/sessionTitle.js';
import { WholeCharacters } from '../session/wholeCharacters.js';
import type { UserAnswer } from '../session/userRequest.js';
import { AnnouncedCalls } from './announcedCalls.js';
import type { Session, SessionAgent, SessionBatch, TurnWatch, WhileRunning } from './api.js';
import { historyTo, type ReplayRecord } from './recallCheck.js';
import { type RunNotices, UnaskedActs } from './unaskedActs.js';
import { SessionOptions } from './sessionOptions.js';
import { isBareFailure, notRunning, promptAgent, savedInTime, type SessionLink, type Turn } from './sessionTurn.js';
import type { KeySignIn } from './signIn.js';

/** How long a prompt waits to be saved, and for what is there before the turn, before it is sent to the agent anyway. */
const saveMs = 1_000;
/** How long the end of a turn waits for what the turn changed. */
const recordMs = 1_000;

export interface SessionParts {
  readonly host: SessionAgent;
  readonly requests: UserRequestRegistry;
  /** The state to begin with: empty, or the saved transcript. */
  readonly initial: SessionState;
  readonly journal: Journal | undefined;
  readonly turns: TurnWatch | undefined;
  readonly notices: RunNotices;
  /** The session's turn or its open requests changed, so the agent's status may have changed. */
  readonly onActivity: (ended?: TurnOutcome) => void;
}

export class HostSession implements Session {
  readonly id: string;
  readonly calls = new AnnouncedCalls();
  readonly #parts: SessionParts;
  readonly #batcher: EventBatcher;
  readonly #unasked: UnaskedActs;
  readonly #characters = new WholeCharacters();
  readonly #onBatch = new Emitter<SessionBatch>();
  readonly #onEvent = new Emitter<SessionEvent>();
  /** What is saved when the agent has opened the session; undefined: everything is saved at once. */
  #unsaved: SessionEvent[] | undefined;
  #state: SessionState;
  #link: SessionLink = { state: 'closed' };
  /** The user has left the session. */
  #detached = false;
  refusal: HostError | undefined;
  openedBy: OpenedBy = 'new';
  #turn: Turn | undefined;
  /** Resolves with the end of the running turn, or of the last one. */
  #turnOver: Promise<TurnOutcome> = new Promise(() => {});
  #bareFailures = 0;
  /** The ids of tool calls that were reported while no turn was running, and not looked at yet. */
  #lateTools = new Set<string>();
  /** Of the compaction that is running: what was reported of the context when it began. */
  #compaction: { readonly before: SessionUsage | undefined } | undefined;
  readonly #options = new SessionOptions();
  /** Absolute paths of the files that the agent has written through the host since the last turn began. */
  readonly #written = new Set<string>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.id = parts.initial.sessionId;
    this.#state = parts.initial;
    this.#unasked = new UnaskedActs(parts.initial, this.#options);
    this.#batcher = new EventBatcher((events) => this.#reduce(events));
    this.takeQueue();
  }

  readonly onBatch = this.#onBatch.event;
  readonly onEvent = this.#onEvent.event;

  get state(): SessionState {
    this.#batcher.flush();
    return this.#state;
  }

  get live(): boolean {
    return this.#link.state === 'live';
  }

  /**
   * Continues the conversation in this agent, which has it open.
   * @param agent signs in if a prompt requires it
   * @param reenter opens and connects it again if the agent loses it while running
   */
  connect(session: BackendSession, { signIn }: Pick<KeySignIn, 'signIn'>, reenter: () => Promise<void>): void {
    let lose: (error: HostError) => void = () => {};
    const lost = new Promise<HostError>((resolve) => (lose = resolve));
    this.#link = { state: 'live', session, lost, lose, signIn, reenter };
    this.refusal = undefined;
    this.reactivate();
  }

  /** Saves nothing until `saveNow`. */
  saveLater(): void {
    this.#unsaved = [];
  }

  saveNow(): void {
    this.#batcher.flush();
    const events = this.#unsaved;
    this.#unsaved = undefined;
    if (events !== undefined) this.#parts.journal?.append(events);
  }

  /** When the running turn started; undefined: none is running. */
  get busySince(): number | undefined {
    return this.#turn?.startedAt;
  }

  /** The agent has a turn to end. */
  get isMidTurn(): boolean {
    return this.#turn?.isAnswered === false;
  }

  /**
   * Returns the sink for the agent's events.
   * @param replay records what the agent replays if there is a transcript already; undefined: the replay becomes the transcript
   */
  sink(replay: ReplayRecord | undefined): SessionSink {
    return { begin: () => {}, history: historyTo((event) => this.emit(event), replay), event: (event) => this.report(event) };
  }

  /** Takes what the agent reports now, as opposed to its history. */
  report(event: SessionEvent): void {
    this.emit(event, this.#turn === undefined);
    if (event.type !== 'compaction' || event.status === undefined) return;
    const { usage } = this.state;
    const { before } = (this.#compaction ??= { before: usage });
    if (event.status !== 'in_progress') this.#compaction = undefined;
    // What was reported before is out of date. Some agents report it before they report the end.
    if (event.status === 'completed' && usage !== undefined && usage === before)
      this.emit({ type: 'usage', at: event.at, usage: undefined });
  }

  /** @param isLate the agent reports it while no turn is running */
  emit(event: SessionEvent, isLate = false): void {
    for (const whole of this.#characters.pass(event)) this.#emitWhole(whole, isLate);
  }

  #emitWhole(event: SessionEvent, isLate: boolean): void {
    this.#note(event, isLate);
    // Must come first: a listener may answer at once, and the answer must follow the request.
    this.#batcher.push(event);
    this.#onEvent.fire(event);
    // What an agent says calls nothing.
    if (event.type === 'message') return;
    const change = this.calls.onEvent(event);
    if (change !== undefined) this.#parts.requests.revise(this.id, change);
  }

  /** Notes what the session must know of an event besides its state. */
  #note(event: SessionEvent, isLate: boolean): void {
    const turn = this.#turn;
    switch (event.type) {
      case 'message':
        if (turn !== undefined && event.role === 'agent') turn.sawOutput = true;
        return;
      case 'tool': {
        if (isLate) this.#lateTools.add(event.id);
        if (turn === undefined) return;
        turn.sawOutput = true;
        const { status } = event.patch;
        if (status !== undefined && isFinal(status)) this.#parts.turns?.look(turn.id, () => this.#filesNamedIn(turn.id));
        return;
      }
      case 'subagent':
      case 'plan':
        if (turn !== undefined) turn.sawOutput = true;
        return;
      case 'request_opened':
        this.#unasked.onRequest(event.request);
        if (turn !== undefined) turn.wasAsked = true;
        return;
      case 'opened':
        this.openedBy = event.by;
        return;
      case 'context':
        this.#parts.turns?.told(event.context.folders);
        return;
      default:
    }
  }

  /** The agent has written a file through the host. @param path absolute */
  noteWritten(path: string): void {
    this.#written.add(path);
  }

  #filesNamedIn(turnId: string): ReadonlySet<string> {
    return new Set([...filesNamedBy(this.#toolsOf(turnId)), ...this.#written]);
  }

  #toolsOf(turnId: string): readonly ToolItem[] {
    return this.state.items.filter((item): item is ToolItem => item.kind === 'tool' && item.turnId === turnId);
  }

  prompt(
    content: readonly ContentBlock[],
    { delivery = 'turn', promptId }: { readonly delivery?: Delivery; readonly promptId?: string } = {},
  ): Promise<TurnOutcome> {
    const session = this.#session;
    if (session === undefined) return Promise.reject(notRunning());
    if (this.#turn === undefined) return (this.#turnOver = this.#runTurn(content, promptId));
    if (delivery !== 'turn' && session.deliveries.includes(delivery))
      return this.#joinTurn(this.#turn, () => session.prompt(promptId ?? randomUUID(), content, delivery));
    return Promise.reject(new HostError('session_busy'));
  }

  get whileRunning(): WhileRunning {
    const { deliveries = [], queue } = this.#session ?? {};
    return { deliveries: deliveries.filter((delivery) => delivery !== 'turn'), canUnqueue: queue !== undefined };
  }

  async stopCommand(itemId: string): Promise<boolean> {
    const item = this.state.items.find((one) => one.kind === 'tool' && one.id === itemId);
    const session = this.#session;
    if (item?.kind !== 'tool' || session === undefined) return false;
    const running = item.content.flatMap((part) => (part.type === 'terminal' && part.runs === true ? [part.terminalId] : []));
    await Promise.all(running.map(async (id) => session.stopTerminal?.(id)));
    return running.length > 0;
  }

  async unqueue(promptId: string): Promise<readonly QueuedPrompt[]> {
    return this.#session?.queue?.remove(promptId) ?? [];
  }

  stopSubagent(subagentId: string): void {
    const { stopSubagent } = this.#liveLink().session;
    if (stopSubagent === undefined) throw new HostError('unsupported', { reason: 'stop_subagent' });
    stopSubagent(subagentId);
  }

  stopLateWork(): void {
    const session = this.#session;
    if (this.#turn !== undefined || session === undefined) return;
    const works = lateWorkOf(this.state);
    for (const work of works) {
      if (work.kind === 'subagent' && work.canStop) session.stopSubagent?.(work.agentId);
      if (work.kind === 'tool') void this.stopCommand(work.id);
    }
    if (lastLateItem(this.state.items) !== undefined) session.stopLateWork?.();
  }

  takeQueue(): readonly QueuedPrompt[] {
    const { queue } = this.state;
    for (const { id } of queue) this.emit({ type: 'unqueued', at: systemClock.now(), promptId: id });
    return queue;
  }

  cancel(): void {
    if (this.#turn === undefined || this.#link.state !== 'live') return;
    this.#parts.requests.cancelSession(this.id, 'turn_cancelled', { later: true });
    if (!this.#turn.cancelling) {
      this.#turn.cancelling = true;
      this.emit({ type: 'turn_cancelling', at: systemClock.now(), turnId: this.#turn.id });
    }
    // If the prompt has not been sent yet, it is never handed to the agent.
    if (this.#turn.isSent) this.#link.session.cancel();
  }

  answer(requestId: string, answer: UserAnswer, by?: FrontEndIdentity): boolean {
    return this.state.requests.some(({ id }) => id === requestId) && this.#parts.requests.answer(requestId, answer, by);
  }

  get moreOptions(): Promise<void> | undefined {
    return this.#session?.moreOptions;
  }

  async setOption(id: string, value: string | boolean): Promise<void> {
    const { session, signIn } = this.#liveLink();
    await this.#options.set(session, { signIn }, id, value);
  }

  /** Sets the options again that an agent may have forgotten, in a session that it has opened, and reports those that it can't set. */
  async restoreOptions(saved: readonly SessionOption[], opened: BackendSession, agent: Pick<KeySignIn, 'signIn'>): Promise<void> {
    const current = (wanted: SessionOption): SessionOption | undefined =>
      this.state.options.find(({ id, type }) => id === wanted.id && type === wanted.type);
    const options = await this.#options.restore(saved, current, opened, agent);
    if (options.length > 0) this.warn([{ code: 'settings_not_restored', params: { options } }]);
  }

  /** The agent's process is gone. The transcript stays; a running turn ends when its request is rejected. */
  onAgentLost(error: HostError): void {
    if (this.#link.state !== 'live') return;
    const { lose } = this.#link;
    this.#link = { state: 'lost', error };
    lose(error);
    this.#parts.requests.cancelSession(this.id, 'agent_gone', { later: true });
  }

  /** The user leaves the session: stops its turn, and cancels its requests. */
  detach(): void {
    this.#detached = true;
    this.cancel();
    this.#parts.requests.cancelSession(this.id, 'session_closed', { later: true });
  }

  reactivate(): void {
    this.#detached = false;
    this.#parts.requests.allow(this.id);
  }

  /** Whether the agent can close it and keep running. */
  get isClosable(): boolean {
    return !this.live || this.#session?.close !== undefined;
  }

  /** Closes the session in the agent. Resolves after the end of its last turn. @throws HostError as BackendSession.close */
  async closeInAgent(): Promise<void> {
    await this.#session?.close?.();
    if (this.#turn !== undefined) await this.#turnOver;
  }

  async flush(): Promise<boolean> {
    this.#batcher.flush();
    return (await this.#parts.journal?.flush()) ?? true;
  }

  /** Resolves when everything is on disk, with the end of a turn whose agent has ended. */
  async settled(): Promise<void> {
    if (this.#turn !== undefined && !this.live) await this.#turnOver;
    await this.flush();
  }

  dispose(): void {
    this.onAgentLost(new HostError('disposed', { reason: 'conversation' }));
    this.#batcher.dispose();
    void this.#parts.journal?.close();
    this.#onBatch.dispose();
    this.#onEvent.dispose();
  }

  #reduce(told: readonly SessionEvent[]): void {
    const before = this.#state;
    const events = withLastingTitles(before, told);
    this.#state = reduceAll(before, events);
    if (this.#unsaved === undefined) this.#parts.journal?.append(events);
    else for (const event of events) this.#unsaved.push(event);
    this.#onBatch.fire({ before, events, state: this.#state });
    this.#lookAtLate();
  }

  /** Once for all of a batch: each look goes through the transcript. */
  #lookAtLate(): void {
    if (this.#lateTools.size === 0) return;
    const late = this.#lateTools;
    this.#lateTools = new Set();
    const tools = this.#state.items.filter((item): item is ToolItem => item.kind === 'tool' && late.has(item.id));
    this.warn(this.#parts.notices.ofTools(tools, this.#state, this.#unasked));
    this.#batcher.flush();
  }

  get #session(): BackendSession | undefined {
    return this.#link.state === 'live' ? this.#link.session : undefined;
  }

  #liveLink(): Extract<SessionLink, { state: 'live' }> {
    if (this.#link.state !== 'live') throw notRunning();
    return this.#link;
  }

  /** The agent adds the content to the running turn, or queues it for the end of the turn. Either way it belongs to that turn. */
  async #joinTurn(turn: Turn, join: () => Promise<unknown>): Promise<TurnOutcome> {
    const outcome = this.#turnOver;
    await turn.saved.catch(() => {});
    // An agent that is stopping would drop it with the turn.
    if (!turn.isSent || turn.cancelling || this.#turn !== turn) throw new HostError('session_busy');
    await join();
    return outcome;
  }

  async #runTurn(content: readonly ContentBlock[], promptId: string | undefined): Promise<TurnOutcome> {
    const { host, requests, notices, turns, onActivity } = this.#parts;
    let onSaved = (): void => {};
    const saved = savedInTime(new Promise((resolve) => (onSaved = resolve)), this.#link);
    const turn: Turn = {
      id: randomUUID(),
      startedAt: systemClock.now(),
      cancelling: false,
      saved,
      isSent: false,
      isAnswered: false,
      wasAsked: false,
      sawOutput: false,
    };
    this.#turn = turn;
    this.#written.clear();
    const stderrTail = host.stderrFromNow();
    const noticesOf = notices.begin(this.#unasked);
    requests.allow(this.id);
    const askedBefore = this.state.requests.map(({ id }) => id);
    const named = promptId === undefined ? {} : { promptId };
    this.emit({ type: 'turn_started', at: turn.startedAt, turnId: turn.id, ...named, content });
    onActivity();
    void within(Promise.all([this.flush(), turns?.begin(turn.id, this.state.context?.folders ?? [])]), saveMs).finally(onSaved);
    const outcome = await promptAgent(turn, content, {
      link: () => this.#link,
      refuse: (error) => (this.refusal = error),
      failedBefore: this.#bareFailures === 1,
      stderrTail,
    });
    const recorded = turns?.end(turn.id, this.#filesNamedIn(turn.id), editsShownBy(this.#toolsOf(turn.id)));
    // The turn of a lost agent must end before another one enters the session.
    if (outcome.type !== 'interrupted' && recorded !== undefined) await within(recorded, recordMs);
    this.#turn = undefined;
    this.#bareFailures = isBareFailure(turn, outcome) ? this.#bareFailures + 1 : 0;
    // The turn may end before the host knows that the agent did. From here on, nothing may be sent to an agent that is gone, or that
    // no longer has the session.
    const isReopened = this.refusal === undefined && outcome.type === 'interrupted' && outcome.error.code === 'session_unknown';
    if (outcome.type === 'interrupted' && !isReopened) this.onAgentLost(HostError.from(outcome.error));
    // The agent no longer waits for answers to the requests of a finished turn. Its sub-agents may work longer.
    const bySubagents = this.state.requests.flatMap(({ id, subagent }) => (subagent === undefined ? [] : [id]));
    if (this.live) requests.cancelSession(this.id, 'withdrawn', { except: new Set([...askedBefore, ...bySubagents]) });
    else requests.cancelSession(this.id, 'agent_gone');
    // What still works may ask: only what the turn asked was canceled with it.
    if (this.live && !this.#detached) requests.allow(this.id);
    this.warn(noticesOf(this.#toolsOf(turn.id), this.state, outcome));
    this.emit({ type: 'turn_ended', at: systemClock.now(), turnId: turn.id, outcome });
    this.#batcher.flush();
    onActivity(outcome);
    return outcome;
  }

  warn(notices: readonly HostNotice[]): void {
    for (const notice of notices) this.emit({ type: 'host_notice', at: systemClock.now(), severity: 'warning', ...notice });
  }
}
