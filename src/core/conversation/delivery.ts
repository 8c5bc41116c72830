import { HostError, type HostErrorCode } from '../base/errors.js';
import type { ForkPoint, Session, SessionBatch, WhileRunning } from '../host/api.js';
import type { ContentBlock, QueuedPrompt, TurnOutcome } from '../session/model.js';
import { type EarlierContext, isContextBlock } from './context.js';
import type { Outbox } from './outbox.js';
import { type HoldReason, type InterruptedTurn, isInTurn, type OutboxPrompt } from './state.js';

/** The agent has one prompt at a time. All others are in the outbox, which is the only queue. */
type Turn =
  /** `cancels`: the ID of the prompt whose turn is to be stopped as soon as it has started. */
  | { readonly type: 'idle'; readonly cancels: string | undefined }
  | { readonly type: 'running'; readonly prompt: OutboxPrompt; readonly session: Session };

/** Why prompts wait that the agent may have taken, by how they failed: nothing is sent twice unless the user decides so. */
const whyHeld: { readonly [C in HostErrorCode]?: HoldReason } = { agent_exited: 'turn_interrupted', cancelled: 'unanswered' };

interface JoiningPrompt {
  readonly prompt: OutboxPrompt;
  /** The prompt that it precedes if it is sent in another way. */
  readonly before: string | undefined;
  /** The user stopped everything, so it must not be sent in another way. */
  isStopped: boolean;
  /** Whether it is in the agent's queue, which shows it, or was in it before. */
  queued: 'not_yet' | 'waits' | 'left';
  /** Why the agent did not take it, as far as the host knows. */
  failure: HostErrorCode | undefined;
}

const idle: Turn = { type: 'idle', cancels: undefined };

export interface DeliveryParts {
  readonly outbox: Outbox;
  readonly context: EarlierContext;
  readonly liveSession: () => Session | undefined;
  /** The agent still finishes its turn, but takes no other prompt. */
  readonly isAgentEnding: () => boolean;
  /** A prompt is ready, but there is no session to send it in. */
  readonly onSessionNeeded: () => void;
  /** The prompt of the turn is back in the outbox. */
  readonly onSignInNeeded: (error: HostError) => void;
  /** A turn ended, so nothing blocks the next prompt. */
  readonly onAnswered: () => void;
  readonly onChange: () => void;
}

/** Decides what to send next: prompts in order, each after the turn before it, and none after an interrupted turn. */
export class Delivery {
  readonly #parts: DeliveryParts;
  #turn: Turn = idle;
  /** Until the user has decided about it, or the next turn begins. */
  interrupted: InterruptedTurn | undefined;
  /** Prompts that were sent and are not in the saved session yet, oldest first. */
  #unsaved: readonly { readonly prompt: OutboxPrompt; readonly session: Session }[] = [];
  /**
   * Prompts that were handed to a running turn, until the agent has one of them in its queue or its turn, or does not take it. By their ids,
   * oldest first. They would be lost with the agent.
   */
  readonly #joining = new Map<string, JoiningPrompt>();
  /** The IDs of prompts that an agent did not get because it ended. */
  readonly #unsentOnce = new Set<string>();

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  get sending(): OutboxPrompt | undefined {
    return this.#turn.type === 'running' ? this.#turn.prompt : undefined;
  }

  /**
   * Returns the prompts that are neither in a saved turn nor in the outbox: those that were sent just now, or while nothing could be saved,
   * and those that wait in the agent.
   * Each keeps its identity.
   */
  unsaved(session: Session | undefined): readonly OutboxPrompt[] {
    const state = session?.state;
    const queued = (state?.queue ?? []).map(toOutboxPrompt);
    return [...this.#unsaved.map(({ prompt }) => prompt), ...queued, ...this.#joiningPrompts];
  }

  /** Sends the next ready prompt, unless a turn is running. */
  advance(): void {
    const { outbox, liveSession, isAgentEnding, onSessionNeeded } = this.#parts;
    if (this.#turn.type === 'running' || outbox.next === undefined || isAgentEnding()) return;
    const session = liveSession();
    if (session === undefined) return onSessionNeeded();
    // It still ends a turn from before the conversation was opened.
    if (isInTurn({ session: session.state })) return;
    const prompt = outbox.takeNext();
    if (prompt !== undefined) this.#send(session, prompt, this.#turn.cancels === prompt.id);
  }

  /**
   * Delivers a prompt to the running turn. If the agent doesn't accept it, it waits for the end of the turn, before the prompt `before`; if
   * the agent was lost meanwhile, or the turn ended before the agent said anything about it, it waits for the user; and if the user stopped
   * everything meanwhile, it returns to the composer.
   */
  join(session: Session, prompt: OutboxPrompt, delivery: WhileRunning['deliveries'][number], before?: string): void {
    const joining: JoiningPrompt = { prompt, before, isStopped: false, queued: 'not_yet', failure: undefined };
    const { id, content } = prompt;
    this.#joining.set(id, joining);
    session.prompt(content, { delivery, promptId: id }).then(
      () => this.#joining.delete(id),
      ({ code }: HostError) => {
        if (code === 'disposed') return;
        joining.failure = code;
        // Delivers what the agent said before, which may be that it has the prompt.
        void session.state;
        this.#takeFailed(joining);
      },
    );
  }

  /** What is still in the agent's queue may yet be taken. */
  #takeFailed(joining: JoiningPrompt): void {
    const { prompt, before, isStopped, queued, failure } = joining;
    if (failure === undefined || queued === 'waits' || this.#joining.get(prompt.id) !== joining) return;
    this.#joining.delete(prompt.id);
    const { outbox, onChange } = this.#parts;
    if (isStopped) outbox.returnPrompt(prompt);
    else outbox.add({ ...prompt, held: whyHeld[failure] }, before);
    this.advance();
    onChange();
  }

  /** Removes a prompt from the queue of the agent. Prompts that the agent dropped because of it wait for the end of the turn. */
  async unqueue(session: Session, promptId: string): Promise<void> {
    this.#joining.delete(promptId);
    const dropped = await session.unqueue(promptId);
    if (dropped.length === 0) return;
    for (const prompt of dropped.toReversed()) this.#parts.outbox.putBack(toOutboxPrompt(prompt));
    this.advance();
    this.#parts.onChange();
  }

  /** The user stops everything: what the agent has not accepted yet must not become another turn. */
  stopJoining(): void {
    for (const joining of this.#joining.values()) joining.isStopped = true;
  }

  /** Holds what is in the queue of an agent that is gone. */
  returnAgentQueue(session: Session | undefined): void {
    if (session !== undefined && !session.live) this.#hold(this.#takeQueue(session));
  }

  /**
   * Holds what the agent would not work on after the conversation leaves the session, and what is not part of its turn yet.
   */
  leaveAgentQueue(session: Session | undefined): void {
    const queued = session === undefined ? [] : this.#takeQueue(session);
    this.#hold([...queued, ...this.#joiningPrompts]);
    this.#joining.clear();
  }

  /** Handles a change in the session: the agent has a prompt, or ended a turn from before. */
  onSessionChanged({ events }: SessionBatch): void {
    for (const event of events) {
      const joining = event.type === 'queued' ? this.#joining.get(event.prompt.id) : undefined;
      if (joining !== undefined) joining.queued = 'waits';
      else if (event.type === 'unqueued') this.#onUnqueued(event.promptId);
      else if ('promptId' in event && event.promptId !== undefined) this.#joining.delete(event.promptId);
    }
    // Deferred, so that other listeners receive the same event before the next turn starts.
    if (this.#turn.type === 'idle' && events.some(({ type }) => type === 'turn_ended')) queueMicrotask(() => this.#afterEarlier());
  }

  /** Stops the running turn, or the one that starts when the session is open. The queue behind it continues. */
  cancelTurn(session: Session | undefined, isOpening: boolean): void {
    const next = this.#turn.type === 'idle' && isOpening ? this.#parts.outbox.next : undefined;
    if (next === undefined) session?.cancel();
    else this.#turn = { type: 'idle', cancels: next.id };
  }

  /** The turn that should have been stopped will not start. */
  forgetCancel(): void {
    if (this.#turn.type === 'idle') this.#turn = idle;
  }

  /** Leaves the session; its turn no longer belongs to this conversation. */
  leave(): void {
    this.#turn = idle;
  }

  get #joiningPrompts(): readonly OutboxPrompt[] {
    return [...this.#joining.values()].flatMap(({ prompt, queued }) => (queued === 'not_yet' ? [prompt] : []));
  }

  #onUnqueued(promptId: string): void {
    const joining = this.#joining.get(promptId);
    if (joining === undefined) return;
    joining.queued = 'left';
    // The event may be followed by the message that the prompt has become.
    queueMicrotask(() => this.#takeFailed(joining));
  }

  #takeQueue(session: Session): readonly OutboxPrompt[] {
    const taken = session.takeQueue().map(toOutboxPrompt);
    for (const { id } of taken) this.#joining.delete(id);
    return taken;
  }

  #hold(prompts: readonly OutboxPrompt[]): void {
    for (const prompt of prompts.toReversed()) this.#parts.outbox.putBack(prompt, 'turn_interrupted');
  }

  #afterEarlier(): void {
    if (this.#parts.liveSession() === undefined) return;
    this.advance();
    this.#parts.onChange();
  }

  #send(session: Session, prompt: OutboxPrompt, cancelAtOnce: boolean): void {
    const { fork } = this.#parts.context;
    const content = this.#parts.context.attach(prompt.content, session.state);
    const turn: Turn = { type: 'running', prompt, session };
    this.#turn = turn;
    this.interrupted = undefined;
    this.#unsaved = [...this.#unsaved, { prompt, session }];
    const outcome = session.prompt(content, { promptId: prompt.id });
    this.#save();
    // The turn has begun, so a cancel stops it even before the agent gets the prompt.
    if (cancelAtOnce) session.cancel();
    outcome.then(
      (ended) => this.#onEnded(turn, content, ended),
      (error: HostError) => this.#onRefused(turn, { content, fork }, error),
    );
  }

  /** Forgets the prompts that are saved now. If that is not possible, they stay until a later attempt, of which each turn makes two. */
  #save(): void {
    for (const session of new Set(this.#unsaved.map((sent) => sent.session))) {
      const all = this.#unsaved.filter((sent) => sent.session === session);
      void session.flush().then((isSaved) => {
        const left = this.#unsaved.filter((sent) => !all.includes(sent));
        if (!isSaved || left.length === this.#unsaved.length) return;
        this.#unsaved = left;
        this.#parts.onChange();
      });
    }
  }

  /** The agent does not have the prompt. */
  #takeBack(taken: OutboxPrompt, held?: HoldReason): void {
    this.#unsaved = this.#unsaved.filter(({ prompt }) => prompt !== taken);
    this.#parts.outbox.putBack(taken, held);
  }

  #onEnded(turn: Extract<Turn, { type: 'running' }>, content: readonly ContentBlock[], outcome: TurnOutcome): void {
    if (this.#turn !== turn) return;
    this.#turn = idle;
    this.#save();
    const { outbox, onSignInNeeded, onChange } = this.#parts;
    if (outcome.type === 'interrupted' && outcome.error.params['isUnsent'] === true && !this.#unsentOnce.has(turn.prompt.id)) {
      // It goes out when the agent is back; once, because an agent that ends again and again must not be started for ever.
      this.#unsentOnce.add(turn.prompt.id);
      this.#takeBack(turn.prompt);
      this.#stageAgain(content);
      this.advance();
    } else if (outcome.type === 'interrupted') {
      outbox.hold('turn_interrupted');
      this.interrupted = interruptedTurn(turn);
      // A lost agent may not have read it.
      this.#stageAgain(content);
    } else if (outcome.type === 'failed' && outcome.error.code === 'auth_required') {
      this.#takeBack(turn.prompt);
      this.#stageAgain(content);
      onSignInNeeded(HostError.from(outcome.error));
    } else {
      if (outcome.type === 'ended') this.#parts.onAnswered();
      // The agent may not have read it, or never got it.
      if (isCut(outcome) && !hasOutput(turn.session)) this.#stageAgain(content);
      this.advance();
    }
    onChange();
  }

  /** There was no turn, because the agent was already gone. */
  #onRefused(
    turn: Extract<Turn, { type: 'running' }>,
    { content, fork }: { readonly content: readonly ContentBlock[]; readonly fork: ForkPoint | undefined },
    error: HostError,
  ): void {
    if (this.#turn !== turn || error.code === 'disposed') return;
    this.#turn = idle;
    this.#takeBack(turn.prompt, 'turn_interrupted');
    // Without messages, the session is opened anew.
    if (fork === undefined) this.#stageAgain(content);
    else this.#parts.context.stage(fork);
    this.#parts.onChange();
  }

  #stageAgain(content: readonly ContentBlock[]): void {
    if (content.some(isContextBlock)) this.#parts.context.stage();
  }
}

function toOutboxPrompt(prompt: QueuedPrompt): OutboxPrompt {
  return { ...prompt, held: undefined };
}

/** Whether the turn ended before the agent was done with the prompt. */
function isCut(outcome: TurnOutcome): boolean {
  return outcome.type !== 'ended' || outcome.stopReason === 'cancelled';
}

/** Whether the agent showed anything in the last turn. */
function hasOutput({ state: { items } }: Session): boolean {
  const end = items.findLast((item) => item.kind === 'turn_end');
  return items.some((item) => {
    const isFromAgent = item.kind === 'tool' || (item.kind === 'message' && item.role !== 'user');
    return isFromAgent && item.turnId === end?.turnId;
  });
}

function interruptedTurn({ prompt, session }: Extract<Turn, { type: 'running' }>): InterruptedTurn {
  const end = session.state.items.findLast((item) => item.kind === 'turn_end');
  return { turnId: end?.turnId ?? '', content: prompt.content };
}
