import { isDeepStrictEqual } from 'node:util';
import type { ContentBlock, ConversationState, InterruptedTurn } from '../../core/index.js';
import type { RecoveryChoice } from '../arguments/request.js';
import type { ChatCommands, ChatFrontEnd, ChatState } from '../frontEnds/chatFrontEnd.js';
import type { CliError } from '../output/errorText.js';
import { ExitCode, exitCodeOfStart, exitCodeOfTurn } from '../output/exitCode.js';
import type { RecoveryOffer } from '../output/output.js';
import { isPrompted, nextStep } from './chatStep.js';
import type { Conversation } from './conversation.js';
import { type Trouble, troubleOf } from './trouble.js';

/** A conversation that stays open until no more input comes, or somebody leaves. */
export class Chat implements ChatCommands {
  readonly #frontEnd: ChatFrontEnd;
  readonly #conversation: Conversation;
  /** `--recover`: how to continue where the agent can't resume the session. */
  readonly #recover: RecoveryChoice | undefined;
  /** What somebody chose to do about the trouble; may precede it. */
  #choice: RecoveryChoice | 'retry' | undefined;
  /** The interrupted turn that somebody resent or skipped. */
  #decided: InterruptedTurn | undefined;
  /** The last prompt that the agent was given. */
  #lastSent: string | undefined;
  /** The last Ctrl+C has had no effect yet, so another one exits. */
  #interrupted = false;
  /** No more input will come. */
  #ended = false;
  #shown: ChatState = { type: 'running' };
  #leftWith: number | undefined;
  #left: (() => void) | undefined;
  #wake: (() => void) | undefined;

  constructor(frontEnd: ChatFrontEnd, conversation: Conversation, recover: RecoveryChoice | undefined) {
    this.#frontEnd = frontEnd;
    this.#conversation = conversation;
    this.#recover = recover;
    conversation.onChange(({ state }) => this.#onChange(state));
  }

  async run(): Promise<number> {
    const left = new Promise<void>((resolve) => (this.#left = resolve));
    const exitCode = await Promise.race([this.#openAndTalk(), left.then(() => ExitCode.cancelled)]);
    await this.#conversation.end();
    return this.#leftWith ?? exitCode;
  }

  prompt(text: string): void {
    void this.#conversation.send(text);
  }

  cancel(): void {
    void this.#conversation.execute({ type: 'cancel', scope: 'turn' });
  }

  resend(edited?: string): boolean {
    const content: readonly ContentBlock[] | undefined = edited === undefined ? undefined : [{ type: 'text', text: edited }];
    if (!this.#decide()) return false;
    void this.#conversation.execute({ type: 'resend_interrupted', ...(content && { content }) });
    return true;
  }

  skip(): boolean {
    if (!this.#decide()) return false;
    void this.#conversation.execute({ type: 'release_held' });
    return true;
  }

  retryNow(): void {
    const { live, status } = this.#conversation.state;
    if (status.state === 'reconnecting') void this.#conversation.execute({ type: 'retry_now' });
    else if (!live) this.#choose('retry');
  }

  recover(choice: RecoveryChoice): boolean {
    // The choice may precede the question, so that a program need not wait for it.
    if (this.#conversation.state.live) return false;
    this.#choose(choice);
    return true;
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  interrupt(): void {
    const prompted = isPrompted(this.#conversation.state);
    if (this.#interrupted || (!prompted && !this.#frontEnd.isTerminal)) return this.leave(ExitCode.cancelled);
    this.#interrupted = true;
    if (prompted) this.cancel();
    else this.#frontEnd.output.note('Press Ctrl+C again or Ctrl+D to exit');
  }

  leave(exitCode: number): void {
    this.#leftWith ??= exitCode;
    void this.#conversation.kill().then(() => this.#left?.());
  }

  async #openAndTalk(): Promise<number> {
    const error = await this.#conversation.open();
    if (error !== undefined && troubleOf(this.#conversation.state)?.type !== 'refused') {
      this.#fail(this.#conversation.explain(error));
      this.#reportUnsent();
      return exitCodeOfStart(error.code);
    }
    const exitCode = await this.#talk();
    this.#reportUnsent();
    return exitCode;
  }

  /** Goes on turn after turn. @returns the exit code of the last turn, or that of a lost agent where nobody chose how to continue */
  async #talk(): Promise<number> {
    while (this.#leftWith === undefined) {
      const step = nextStep(this.#conversation.state, this.#ended);
      switch (step.type) {
        case 'choose':
          if (!(await this.#overcome(step.trouble))) return ExitCode.agentLost;
          break;
        case 'drop_refused':
          if (this.#lastSent !== undefined) await this.#conversation.execute({ type: 'unqueue', promptId: this.#lastSent });
          await this.#conversation.execute({ type: 'retry' });
          break;
        case 'release':
          await this.#conversation.execute({ type: 'release_held' });
          break;
        case 'exit':
          return this.#exitCode();
        case 'wait':
          this.#show(step.shown);
          await this.#untilWoken();
      }
    }
    return ExitCode.cancelled;
  }

  /** A canceled turn is not an error: the conversation continued. */
  #exitCode(): number {
    const { outcome } = this.#conversation;
    if (outcome === undefined || (outcome.type === 'ended' && outcome.stopReason === 'cancelled')) return ExitCode.ended;
    return exitCodeOfTurn(outcome);
  }

  /** Reports the trouble and does what somebody chooses. @returns false where nobody chooses */
  async #overcome(trouble: Trouble): Promise<boolean> {
    const error = this.#conversation.explain(trouble.error);
    this.#fail(error);
    const offer: RecoveryOffer | undefined =
      trouble.type === 'refused' ? { sessionId: trouble.sessionId, reason: error, context: trouble.context } : undefined;
    if (offer) this.#frontEnd.output.recovery(offer);
    const choice = (offer && this.#recover) ?? (await this.#chosen(offer));
    if (choice === undefined) return false;
    this.#show({ type: 'running' });
    if (choice === 'retry' || offer === undefined) await this.#conversation.execute({ type: 'retry' });
    else await this.#conversation.execute({ type: choice === 'context' ? 'continue_with_context' : 'start_fresh', waiting: 'send' });
    return true;
  }

  /** @returns undefined where nobody chooses */
  async #chosen(offer: RecoveryOffer | undefined): Promise<RecoveryChoice | 'retry' | undefined> {
    this.#show(offer ? { type: 'refused', offer } : { type: 'gone' });
    while (this.#leftWith === undefined) {
      const choice = this.#choice;
      this.#choice = undefined;
      // Without an agent, only a retry makes sense.
      if (choice === 'retry' || (choice !== undefined && offer)) return choice;
      if (this.#ended) return this.#nobodyChose(offer);
      await this.#untilWoken();
    }
    return undefined;
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

  #reportUnsent(): void {
    const count = this.#conversation.state.outbox.length;
    if (count === 0 || this.#leftWith !== undefined) return;
    this.#frontEnd.output.note(count === 1 ? '1 queued message was not sent' : `${count} queued messages were not sent`);
  }

  /** @returns false where no turn was interrupted, or somebody decided about it before */
  #decide(): boolean {
    const { interrupted } = this.#conversation.state;
    if (interrupted === undefined || interrupted === this.#decided) return false;
    this.#decided = interrupted;
    return true;
  }

  #choose(choice: RecoveryChoice | 'retry'): void {
    this.#choice = choice;
    this.#wake?.();
  }

  #show(state: ChatState): void {
    if (isDeepStrictEqual(state, this.#shown)) return;
    this.#shown = state;
    this.#frontEnd.show(state);
  }

  #onChange({ sending }: ConversationState): void {
    if (sending !== undefined && sending.promptId !== this.#lastSent) {
      this.#lastSent = sending.promptId;
      this.#interrupted = false;
    }
    this.#wake?.();
  }

  #untilWoken(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  #fail(error: CliError): void {
    if (this.#leftWith === undefined) this.#conversation.fail(error);
  }
}
