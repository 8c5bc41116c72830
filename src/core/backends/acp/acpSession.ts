import { randomUUID } from 'node:crypto';
import type { AgentFiles } from '../../services/hostServices.js';
import type { PromptRequest } from '@agentclientprotocol/sdk';
import type { AcpQuirks } from '../../agents/acpQuirks.js';
import type { Clock } from '../../base/clock.js';
import { HostError, toHostError } from '../../base/errors.js';
import { keepLatest } from '../../base/keepLatest.js';
import type { Logger } from '../../base/logger.js';
import type { SessionEvent } from '../../session/event.js';
import type { AgentWait, ContentBlock, Meta } from '../../session/model.js';
import { MODE_OPTION_ID, type SessionOption } from '../../session/sessionOption.js';
import type { AgentInfo, AgentQueue, BackendSession, Delivery, PromptResult, SessionSink } from '../agentBackend.js';
import { type AcpCalls, type CallOptions, isUnknownSession, toPromptError } from './acpCalls.js';
import type { AcpSubagents } from './acpSubagents.js';
import type { AskingSession } from './askingSession.js';
import { CallSubagents } from './callSubagents.js';
import { AcpOptions, LEGACY_MODEL_OPTION_ID } from './acpOptions.js';
import { afterLoad, afterPrompt, LateMessages } from './lateMessages.js';
import { metaOf, toPromptBlocks, toWireMeta, UpdateMap } from './map.js';
import { deliveryMeta, offeredDeliveries, queueIn } from './schema/delivery.js';
import { endsReplay, sessionFailureIn } from './schema/air.js';
import type { Fields } from './schema/lenient.js';
import { listModels, requests } from './schema/methods.js';
import type { OfferedBySession } from './schema/session.js';
import { isOfOptions, linkedSessions, parseUpdate, type SessionUpdate } from './schema/updates.js';
import type { ReportTerminal, SessionTerminals } from './sessionTerminals.js';
import { createSteering, notTaken, type Steering, type SteeringKind } from './steering.js';
import { foldTerminal } from './toolFold.js';

/** How long listing the models may take: agentao asks its provider, for at most 20 s. */
const modelsMs = 30_000;

/** An agent that reports more failures in one session repeats none of the earlier ones. */
const knownFailures = 200;

/** The types of events with content, as opposed to reports about the agent's state. */
const contentTypes: ReadonlySet<SessionEvent['type']> = new Set(['message', 'tool', 'plan', 'notice', 'compaction']);

interface Turn {
  /** Aborted when the turn is canceled or over. The agent's requests to the user then need no answer. */
  readonly over: AbortController;
  /** Aborted when the turn is over: until then, the agent may say what becomes of the prompts that it got in it. */
  readonly ended: AbortController;
  /** Ends the turn without the agent. */
  readonly cut: (error: HostError) => void;
  cancelling: boolean;
  hasContent: boolean;
  /** Present when the agent has answered, and may still send the last words of the turn. */
  late: LateMessages | undefined;
  timers: readonly NodeJS.Timeout[];
}

export interface AcpSessionParts {
  readonly calls: AcpCalls;
  readonly info: AgentInfo;
  readonly quirks: AcpQuirks;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called for what the agent says and the host doesn't understand. @param isLost it should have been shown */
  readonly report: (problem: string, isLost?: boolean) => void;
  readonly subagents: Pick<AcpSubagents, 'report' | 'link' | 'stop' | 'end'>;
  /** Called when the agent has closed the session. */
  readonly onClosed: () => void;
  /** The agent can close sessions. */
  readonly isClosable: boolean;
  readonly steers: SteeringKind | undefined;
}

interface AcpSessionSetup {
  readonly cwd: string;
  /** Undefined if the agent can't be told of any. */
  readonly otherFolders?: readonly string[] | undefined;
  readonly sink: SessionSink;
  readonly isReplaying: boolean;
}

/** One session on the wire, with the state that is needed to understand its next message. */
export class AcpSession implements BackendSession, AskingSession {
  readonly id: string;
  readonly cwd: string;
  readonly folder: string;
  readonly otherFolders?: readonly string[];
  readonly map: UpdateMap;
  deliveries: readonly Delivery[] = ['turn'];
  meta?: Meta;
  readonly close?: () => Promise<void>;
  queue?: AgentQueue;
  /** Absent if prompts for the running turn are prompts with a mark. */
  steering?: Steering;
  moreOptions?: Promise<void>;
  /** Its access to files through the host; absent until it needs some. */
  files?: AgentFiles;
  /** Its commands that run in the host; absent until there is one. */
  terminals?: SessionTerminals;
  readonly #parts: AcpSessionParts;
  readonly #sink: SessionSink;
  readonly #options: AcpOptions;
  readonly calls: CallSubagents;
  /** Incoming events belong to the history, which the agent replays. */
  #isReplaying: boolean;
  /** The agent said that the replay was complete before it answered the load. */
  #isReplayOver = false;
  /** Present while the agent, which has answered the load, may still replay messages. */
  #tail: LateMessages | undefined;
  #turn: Turn | undefined;
  /** The agent was asked to close the session. According to ACP, it cancels the running turn, and may report that first. */
  #isClosing = false;
  /** The last revision of each failure that was reported lately. */
  readonly #failures = new Map<string, number>();

  constructor(id: string, o: AcpSessionSetup, parts: AcpSessionParts) {
    this.#parts = parts;
    this.#sink = o.sink;
    this.#isReplaying = o.isReplaying;
    this.id = id;
    this.cwd = this.folder = o.cwd;
    if (o.otherFolders !== undefined) this.otherFolders = o.otherFolders;
    this.map = new UpdateMap(parts.quirks, o.cwd, randomUUID().slice(0, 8));
    this.calls = new CallSubagents(this.map.tools);
    this.#options = new AcpOptions(parts.quirks);
    if (parts.isClosable) this.close = () => this.#close();
  }

  get options(): readonly SessionOption[] {
    return this.#options.list;
  }

  get unstated(): ReadonlySet<string> {
    return this.#options.unstated;
  }

  get busy(): boolean {
    return this.#turn !== undefined;
  }

  get cancelling(): boolean {
    return this.#turn?.cancelling ?? false;
  }

  /** A turn is running, and the agent has shown nothing in it so far. */
  get isAwaited(): boolean {
    return this.#turn !== undefined && !this.#turn.hasContent;
  }

  get replayed(): Promise<void> {
    return this.#tail?.over ?? Promise.resolve();
  }

  /**
   * Call this when the agent has opened the session.
   * @param known the options as last seen
   * @param replays whether the agent replays the history, before its answer or after it
   * @param early the updates of its options that preceded the answer (`isOfOptions`)
   */
  opened(offered: OfferedBySession, known: readonly SessionOption[], replays: boolean, early: readonly Fields[] = []): void {
    for (const update of early) {
      const parsed = parseUpdate(update);
      if ('problem' in parsed) this.#parts.report(parsed.problem, parsed.isLost);
      else this.#setOptions(parsed.update);
    }
    this.#options.open(offered, known);
    const byMeta = offeredDeliveries(offered._meta);
    const steering = byMeta.includes('steer') ? undefined : createSteering(this, this.#parts);
    this.deliveries = steering === undefined ? byMeta : [...byMeta, 'steer'];
    if (steering !== undefined) this.steering = steering;
    if (steering?.queue !== undefined) this.queue = steering.queue;
    if (offered._meta != null) this.meta = offered._meta;
    this.#closeCards(false);
    if (replays && !this.#isReplayOver) this.#tail = new LateMessages(afterLoad, () => this.#endReplay());
    else this.#endReplay();
    const { listModelsMethod } = this.#parts.quirks;
    if (listModelsMethod === undefined) return;
    this.moreOptions = this.#listModels(listModelsMethod);
    // There may be nothing that waits for it.
    this.moreOptions.catch(() => {});
  }

  receive(update: Fields): void {
    const at = this.#parts.clock.now();
    const parsed = parseUpdate(update);
    if ('problem' in parsed) {
      this.#parts.report(parsed.problem, parsed.isLost);
      const kind = update['sessionUpdate'];
      if (typeof kind === 'string') this.emit({ type: 'extension', at, kind, payload: update });
      return;
    }
    const { update: known } = parsed;
    if (known.sessionUpdate === 'subagent_update') return this.#parts.subagents.report(this, known, at);
    const event = this.map.toEvent(known, at);
    if (event !== undefined && contentTypes.has(event.type)) {
      this.#tail?.extend();
      this.#turn?.late?.extend();
      if (this.#turn !== undefined) this.#turn.hasContent = true;
    }
    if (event === undefined || (known._meta == null && event.type !== 'tool')) this.emit(event);
    else for (const one of this.calls.take(event, known._meta, at)) this.emit(one);
    // Nine of ten updates end here.
    if (event?.type === 'message') return;
    if (event === undefined && known.sessionUpdate === 'plan_update') this.#parts.report('more plans than the host shows', true);
    if (event?.type === 'tool') for (const sessionId of linkedSessions(update)) this.#parts.subagents.link(this, sessionId, event.id, at);
    if (known.sessionUpdate === 'session_info_update') {
      this.#reportQueue(known._meta, at);
      if (endsReplay(known._meta)) this.#onReplayEnd();
      this.#reportFailure(known._meta, at);
    }
    if (isOfOptions(known)) this.#reportOptions(this.#setOptions(known), metaOf(known));
  }

  /** @returns whether the list changed */
  #setOptions(update: SessionUpdate): boolean {
    if (update.sessionUpdate === 'config_option_update') return this.#options.setConfig(update.configOptions);
    return update.sessionUpdate === 'current_mode_update' && this.#options.setCurrentMode(update.currentModeId);
  }

  emit(event: SessionEvent | undefined): void {
    if (event === undefined) return;
    if (this.#isReplaying) this.#sink.history(event);
    else this.#sink.event(event);
  }

  /** Ends a command that runs in the host, with everything that it started. Does nothing if there is no such command. */
  async stopTerminal(terminalId: string): Promise<void> {
    await this.terminals?.get(terminalId)?.end();
  }

  /** Shows what a terminal has printed in the tool call that names it. */
  readonly reportTerminal: ReportTerminal = (terminalId, text, exit) =>
    this.emit(foldTerminal(this.map.tools, terminalId, { text, exit }, this.#parts.clock.now()));

  /** Only a running turn can wait. */
  emitWait(wait: AgentWait | null): void {
    if (this.#turn !== undefined) this.emit({ type: 'wait', at: this.#parts.clock.now(), wait });
  }

  async prompt(id: string, content: readonly ContentBlock[], delivery: Delivery, meta?: Meta): Promise<PromptResult> {
    if (delivery !== 'turn') return this.#join(id, content, delivery, meta);
    if (this.busy) throw new HostError('session_busy');
    const { info, quirks } = this.#parts;
    const prompt = toPromptBlocks(content, info.promptContent, quirks);
    const cut = this.#beginTurn();
    let isCancelled = false;
    try {
      // Otherwise, the answer would mix with the replay.
      if (this.#tail !== undefined) await Promise.race([this.#tail.over, cut]);
      if (this.cancelling) return { stopReason: 'cancelled' };
      this.map.beginTurn(id, content);
      const answer = await Promise.race([this.#request({ sessionId: this.id, prompt, ...toWireMeta(meta) }, { asker: this }), cut]);
      // Some agents end a turn that they have canceled like any other.
      const result: PromptResult = answer.stopReason === 'end_turn' && this.cancelling ? { ...answer, stopReason: 'cancelled' } : answer;
      isCancelled = result.stopReason === 'cancelled';
      if (this.#isClosing) throw new HostError('disposed', { reason: 'conversation' });
      await this.#lastWords();
      return result;
    } catch (thrown) {
      const error = toHostError(thrown);
      // ACP: an agent that answers a canceled turn with an error has canceled it.
      if (this.cancelling && (error.code === 'request_failed' || error.code === 'provider_failed')) return { stopReason: 'cancelled' };
      throw toPromptError(error);
    } finally {
      this.#endTurn(isCancelled);
    }
  }

  async #lastWords(): Promise<void> {
    if (this.#turn === undefined) return;
    this.#turn.late = new LateMessages(afterPrompt, () => {});
    this.steering?.end?.();
    // If the agent is gone, nothing follows its answer.
    await this.#turn.late.over.catch(() => {});
  }

  async #join(id: string, content: readonly ContentBlock[], delivery: Delivery, meta: Meta | undefined): Promise<PromptResult> {
    if (!this.deliveries.includes(delivery)) throw new HostError('unsupported', { reason: 'delivery', delivery });
    const { info, quirks } = this.#parts;
    const prompt = toPromptBlocks(content, info.promptContent, quirks);
    const turn = this.#turn;
    // A turn that is canceled would lose it.
    if (delivery === 'steer' && turn?.over.signal.aborted === true) throw notTaken();
    const onAnswered = this.map.queue.sending(id, content);
    try {
      if (delivery === 'steer' && this.steering !== undefined) {
        if (turn === undefined || turn.late !== undefined) throw notTaken();
        await this.steering.send({ id, content, prompt, meta }, turn);
        return { stopReason: 'end_turn' };
      }
      // An agent may never answer what reaches it as its turn ends. What is in its queue is another matter.
      const signal = delivery === 'steer' ? turn?.ended.signal : undefined;
      const params = { sessionId: this.id, prompt, _meta: { ...meta, ...deliveryMeta(delivery, id) } };
      const { stopReason } = await this.#request(params, signal === undefined ? {} : { signal });
      return { stopReason };
    } catch (thrown) {
      throw toPromptError(toHostError(thrown));
    } finally {
      onAnswered();
    }
  }

  async #request(params: PromptRequest, options?: CallOptions): Promise<PromptResult> {
    const { calls, report } = this.#parts;
    const end = await calls.request(requests.prompt, params, options);
    if (end.type === 'failed') throw calls.failure(requests.prompt.method, end);
    const { stopReason, usage, meta, problem } = end;
    if (problem !== undefined) report(problem);
    return { stopReason, ...(usage != null && { usage }), ...(meta !== undefined && { meta }) };
  }

  cancel(): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    // The agent has answered, so a cancel would only reach its next turn.
    if (turn.late !== undefined) return turn.late.end();
    if (turn.cancelling) return;
    turn.cancelling = true;
    // The agent has not got the prompt, so a cancel would only reach its next turn.
    if (!this.map.inTurn) return turn.over.abort();
    // Sends the cancel before the answers; otherwise the agent takes "cancelled" for a decision of the user and continues.
    this.#notifyCancel();
    turn.over.abort();
    const { cancelAgainAfterMs = [] } = this.#parts.quirks;
    turn.timers = cancelAgainAfterMs.map((delayMs) => setTimeout(() => this.#notifyCancel(), delayMs).unref());
  }

  readonly stopLateWork = (): void => {
    if (this.#turn === undefined) this.#notifyCancel();
  };

  #notifyCancel(): void {
    const { calls, log } = this.#parts;
    void calls.cancel(this.id).catch((error: unknown) => log.debug('Could not send session/cancel', error));
  }

  async setOption(id: string, value: string | boolean): Promise<void> {
    const { calls } = this.#parts;
    const options = { timeoutMs: calls.deadlines.queryMs, asker: this };
    const sessionId = this.id;
    const setUnanswered = this.#options.expect(id, value);
    if (id === MODE_OPTION_ID) {
      const { modeId } = await calls.request(requests.setMode, { sessionId, modeId: String(value) }, options);
      return this.#reportOptions(modeId == null ? setUnanswered() : this.#options.setCurrentMode(modeId));
    }
    if (id === LEGACY_MODEL_OPTION_ID) {
      await calls.request(requests.setModel, { sessionId, modelId: String(value) }, options);
      return this.#reportOptions(setUnanswered());
    }
    const params = { sessionId, configId: id, ...(typeof value === 'boolean' ? { type: 'boolean' as const, value } : { value }) };
    const { configOptions } = await calls.request(requests.setConfigOption, params, options);
    this.#reportOptions(configOptions == null ? setUnanswered() : this.#options.setConfig(configOptions));
  }

  readonly stopSubagent = (subagentId: string): void => this.#parts.subagents.stop(this, subagentId);

  /** Returns a signal that is aborted with `signal`, or with the running turn. */
  signalOfTurn(signal: AbortSignal): AbortSignal {
    return this.#turn === undefined ? signal : AbortSignal.any([signal, this.#turn.over.signal]);
  }

  /** Call this when the connection has ended: whatever is open will not continue. */
  lose(error: HostError): void {
    this.#tail?.cut(error);
    this.#turn?.late?.cut(error);
    this.#turn?.over.abort(error);
    this.#endTurn();
    this.#parts.subagents.end(this);
    this.terminals?.dispose();
  }

  async #close(): Promise<void> {
    const { calls, onClosed } = this.#parts;
    this.#isClosing = true;
    try {
      await calls.request(requests.closeSession, { sessionId: this.id }, { timeoutMs: calls.deadlines.queryMs, asker: this });
    } catch (thrown) {
      if (!isUnknownSession(toHostError(thrown))) throw thrown;
    } finally {
      this.terminals?.dispose();
      this.#parts.subagents.end(this);
      onClosed();
      this.#turn?.cut(new HostError('disposed', { reason: 'conversation' }));
    }
  }

  /** @returns a promise that never resolves, and rejects with `disposed` when the session is closed during the turn */
  #beginTurn(): Promise<never> {
    return new Promise((_, reject) => {
      const [over, ended] = [new AbortController(), new AbortController()];
      this.#turn = { over, ended, cut: reject, cancelling: false, hasContent: false, late: undefined, timers: [] };
    });
  }

  /** The agent has replayed everything, before its answer to the load or after it. */
  #onReplayEnd(): void {
    if (this.#tail !== undefined) this.#tail.end();
    else if (this.#isReplaying) this.#isReplayOver = true;
  }

  #endReplay(): void {
    this.#tail = undefined;
    this.#closeCards(false);
    // Those in a history have ended. The agent announces the living ones again.
    if (this.#isReplaying) this.#parts.subagents.end(this);
    this.#isReplaying = false;
  }

  /** Ends tool calls that are open at the end of a turn or of a replay. */
  #closeCards(wasCancelled: boolean): void {
    const at = this.#parts.clock.now();
    for (const event of this.map.endTurn(at, wasCancelled)) for (const one of this.calls.take(event, undefined, at)) this.emit(one);
  }

  #endTurn(isCancelled = false): void {
    const wasCancelled = isCancelled || this.cancelling;
    for (const timer of this.#turn?.timers ?? []) clearTimeout(timer);
    this.#turn?.over.abort();
    this.#turn?.ended.abort();
    this.#turn = undefined;
    this.#closeCards(wasCancelled);
  }

  /** A failure outside of the answer to a prompt, once for each revision of it. */
  #reportFailure(meta: unknown, at: number): void {
    const failure = sessionFailureIn(meta);
    if (failure === undefined || failure.revision <= (this.#failures.get(failure.id) ?? -Infinity)) return;
    keepLatest(this.#failures, failure.id, failure.revision, knownFailures);
    const { severity, title, details } = failure;
    this.emit({ type: 'notice', at, severity, title, ...(details == null ? {} : { description: details }) });
  }

  #reportQueue(meta: unknown, at: number): void {
    const queue = queueIn(meta);
    if (queue !== undefined) for (const event of this.map.queue.replace(queue, at)) this.emit(event);
  }

  #reportOptions(changed: boolean, fromAgent: ReturnType<typeof metaOf> = {}): void {
    if (changed) this.emit({ type: 'options', at: this.#parts.clock.now(), options: this.options, ...fromAgent });
  }

  /** Runs in the background, because a provider may take its time, and the session works without the models. */
  async #listModels(method: string): Promise<void> {
    const { calls, log } = this.#parts;
    try {
      const models = await calls.request(listModels(method), { sessionId: this.id }, { timeoutMs: modelsMs });
      if (models.length > 0) this.#reportOptions(this.#options.addModels(models));
    } catch (thrown) {
      const error = toHostError(thrown);
      // That the agent has ended says nothing about its models.
      if (error.code === 'agent_exited') throw error;
      log.debug('Could not list the models of the agent', error);
    }
  }
}
