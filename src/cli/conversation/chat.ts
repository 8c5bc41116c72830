import { DisposableStore, type HostError, toHostError, type TurnOutcome } from '../../core/index.js';
import type { RecoveryChoice } from '../arguments/request.js';
import type { ChatCommands, ChatFrontEnd } from '../frontEnds/chatFrontEnd.js';
import { ExitCode, exitCodeOfStart, exitCodeOfTurn } from '../output/exitCode.js';
import type { RecoveryOffer } from '../output/output.js';
import type { Conversation } from './conversation.js';
import { type Blocker, isRefusal } from './recovery.js';

/** What waits, what was cut, and the one turn that runs. */
export class Chat implements ChatCommands {
  readonly #frontEnd: ChatFrontEnd;
  readonly #conversation: Conversation;
  readonly #owned = new DisposableStore();
  readonly #queue: string[] = [];
  /** The prompt whose turn was cut. The queue waits until somebody says what is to become of it. */
  #cut: string | undefined;
  /** Nothing more is going to be said. */
  #ended = false;
  /** The next turn is to be stopped as soon as it has begun. */
  #cancelNext = false;
  /** A prompt is on its way, or its turn runs. */
  #prompted = false;
  /** The last interrupt has not led to anything yet: another one leaves. */
  #interrupted = false;
  /** How to go on where the agent does not take the session up; said on the command line. */
  readonly #recover: RecoveryChoice | undefined;
  /** What somebody said is to be done about what is in the way. */
  #choice: RecoveryChoice | 'retry' | undefined;
  /** Waits for that. */
  #choosing = false;
  #leftWith: number | undefined;
  #left: (() => void) | undefined;
  #wake: (() => void) | undefined;

  constructor(frontEnd: ChatFrontEnd, conversation: Conversation, recover: RecoveryChoice | undefined) {
    this.#frontEnd = frontEnd;
    this.#conversation = conversation;
    this.#recover = recover;
  }

  async run(): Promise<number> {
    const left = new Promise<void>((resolve) => (this.#left = resolve));
    const exitCode = await Promise.race([this.#openAndTalk(), left.then(() => ExitCode.cancelled)]);
    this.#owned.dispose();
    await this.#conversation.host.stop();
    this.#conversation.dispose();
    await this.#frontEnd.output.end();
    return this.#leftWith ?? exitCode;
  }

  prompt(text: string): void {
    this.#queue.push(text);
    this.#wake?.();
  }

  cancel(): void {
    const { session } = this.#conversation;
    if (this.#prompted && session !== undefined && session.state.turn.type !== 'idle') session.cancel();
    // A prompt that is on its way has no turn yet. It is sent and stopped, so that its end is told like any other.
    else this.#cancelNext = this.#prompted || (this.#queue.length > 0 && this.#cut === undefined);
  }

  resend(edited?: string): boolean {
    if (this.#cut === undefined) return false;
    this.#queue.unshift(edited ?? this.#cut);
    return this.skip();
  }

  skip(): boolean {
    if (this.#cut === undefined) return false;
    this.#cut = undefined;
    this.#wake?.();
    return true;
  }

  retryNow(): void {
    this.#conversation.host.retryNow();
    if (this.#conversation.session?.live !== true) this.#choose('retry');
  }

  recover(choice: RecoveryChoice): boolean {
    // It may be said before it is asked: a program that knows its mind need not wait.
    if (this.#conversation.session?.live === true) return false;
    this.#choose(choice);
    return true;
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  interrupt(): void {
    if (this.#interrupted || (!this.#prompted && !this.#frontEnd.isTerminal)) return this.leave(ExitCode.cancelled);
    this.#interrupted = true;
    if (!this.#prompted) this.#frontEnd.output.note('Ctrl+C again leaves, as Ctrl+D does');
    else this.cancel();
  }

  leave(exitCode: number): void {
    this.#leftWith ??= exitCode;
    void this.#conversation.kill().then(() => this.#left?.());
  }

  async #openAndTalk(): Promise<number> {
    try {
      const refused = await this.#conversation.open();
      // What is in the way, or is not any more; nothing else changes what comes next.
      this.#owned.add(this.#conversation.host.onStatus(() => (this.#choosing || this.#conversation.blocker) && this.#wake?.()));
      this.#cancelEarly();
      if (refused && !(await this.#overcome(refused))) return ExitCode.agentLost;
    } catch (thrown) {
      return exitCodeOfStart(this.#fail(thrown).code);
    }
    try {
      return await this.#talk();
    } catch (thrown) {
      this.#fail(thrown);
      return ExitCode.agentLost;
    } finally {
      if (this.#queue.length > 0 && this.#leftWith === undefined)
        this.#frontEnd.output.note(`Not sent: ${this.#queue.length} of what was queued`);
    }
  }

  /** Stops the turn that a cancel came for before it had begun. */
  #cancelEarly(): void {
    this.#owned.add(
      this.#conversation.onEvent(({ type }) => {
        if (type !== 'turn_started' || !this.#cancelNext) return;
        this.#cancelNext = false;
        // The prompt is sent after this event, and a cancel is of no use before it.
        setImmediate(() => this.#conversation.cancel());
      }),
    );
  }

  /** Turn after turn. @returns how the last one ended, or that nobody chose how to go on */
  async #talk(): Promise<number> {
    let exitCode: number = ExitCode.ended;
    for (;;) {
      const text = await this.#next();
      if (text === undefined) return this.#conversation.blocker === undefined ? exitCode : ExitCode.agentLost;
      this.#interrupted = false;
      this.#frontEnd.show({ type: 'running' });
      const outcome = await this.#send(text);
      if (outcome === undefined) continue;
      if (outcome.type === 'interrupted') this.#cut = text;
      // Who cancels goes on talking.
      exitCode = outcome.type === 'ended' && outcome.stopReason === 'cancelled' ? ExitCode.ended : exitCodeOfTurn(outcome);
    }
  }

  /** @returns undefined where it was not sent: the agent did not come back, and the prompt waits again */
  async #send(text: string): Promise<TurnOutcome | undefined> {
    this.#prompted = true;
    try {
      return await this.#conversation.prompt(text);
    } catch (error) {
      if (this.#conversation.blocker === undefined) throw error;
      this.#queue.unshift(text);
      return undefined;
    } finally {
      this.#prompted = false;
    }
  }

  /** What is to be sent; undefined when there is nothing more, or nothing in which to send it. */
  async #next(): Promise<string | undefined> {
    for (;;) {
      if (this.#leftWith !== undefined) return undefined;
      const { blocker } = this.#conversation;
      if (blocker) {
        if (!(await this.#overcome(blocker))) return undefined;
        continue;
      }
      if (this.#ended) this.#cut = undefined;
      const text = this.#cut === undefined ? this.#queue.shift() : undefined;
      if (text !== undefined || this.#ended) return text;
      this.#frontEnd.show(this.#cut === undefined ? { type: 'idle' } : { type: 'cut', prompt: this.#cut, queued: this.#queue.length });
      await this.#untilWoken();
    }
  }

  /** Says what is in the way and does what is chosen. @returns false when nobody chooses any more */
  async #overcome(obstacle: Blocker): Promise<boolean> {
    if (this.#leftWith !== undefined) return false;
    this.#fail(obstacle.error);
    const offer = obstacle.type === 'refused' ? await this.#conversation.offer(obstacle) : undefined;
    if (offer) this.#frontEnd.output.recovery(offer);
    const choice = (offer && this.#recover) ?? (await this.#chosen(offer));
    if (choice === undefined) return false;
    if (choice === 'back') return true;
    this.#frontEnd.show({ type: 'running' });
    try {
      if (choice === 'retry' || offer === undefined) await this.#conversation.retry();
      else await this.#conversation.recover(offer, choice);
    } catch (thrown) {
      // What is in the way now is told when it is looked at next.
      const error = toHostError(thrown);
      if (this.#conversation.blocker === undefined) return this.#overcome({ type: isRefusal(error) ? 'refused' : 'gone', error });
    }
    return true;
  }

  /** @returns `back` where nothing has to be chosen any more, undefined where nobody does */
  async #chosen(offer: RecoveryOffer | undefined): Promise<RecoveryChoice | 'retry' | 'back' | undefined> {
    this.#frontEnd.show(offer ? { type: 'refused', offer } : { type: 'gone' });
    this.#choosing = true;
    try {
      for (;;) {
        if (this.#leftWith !== undefined) return undefined;
        if (this.#conversation.session?.live === true) return 'back';
        const choice = this.#choice;
        this.#choice = undefined;
        // Without an agent there is nothing in which to go on.
        if (choice === 'retry' || (choice !== undefined && offer)) return choice;
        if (this.#ended) return this.#nobodyChose(offer);
        await this.#untilWoken();
      }
    } finally {
      this.#choosing = false;
    }
  }

  #nobodyChose(offer: RecoveryOffer | undefined): undefined {
    // Who is at a terminal chose to leave.
    if (this.#frontEnd.isTerminal)
      return void this.#frontEnd.output.note('What was said is kept. `acp-host chat --continue` goes on from there');
    const words = offer
      ? 'Nobody chose how to go on, so the chat ends. --recover context or --recover fresh chooses beforehand'
      : 'Nobody started the agent again, so the chat ends';
    this.#frontEnd.output.error({ code: 'cancelled', message: words, data: {} });
  }

  #choose(choice: RecoveryChoice | 'retry'): void {
    this.#choice = choice;
    this.#wake?.();
  }

  #untilWoken(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  #fail(thrown: unknown): HostError {
    const error = toHostError(thrown);
    if (this.#leftWith === undefined) this.#conversation.fail(error);
    return error;
  }
}
