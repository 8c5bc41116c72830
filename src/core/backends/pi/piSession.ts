/** The session of one process: its turns, and everything else that is sent to the agent. */
import { randomUUID } from 'node:crypto';
import { HostError, toHostError, unsent } from '../../base/errors.js';
import { failureReason } from '../../rpc/failureReason.js';
import type { SessionEvent } from '../../session/event.js';
import type { AgentWait, ContentBlock, StopReason } from '../../session/model.js';
import type { SessionOption } from '../../session/sessionOption.js';
import type { AgentQueue, BackendSession, Delivery, PromptResult } from '../agentBackend.js';
import { PiHostTools } from './hostTools.js';
import { type PiPrompt, toPiPrompt } from './piContent.js';
import { PiDialogs } from './piDialogs.js';
import { PiEvents, userWords } from './piEvents.js';
import { unstatedOptions } from './piOptions.js';
import type { PiListener } from './piProcess.js';
import { type JoiningDelivery, lookUntilIdle, PiPrompts } from './piPrompts.js';
import type { PiSessionParts, Teller } from './piSessionParts.js';
import { PiSettings } from './piSettings.js';
import { PiTranscript, type RunFacts } from './piTranscript.js';
import { PiTurn } from './piTurn.js';
import { unsupported, type VerbCall, type VerbContext, verbOf } from './piVerbs.js';
import { PiWaiting } from './piWaiting.js';
import { RunWatch } from './runWatch.js';
import { nothing, type PiState } from './schema/answers.js';
import type { PiEvent } from './schema/frames.js';
import type { PiMessage } from './schema/messages.js';

/** The agent may have read the abort and may be done by then. */
const deafMs = 5_000;

export class PiSession implements BackendSession, PiListener {
  readonly id: string;
  readonly deliveries: readonly Delivery[] = ['turn', 'steer', 'followUp'];
  readonly unstated = unstatedOptions;
  readonly #parts: PiSessionParts;
  readonly #settings: PiSettings;
  readonly #transcript: PiTranscript;
  readonly #events: PiEvents;
  readonly #dialogs: PiDialogs;
  readonly #waiting: PiWaiting;
  readonly #run: RunWatch;
  readonly #prompts: PiPrompts;
  readonly #tools: PiHostTools;
  #turn: PiTurn | undefined;
  /** The facts that are requested when a run pauses, so that they are known at its end. */
  #facts: Promise<void> = Promise.resolve();
  #gone: HostError | undefined;
  #learned: PiState | undefined;
  #hasBegun = false;
  /** Gets the output of a command that the user runs in the agent's shell. */
  #onOutput: (delta: string) => void = () => {};
  readonly #tell: Teller = { now: () => this.#now(), emit: (event) => this.emit(event) };
  queue?: AgentQueue;

  constructor(id: string, parts: PiSessionParts) {
    this.id = id;
    this.#parts = parts;
    const { services, clock, dialect, process, cwd, log } = parts;
    // Distinguishes this process from earlier ones.
    const period = randomUUID().slice(0, 8);
    this.#transcript = new PiTranscript(cwd, period, services.filesIn(cwd));
    this.#tools = new PiHostTools({ cwd, navigation: services.codeNavigation, tell: (message) => process.calls.tell(message) });
    this.#settings = new PiSettings({ ...parts, hostTools: this.#tools });
    this.#events = new PiEvents({ period, transcript: this.#transcript, settings: this.#settings });
    this.#run = new RunWatch({
      isHeldOpen: () => this.#dialogs.size > 0 || this.#turn?.isInCommand === true,
      onPause: () => {
        const counted = this.#waiting.counting();
        this.#facts = this.#settings.askForFacts(this.#tell).then((state) => counted(state?.queuedMessageCount));
      },
      // Until the facts are known, a message may begin another run of the turn.
      onOver: () => void this.#facts.then(() => (this.#run.isIdle ? this.#endTurn() : undefined)),
    });
    this.#waiting = new PiWaiting({
      calls: process.calls,
      log,
      isTold: dialect.tellsQueue,
      send: (prompt, delivery) => this.#joinTurn(prompt, delivery),
      isLost: () => this.#gone !== undefined,
      ...this.#tell,
    });
    this.#prompts = new PiPrompts({ ...parts, run: this.#run, isHeldOpen: () => this.#dialogs.size > 0 });
    this.#dialogs = new PiDialogs({
      sessionId: id,
      dialect,
      services,
      clock,
      tell: (message) => process.calls.tell(message),
      onAsked: () => this.#endIfDeaf(),
      onClosed: () => this.#run.check(),
    });
  }

  get options(): readonly SessionOption[] {
    return this.#settings.options;
  }

  get busy(): boolean {
    return this.#turn !== undefined || this.#run.isRunning;
  }

  /** Asks the agent, before the first turn, for its settings and commands. */
  async learn(state: PiState): Promise<void> {
    await this.#settings.learn(state);
    if (this.#settings.canClearQueue) this.queue = { remove: (promptId) => this.#waiting.remove(promptId) };
    this.#learned = state;
    if (this.#hasBegun) this.#tellSettings();
  }

  /** Call this when the owner knows the session, to deliver what the process has reported so far. */
  begin(): void {
    this.#hasBegun = true;
    if (this.#learned !== undefined) this.#tellSettings();
    this.#parts.process.listen(this);
  }

  tellHistory(messages: readonly PiMessage[]): void {
    for (const event of this.#transcript.history(messages, this.#now())) this.#parts.sink.history(event);
  }

  emit(event: SessionEvent): void {
    this.#parts.sink.event(event);
  }

  emitWait(wait: AgentWait | null): void {
    if (this.#turn !== undefined) this.emit({ type: 'wait', at: this.#now(), wait });
  }

  prompt(id: string, content: readonly ContentBlock[], delivery: Delivery): Promise<PromptResult> {
    return delivery === 'turn' ? this.#begin(id, content) : this.#join(id, content, delivery);
  }

  cancel(): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    // The agent reads no abort, or never completes it, while it waits for an answer.
    this.#dialogs.cancelTurn();
    turn.cancel(() => this.#abort());
  }

  async setOption(id: string, value: string | boolean): Promise<void> {
    this.#throwIfGone('lost');
    const options = await this.#settings.set(id, value);
    this.emit({ type: 'options', at: this.#now(), options });
    // Another model has a larger or smaller context.
    if (id === 'model') void this.#settings.askForFacts(this.#tell);
  }

  readonly close = async (): Promise<void> => {
    this.lose(new HostError('disposed', { reason: 'conversation' }));
    await this.#parts.onClosed();
  };

  lose(error: HostError): void {
    if (this.#gone !== undefined) return;
    this.#gone = error;
    this.#run.stop();
    this.#dialogs.lose(error);
    this.#tools.cancelAll();
    this.#takeTurn()?.fail(error);
  }

  receive(event: PiEvent): void {
    // The process may send something until it ends.
    if (this.#gone !== undefined) return;
    const at = this.#now();
    const promptId = event.type === 'message_start' ? this.#waiting.saidBack(userWords(event.message)) : undefined;
    const said = promptId === undefined ? {} : { promptId };
    for (const one of this.#events.map(event, at)) this.emit(one.type === 'message' ? { ...one, ...said } : one);
    this.#follow(event);
  }

  async #begin(turnId: string, content: readonly ContentBlock[]): Promise<PromptResult> {
    if (this.#turn !== undefined) throw new HostError('session_busy');
    this.#throwIfGone('refused');
    const prompt = toPiPrompt(content);
    const verb = verbOf(prompt.message, this.#settings.commands);
    const turn = new PiTurn(turnId, verb?.stop);
    this.#turn = turn;
    this.#transcript.beginTurn(turnId, verb === undefined);
    const fail = (thrown: unknown): void => this.#fail(turn, toHostError(thrown));
    if (verb !== undefined) void this.#runVerb(verb, turn);
    else this.#prompts.begin(prompt, fail).catch(fail);
    return turn.over;
  }

  /** A steer during the command may begin a run, which belongs to the turn too. */
  async #runVerb(verb: VerbCall, turn: PiTurn): Promise<void> {
    const expected = this.#run.expect();
    turn.isInCommand = true;
    try {
      await verb.run(this.#verbContext());
    } catch (error) {
      turn.failure = toHostError(error);
    }
    turn.isInCommand = false;
    expected.endWithoutRun();
    this.#run.check();
  }

  async #join(id: string, content: readonly ContentBlock[], delivery: JoiningDelivery): Promise<PromptResult> {
    this.#throwIfGone('refused');
    const prompt = toPiPrompt(content);
    // The agent would pass the command to the model as text.
    if (verbOf(prompt.message, this.#settings.commands) !== undefined) throw new HostError('unsupported', { reason: 'delivery', delivery });
    const turn = this.#turn;
    // Behind the prompts that waited before it.
    await this.#waiting.arranged;
    this.#throwIfGone('refused');
    if (this.#turn !== turn || turn?.cancelling === true) throw new HostError('session_busy');
    const onAnswered = this.#waiting.sending({ id, words: prompt.message, content });
    try {
      await this.#prompts.join(prompt, delivery, turn !== undefined);
    } catch (error) {
      onAnswered(false);
      throw error;
    }
    onAnswered(true);
    return { stopReason: 'end_turn' };
  }

  async #joinTurn(prompt: PiPrompt, delivery: JoiningDelivery): Promise<void> {
    if (this.#turn === undefined || this.#turn.cancelling) throw new HostError('session_busy');
    await this.#prompts.join(prompt, delivery, true);
  }

  #verbContext(): VerbContext {
    const { process, deadlines, dialect, deriveSession } = this.#parts;
    return {
      calls: process.calls,
      tools: this.#transcript.tools,
      timeoutMs: deadlines.queryMs,
      now: () => this.#now(),
      emit: (event) => this.emit(event),
      compactions: () => this.#events.compactions,
      onOutput: (listener) => (this.#onOutput = listener),
      dialect,
      choose: (choices) => this.#dialogs.choose(choices),
      deriveSession: (command) => {
        const file = this.#settings.state?.sessionFile;
        if (file === undefined) throw unsupported(command.type);
        return deriveSession(file, command);
      },
    };
  }

  #fail(turn: PiTurn, failure: HostError): void {
    if (this.#turn === turn) {
      this.#run.stop();
      turn.failure = failure;
      this.#endTurn();
      // Every prompt that a lost agent has not answered fails.
    } else if (this.#gone === undefined) this.#parts.log.warn('A prompt failed after its turn was over', failure);
  }

  #endTurn(): void {
    const turn = this.#takeTurn();
    if (turn === undefined) return;
    const { failure } = turn;
    if (failure !== undefined) {
      if (turn.cancelling && failure.code === 'request_failed') turn.end({ stopReason: 'cancelled' });
      else turn.fail(failure);
      return;
    }
    const result = resultOf(this.#transcript.facts, turn.cancelling);
    if ('failure' in result) turn.fail(new HostError('provider_failed', { detail: this.#parts.redactor.text(result.failure) }));
    else turn.end(result);
  }

  /** @returns the turn, which is over; all of its events were emitted */
  #takeTurn(): PiTurn | undefined {
    const turn = this.#turn;
    this.#turn = undefined;
    turn?.clear();
    this.#onOutput = () => {};
    this.#dialogs.endTurn();
    this.#waiting.endTurn();
    for (const event of this.#transcript.endTurn(this.#now(), turn?.cancelling ?? false)) this.emit(event);
    return turn;
  }

  #abort(): void {
    const turn = this.#turn;
    if (turn !== undefined) abortTurn({ ...this.#parts, turn, run: this.#run, isOver: () => this.#turn !== turn });
  }

  /** Handles what an event means for the run, and answers it. */
  #follow(event: PiEvent): void {
    this.#run.follow(event);
    switch (event.type) {
      case 'agent_start':
        // The earlier abort came too early.
        if (this.#turn?.cancelling === true) this.#abort();
        return;
      case 'queue_update':
        return this.#waiting.told([...event.steering, ...event.followUp]);
      case 'bash_execution_update':
        return this.#onOutput(event.delta);
      case 'host_tool_call':
        return void this.#tools.call(event);
      case 'host_tool_cancel':
        return this.#tools.cancel(event.targetId);
      case 'extension_ui_request':
        return this.#dialogs.receive(event);
      default:
        return;
    }
  }

  /** An agent that reads nothing until it has stopped never receives an answer, so it can only be ended. */
  #endIfDeaf(): void {
    const { dialect, process, log } = this.#parts;
    if (this.#turn?.cancelling !== true || !dialect.isSerial) return;
    log.warn('The agent sent a request while stopping and does not read the answer; ending it');
    this.#turn.after(deafMs, () => void process.close({ force: true }));
  }

  #tellSettings(): void {
    for (const event of this.#settings.tellAll(this.#now())) this.emit(event);
  }

  #throwIfGone(reason: 'refused' | 'lost'): void {
    if (this.#gone === undefined) return;
    throw this.#gone.code === 'session_unknown' ? this.#gone.with({ reason }) : unsent(this.#gone);
  }

  #now(): number {
    return this.#parts.clock.now();
  }
}

const stopReasons: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'end_turn'],
  ['toolUse', 'end_turn'],
  ['length', 'max_tokens'],
  ['aborted', 'cancelled'],
]);

/**
 * Determines how a turn ended from the last message of its runs. A reason that is not known to be a success is a failure.
 * @returns `failure` has the agent's own words, not redacted
 */
export function resultOf({ usage, last }: RunFacts, isCancelled: boolean): PromptResult | { readonly failure: string } {
  const { stopReason: reason = 'stop', errorMessage = '' } = last ?? {};
  const stopReason = isCancelled ? 'cancelled' : stopReasons.get(reason);
  if (stopReason === undefined || (errorMessage !== '' && stopReason !== 'cancelled'))
    return { failure: failureReason({ code: 0, message: errorMessage === '' && reason !== 'error' ? reason : errorMessage }) };
  return usage === undefined ? { stopReason } : { stopReason, usage };
}

interface AbortParts extends Pick<PiSessionParts, 'process' | 'deadlines' | 'log'> {
  readonly turn: PiTurn;
  readonly run: RunWatch;
  readonly isOver: () => boolean;
}

/** Asks the agent to stop everything in the turn. */
function abortTurn(parts: AbortParts): void {
  const { turn, run, process, log } = parts;
  for (const type of turn.stops(run.isRunning))
    process.calls
      .request({ command: { type }, answer: nothing, isUrgent: true })
      .then(() => endIfStopped(parts))
      .catch((error: unknown) => log.debug('The agent did not accept the abort', error));
}

/** An agent that has confirmed the stop may never report the end of the run. */
async function endIfStopped({ turn, run, isOver, process, deadlines, log }: AbortParts): Promise<void> {
  if (turn.isStopConfirmed) return;
  turn.isStopConfirmed = true;
  const isAwaited = (): boolean => !isOver() && run.isWorking;
  if (await lookUntilIdle({ process, deadlines, log, isAwaited, isHeldOpen: () => false })) run.endUnreported();
}
