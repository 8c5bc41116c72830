import type { HostError } from '../base/errors.js';
import type { Session, WhileRunning } from '../host/api.js';
import type { ContentBlock, TurnOutcome } from '../session/model.js';
import { isContextBlock } from './context.js';
import type { EarlierContext } from './earlierContext.js';
import type { Outbox } from './outbox.js';
import type { InterruptedTurn, OutboxPrompt } from './state.js';

/** One prompt is with the agent at a time: all others are in the outbox, the only queue. */
type Turn =
  /** `cancelNext`: the next turn is stopped as soon as it has begun. */
  | { readonly type: 'idle'; readonly cancelNext: boolean }
  /** Somebody else's turn runs in the session: of another conversation that shows it too. */
  | { readonly type: 'waiting' }
  | { readonly type: 'running'; readonly prompt: OutboxPrompt; readonly session: Session };

const idle: Turn = { type: 'idle', cancelNext: false };

export interface DeliveryParts {
  readonly outbox: Outbox;
  readonly context: EarlierContext;
  readonly liveSession: () => Session | undefined;
  /** A prompt is ready, and there is no session to send it in. */
  readonly onSessionNeeded: () => void;
  /** The prompt of the turn is back in the outbox. */
  readonly onSignInNeeded: (outcome: Extract<TurnOutcome, { type: 'failed' }>) => void;
  /** A turn ended, so nothing blocks the next prompt. */
  readonly onAnswered: () => void;
  readonly onChange: () => void;
}

/** What is sent next: prompts in order, each after the turn before it, and none past a turn that was interrupted. */
export class Delivery {
  readonly #parts: DeliveryParts;
  #turn: Turn = idle;
  #interrupted: InterruptedTurn | undefined;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  get sending(): OutboxPrompt | undefined {
    return this.#turn.type === 'running' ? this.#turn.prompt : undefined;
  }

  get interrupted(): InterruptedTurn | undefined {
    return this.#interrupted;
  }

  /** The user decided about the interrupted turn. */
  forgetInterrupted(): void {
    this.#interrupted = undefined;
  }

  /** Sends the next prompt that is ready, unless a turn runs. */
  advance(): void {
    const { outbox, liveSession, onSessionNeeded } = this.#parts;
    if (this.#turn.type === 'running' || !outbox.hasReady()) return;
    const session = liveSession();
    if (session !== undefined && isBusy(session)) {
      this.#turn = { type: 'waiting' };
      return;
    }
    const prompt = session && outbox.takeNext();
    if (session === undefined || prompt === undefined) onSessionNeeded();
    else this.#send(session, prompt, this.#turn.type === 'idle' && this.#turn.cancelNext);
  }

  /** Hands the words to the turn that runs. Where the agent does not take them, they wait for its end; where it was lost over them, for the user. */
  join(session: Session, content: readonly ContentBlock[], delivery: WhileRunning['deliveries'][number]): void {
    session.prompt(content, { delivery }).catch((error: HostError) => {
      if (error.code === 'disposed') return;
      this.#parts.outbox.add(content, error.code === 'agent_exited' ? 'turn_interrupted' : undefined);
      this.advance();
      this.#parts.onChange();
    });
  }

  /** Something happened in the session: it may be the end of somebody else's turn. */
  onSessionChanged(): void {
    // Later: whoever else hears of the same event hears of it before the next turn begins.
    if (this.#turn.type === 'waiting') queueMicrotask(() => this.#afterOthers());
  }

  /** Stops the turn that runs, or the one that begins when the session is open. What waits behind it goes on. */
  cancelTurn(session: Session | undefined, isOpening: boolean): void {
    if (this.#turn.type === 'idle' && isOpening && this.#parts.outbox.hasReady()) this.#turn = { type: 'idle', cancelNext: true };
    else session?.cancel();
  }

  /** The turn that was to be stopped is not going to begin. */
  forgetCancel(): void {
    if (this.#turn.type === 'idle') this.#turn = idle;
  }

  /** The session is left: its turn is nobody's any more. */
  leave(): void {
    this.#turn = idle;
  }

  #afterOthers(): void {
    const session = this.#parts.liveSession();
    if (this.#turn.type !== 'waiting' || (session !== undefined && isBusy(session))) return;
    this.#turn = idle;
    if (session === undefined) return;
    this.advance();
    this.#parts.onChange();
  }

  #send(session: Session, prompt: OutboxPrompt, cancelAtOnce: boolean): void {
    const content = this.#parts.context.attach(prompt.content);
    const turn: Turn = { type: 'running', prompt, session };
    this.#turn = turn;
    this.#interrupted = undefined;
    const outcome = session.prompt(content);
    // The prompt is in the write queue: a cancel comes after it.
    if (cancelAtOnce) session.cancel();
    outcome.then(
      (ended) => this.#onEnded(turn, content, ended),
      (error: HostError) => this.#onRefused(turn, content, error),
    );
  }

  #onEnded(turn: Extract<Turn, { type: 'running' }>, content: readonly ContentBlock[], outcome: TurnOutcome): void {
    if (this.#turn !== turn) return;
    this.#turn = idle;
    const { outbox, onSignInNeeded, onChange } = this.#parts;
    if (outcome.type === 'interrupted') {
      outbox.hold('turn_interrupted');
      this.#interrupted = interruptedTurn(turn);
      // An agent that was lost may not have read it.
      this.#stageAgain(content);
    } else if (outcome.type === 'failed' && outcome.error.code === 'auth_required') {
      outbox.putBack(turn.prompt);
      this.#stageAgain(content);
      onSignInNeeded(outcome);
    } else {
      if (outcome.type === 'ended') this.#parts.onAnswered();
      this.advance();
    }
    onChange();
  }

  /** There was no turn: the agent had gone by then. */
  #onRefused(turn: Extract<Turn, { type: 'running' }>, content: readonly ContentBlock[], error: HostError): void {
    if (this.#turn !== turn || error.code === 'disposed') return;
    this.#turn = idle;
    this.#stageAgain(content);
    this.#parts.outbox.putBack(turn.prompt, 'turn_interrupted');
    this.#parts.onChange();
  }

  #stageAgain(content: readonly ContentBlock[]): void {
    if (content.some(isContextBlock)) this.#parts.context.stage();
  }
}

function isBusy({ state }: Session): boolean {
  return state.turn.type !== 'idle';
}

function interruptedTurn({ prompt, session }: Extract<Turn, { type: 'running' }>): InterruptedTurn {
  const { sessionId, items } = session.state;
  const end = items.findLast((item) => item.kind === 'turn_end');
  return { sessionId, turnId: end?.kind === 'turn_end' ? end.turnId : '', content: prompt.content };
}
