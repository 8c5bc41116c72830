import { DisposableStore, type HostError, toHostError, type TurnOutcome } from '../../core/index.js';
import type { RecoveryChoice } from '../arguments/request.js';
import type { ChatCommands, ChatFrontEnd } from '../frontEnds/chatFrontEnd.js';
import { ExitCode, exitCodeOfStart, exitCodeOfTurn } from '../output/exitCode.js';
import type { RecoveryOffer } from '../output/output.js';
import type { Conversation } from './conversation.js';
import { type Blocker, isRefusal } from './recovery.js';

/** A conversation that stays open: the queue, an interrupted prompt and the turn that is running. */
export class Chat implements ChatCommands {
  readonly #frontEnd: ChatFrontEnd;
  readonly #conversation: Conversation;
  readonly #owned = new DisposableStore();
  readonly #queue: string[] = [];
  /** The prompt whose turn was interrupted. The queue waits until somebody resends or skips it. */
  #interruptedPrompt: string | undefined;
  /** No more input will come. */
  #ended = false;
  /** Cancels the next turn as soon as it starts. */
  #cancelNext = false;
  /** A prompt is being sent, or its turn is running. */
  #prompted = false;
  /** The last Ctrl+C has had no effect yet, so another one exits. */
  #interrupted = false;
  /** `--recover`: how to continue where the agent can't resume the session. */
  readonly #recover: RecoveryChoice | undefined;
  /** What somebody chose to do about the blocker. */
  #choice: RecoveryChoice | 'retry' | undefined;
  /** Somebody is being asked for that choice. */
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
    // A prompt being sent has no turn yet. It is sent and then canceled, so that its end is reported like any other.
    else this.#cancelNext = this.#prompted || (this.#queue.length > 0 && this.#interruptedPrompt === undefined);
  }

  resend(edited?: string): boolean {
    if (this.#interruptedPrompt === undefined) return false;
    this.#queue.unshift(edited ?? this.#interruptedPrompt);
    return this.skip();
  }

  skip(): boolean {
    if (this.#interruptedPrompt === undefined) return false;
    this.#interruptedPrompt = undefined;
    this.#wake?.();
    return true;
  }

  retryNow(): void {
    this.#conversation.host.retryNow();
    if (this.#conversation.session?.live !== true) this.#choose('retry');
  }

  recover(choice: RecoveryChoice): boolean {
    // The choice may precede the question, so that a program need not wait for it.
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
    if (!this.#prompted) this.#frontEnd.output.note('Press Ctrl+C again or Ctrl+D to exit');
    else this.cancel();
  }

  leave(exitCode: number): void {
    this.#leftWith ??= exitCode;
    void this.#conversation.kill().then(() => this.#left?.());
  }

  async #openAndTalk(): Promise<number> {
    try {
      const refused = await this.#conversation.open();
      // Only a blocker that appears or disappears changes what comes next.
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
        this.#frontEnd.output.note(
          this.#queue.length === 1 ? '1 queued message was not sent' : `${this.#queue.length} queued messages were not sent`,
        );
    }
  }

  /** Cancels a turn whose cancellation came before it started. */
  #cancelEarly(): void {
    this.#owned.add(
      this.#conversation.onEvent(({ type }) => {
        if (type !== 'turn_started' || !this.#cancelNext) return;
        this.#cancelNext = false;
        // The prompt is sent after this event, and a cancel has no effect before it.
        setImmediate(() => this.#conversation.cancel());
      }),
    );
  }

  /** Runs turn after turn. @returns the exit code of the last turn, or that of a lost agent where nobody chose how to continue */
  async #talk(): Promise<number> {
    let exitCode: number = ExitCode.ended;
    for (;;) {
      const text = await this.#next();
      if (text === undefined) return this.#conversation.blocker === undefined ? exitCode : ExitCode.agentLost;
      this.#interrupted = false;
      this.#frontEnd.show({ type: 'running' });
      const outcome = await this.#send(text);
      if (outcome === undefined) continue;
      if (outcome.type === 'interrupted') this.#interruptedPrompt = text;
      // A canceled turn is not an error: the conversation continues.
      exitCode = outcome.type === 'ended' && outcome.stopReason === 'cancelled' ? ExitCode.ended : exitCodeOfTurn(outcome);
    }
  }

  /** @returns undefined where the prompt was not sent, because the agent did not come back; it is queued again */
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

  /** Returns the next prompt; undefined where there is none, or no session to send it to. */
  async #next(): Promise<string | undefined> {
    for (;;) {
      if (this.#leftWith !== undefined) return undefined;
      const { blocker } = this.#conversation;
      if (blocker) {
        if (!(await this.#overcome(blocker))) return undefined;
        continue;
      }
      if (this.#ended) this.#interruptedPrompt = undefined;
      const text = this.#interruptedPrompt === undefined ? this.#queue.shift() : undefined;
      if (text !== undefined || this.#ended) return text;
      this.#frontEnd.show(
        this.#interruptedPrompt === undefined
          ? { type: 'idle' }
          : { type: 'interrupted', prompt: this.#interruptedPrompt, queued: this.#queue.length },
      );
      await this.#untilWoken();
    }
  }

  /** Reports the blocker and does what somebody chooses. @returns false where nobody chooses */
  async #overcome(blocker: Blocker): Promise<boolean> {
    if (this.#leftWith !== undefined) return false;
    this.#fail(blocker.error);
    const offer = blocker.type === 'refused' ? await this.#conversation.offer(blocker) : undefined;
    if (offer) this.#frontEnd.output.recovery(offer);
    const choice = (offer && this.#recover) ?? (await this.#chosen(offer));
    if (choice === undefined) return false;
    if (choice === 'back') return true;
    this.#frontEnd.show({ type: 'running' });
    try {
      if (choice === 'retry' || offer === undefined) await this.#conversation.retry();
      else await this.#conversation.recover(offer, choice);
    } catch (thrown) {
      // The next look reports the blocker that there is now.
      const error = toHostError(thrown);
      if (this.#conversation.blocker === undefined) return this.#overcome({ type: isRefusal(error) ? 'refused' : 'gone', error });
    }
    return true;
  }

  /** @returns `back` where there is no longer anything to choose, undefined where nobody chooses */
  async #chosen(offer: RecoveryOffer | undefined): Promise<RecoveryChoice | 'retry' | 'back' | undefined> {
    this.#frontEnd.show(offer ? { type: 'refused', offer } : { type: 'gone' });
    this.#choosing = true;
    try {
      for (;;) {
        if (this.#leftWith !== undefined) return undefined;
        if (this.#conversation.session?.live === true) return 'back';
        const choice = this.#choice;
        this.#choice = undefined;
        // Without an agent, only a retry makes sense.
        if (choice === 'retry' || (choice !== undefined && offer)) return choice;
        if (this.#ended) return this.#nobodyChose(offer);
        await this.#untilWoken();
      }
    } finally {
      this.#choosing = false;
    }
  }

  #nobodyChose(offer: RecoveryOffer | undefined): undefined {
    // A person at a terminal chose to exit.
    if (this.#frontEnd.isTerminal)
      return void this.#frontEnd.output.note('The conversation is saved. Resume it with `acp-host chat --continue`');
    const message = offer
      ? 'The chat ended because nobody chose how to continue. To choose in advance, use --recover context or --recover fresh'
      : 'The chat ended because nobody restarted the agent';
    this.#frontEnd.output.error({ code: 'cancelled', message, data: {} });
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
