import { isDeepStrictEqual } from 'node:util';
import {
  canStopLate,
  type AvailableCommand,
  type CommandResult,
  type ContentBlock,
  type ConversationCommand,
  type ConversationState,
  type InterruptedTurn,
  isRunning,
  isSettled,
  lateWorkIn,
  type OptionWish,
  type SessionOption,
} from '../../core/index.js';
import { describeCommands } from '../../text/commandText.js';
import { lateWorkText } from '../../text/workText.js';
import type { RecoveryChoice } from '../arguments/optionValues.js';
import type { ChatCommands, ChatFrontEnd, ChatState, PromptDelivery } from '../frontEnds/frontEnd.js';
import { ExitCode, exitCodeOfStart, exitCodeOfTurn } from '../output/exitCode.js';
import type { RecoveryOffer } from '../output/output.js';
import type { Paint } from '../output/terminalText.js';
import { type Conversation, toContent } from './conversation.js';
import { type Trouble, troubleOf } from './trouble.js';

type Life =
  | { readonly type: 'open' }
  /** No more input will come; queued prompts are still sent. */
  | { readonly type: 'ended' }
  | { readonly type: 'left'; readonly exitCode: number };

/** A conversation that stays open until no more input comes, or until the user leaves. */
export class Chat implements ChatCommands {
  readonly #frontEnd: ChatFrontEnd;
  readonly #conversation: Conversation;
  readonly #recover: RecoveryChoice | undefined;
  /** How to continue; may precede the question, so that programs need not wait for it. */
  #choice: RecoveryChoice | 'retry' | undefined;
  readonly #isJoined: boolean;
  #life: Life = { type: 'open' };
  /** The interrupted turn that the user resent or skipped. */
  #decided: InterruptedTurn | undefined;
  /** The last prompt that was sent to the agent. */
  #lastSent: string | undefined;
  /** What the last Ctrl+C was for, unless it has had its effect; another one exits. */
  #interrupted: 'turn' | 'exit' | undefined;
  #shown: ChatState = { type: 'running' };
  /** Changes of options that the agent has not answered yet; what follows them waits. */
  #changes = 0;
  #changed: Promise<void> = Promise.resolve();
  #failedChanges = 0;
  /** The user signs in, for any time. */
  #isSigningIn = false;
  /** Prompts that the conversation has not accepted yet. */
  #unsent = 0;
  #left: ((exitCode: number) => void) | undefined;
  #wake: (() => void) | undefined;

  /**
   * @param recover `--recover`: how to continue if the agent can't resume the session
   * @param isJoined others have the conversation too: it goes on without this program, which ends when nothing runs or waits in it
   */
  constructor(frontEnd: ChatFrontEnd, conversation: Conversation, recover: RecoveryChoice | undefined, isJoined = false) {
    this.#isJoined = isJoined;
    this.#frontEnd = frontEnd;
    this.#conversation = conversation;
    this.#recover = recover;
    conversation.onChange(({ state }) => this.#onChange(state));
  }

  async run(): Promise<number> {
    const left = new Promise<number>((resolve) => (this.#left = resolve));
    const exitCode = await Promise.race([this.#isJoined ? this.#follow() : this.#openAndTalk(), left]);
    await (this.#isJoined ? this.#conversation.leave() : this.#conversation.end());
    return this.#life.type === 'left' ? this.#life.exitCode : exitCode;
  }

  prompt(text: string, delivery?: PromptDelivery): void {
    this.#unsent++;
    const sent = this.#changes === 0 ? this.#send(text, delivery) : this.#sendAfterChanges(text, delivery);
    void sent.finally(() => {
      this.#unsent--;
      this.#wake?.();
    });
  }

  unqueue(promptId: string): void {
    void this.#conversation.execute({ type: 'unqueue', promptId }).then((result) => this.#explain(result));
  }

  stopCommand(itemId: string): void {
    void this.#conversation.execute({ type: 'stop_command', itemId }).then((result) => this.#explain(result));
  }

  setOption(wish: OptionWish): Promise<string | undefined> {
    this.#changes++;
    const change = this.#changed.then(() => this.#setOption(wish));
    this.#changed = change.then(() => {
      this.#changes--;
      this.#wake?.();
    });
    return change;
  }

  options(): readonly SessionOption[] {
    return this.#conversation.state.session?.options ?? [];
  }

  lastChanges(paint: Paint): Promise<readonly string[]> {
    return this.#conversation.lastChanges(paint);
  }

  undoLast(): Promise<readonly string[]> {
    return this.#conversation.undoLast();
  }

  lateWork(): string | undefined {
    const late = lateWorkIn(this.#conversation.state);
    return late.length === 0 ? undefined : lateWorkText(late);
  }

  agentCommands(): readonly AvailableCommand[] {
    return describeCommands(this.#conversation.state.session?.commands ?? []);
  }

  cancel(): void {
    const cancel = (): void => void this.#conversation.execute({ type: 'cancel', scope: 'turn' });
    // The turn that is about to start may belong to a prompt that waits for an option.
    if (this.#changes > 0 && this.#unsent > 0 && !isPrompted(this.#conversation.state)) void this.#changed.then(cancel);
    else cancel();
  }

  async stopSubagent(subagentId: string): Promise<string | undefined> {
    const result = await this.#conversation.execute({ type: 'stop_subagent', subagentId });
    return result.ok ? undefined : this.#conversation.describe(result.error).message;
  }

  resend(edited?: string): boolean {
    return this.#decide({ type: 'resend_interrupted', ...(edited !== undefined && { content: toContent(edited) }) });
  }

  skip(): boolean {
    return this.#decide({ type: 'release_held', why: 'turn_interrupted' });
  }

  retryNow(): void {
    const { live, status, blocker } = this.#conversation.state;
    if (status.state === 'reconnecting') void this.#conversation.execute({ type: 'retry_now' });
    // ACP: a new process reads what was saved by a sign-in elsewhere.
    else if (live && blocker !== undefined) void this.#conversation.execute({ type: 'restart' });
    else if (live) return;
    else if (this.#isJoined) void this.#conversation.execute({ type: 'retry' });
    else this.#choose('retry');
  }

  async signIn(wanted?: string): Promise<string | undefined> {
    const methods = this.#conversation.state.info?.authMethods ?? [];
    const method =
      wanted === undefined && methods.length === 1 ? methods[0] : methods.find(({ id, name }) => id === wanted || name === wanted);
    if (method?.type !== 'agent') return this.#conversation.signInAdvice;
    this.#isSigningIn = true;
    const result = await this.#conversation.execute({ type: 'sign_in', methodId: method.id });
    if (result.ok && this.#conversation.state.live) await this.#conversation.execute({ type: 'open' });
    else if (result.ok) this.#choose('retry');
    this.#isSigningIn = false;
    this.#wake?.();
    return result.ok ? undefined : this.#conversation.describe(result.error).message;
  }

  recover(choice: RecoveryChoice): boolean {
    if (this.#conversation.state.live) return false;
    if (this.#isJoined) void this.#conversation.continueInNewSession(choice).then((result) => this.#explain(result));
    else this.#choose(choice);
    return true;
  }

  end(): void {
    if (this.#life.type === 'open') {
      this.#life = { type: 'ended' };
      if (this.#frontEnd.isTerminal && this.#isPrompted(this.#conversation.state))
        this.#frontEnd.output.note('Exiting after this turn and what is queued… (press Ctrl+C to stop the turn)');
    }
    this.#wake?.();
  }

  interrupt(): void {
    if (this.#life.type === 'left') return this.#conversation.giveUp();
    const { state } = this.#conversation;
    if (this.#isSigningIn) return void this.#conversation.execute({ type: 'cancel_sign_in' });
    const prompted = this.#isPrompted(state);
    if (this.#interrupted !== undefined || (!prompted && !this.#frontEnd.isTerminal)) return this.leave(ExitCode.cancelled);
    this.#interrupted = prompted ? 'turn' : 'exit';
    if (prompted) this.cancel();
    else if (!this.#isJoined && lateWorkIn(state).some(canStopLate)) {
      this.#frontEnd.output.note('Stopping what still runs… (press Ctrl+C again or Ctrl+D to exit)');
      void this.#conversation.execute({ type: 'cancel', scope: 'everything' });
    } else this.#frontEnd.output.note('Press Ctrl+C again or Ctrl+D to exit');
  }

  leave(exitCode: number): void {
    if (this.#life.type !== 'left') this.#life = { type: 'left', exitCode };
    if (this.#isJoined) this.#left?.(exitCode);
    else void this.#conversation.kill().then(() => this.#left?.(exitCode));
  }

  /** Something that was entered has not taken effect yet. */
  get #isTakingInput(): boolean {
    return this.#changes > 0 || this.#unsent > 0 || this.#isSigningIn;
  }

  async #send(text: string, delivery: PromptDelivery | undefined): Promise<void> {
    this.#explain(await this.#conversation.send(toContent(text), delivery));
  }

  /** The options may restrict what the agent can do, so without them the prompt is not sent. */
  async #sendAfterChanges(text: string, delivery: PromptDelivery | undefined): Promise<void> {
    const failedBefore = this.#failedChanges;
    await this.#changed;
    if (this.#failedChanges === failedBefore) return this.#send(text, delivery);
    const detail = `This message was not sent, because an option before it couldn't be set: ${text}`;
    this.#frontEnd.output.error(this.#conversation.describe({ code: 'usage', params: { detail } }));
  }

  #explain(result: CommandResult): void {
    if (!result.ok) this.#frontEnd.output.error(this.#conversation.describe(result.error));
  }

  async #setOption(wish: OptionWish): Promise<string | undefined> {
    await this.#conversation.reached(({ live }) => live);
    const result = await this.#conversation.execute({ type: 'choose_option', wish });
    if (result.ok) return undefined;
    // It waits for the sign-in, and so does what follows.
    if (result.error.code === 'auth_required') this.#frontEnd.output.note(this.#conversation.signInAdvice);
    else this.#failedChanges++;
    return this.#conversation.explainOption(result.error).message;
  }

  /** @returns the exit code of the last turn, once nothing runs or waits */
  async #follow(): Promise<number> {
    this.#conversation.onClosed(() => this.leave(ExitCode.ended));
    for (;;) {
      const { state, outcome } = this.#conversation;
      const works = isRunning(state) || lateWorkIn(state).length > 0;
      const isOver = state.isRestored && !works && !this.#isTakingInput;
      if (isOver && state.blocker !== undefined) {
        this.#conversation.fail(this.#conversation.describe(state.blocker.error));
        return exitCodeOfStart(state.blocker.error.code);
      }
      if (isOver) {
        await this.#conversation.changesShown();
        return outcome === undefined ? ExitCode.ended : exitCodeOfTurn(outcome);
      }
      await this.#untilWoken();
    }
  }

  async #openAndTalk(): Promise<number> {
    const error = await this.#conversation.open();
    const isFinal = error !== undefined && troubleOf(this.#conversation.state)?.type !== 'refused';
    if (isFinal && this.#life.type !== 'left') this.#conversation.fail(this.#conversation.describe(error));
    const exitCode = isFinal ? exitCodeOfStart(error.code) : await this.#talk();
    await this.#conversation.changesShown();
    const unsent = this.#conversation.state.outbox.length;
    if (unsent > 0 && this.#life.type !== 'left')
      this.#frontEnd.output.note(unsent === 1 ? '1 queued message was not sent' : `${unsent} queued messages were not sent`);
    return exitCode;
  }

  /**
   * Continues turn after turn.
   * @returns the exit code of the last turn, or that of a lost agent if the user did not choose how to continue
   */
  async #talk(): Promise<number> {
    for (;;) {
      if (this.#life.type === 'left') return this.#life.exitCode;
      const step = nextStep(this.#conversation.state, this.#conversation.isHolding, this.#life.type === 'ended');
      switch (step.type) {
        case 'choose':
          if (!(await this.#resolve(step.trouble))) return ExitCode.agentLost;
          break;
        case 'release':
          await this.#conversation.release();
          break;
        case 'exit':
          if (!this.#isTakingInput) return this.#exitCode();
          await this.#untilWoken();
          break;
        case 'wait':
          this.#show(step.shown);
          await this.#untilWoken();
      }
    }
  }

  /** A canceled turn is not an error, because the conversation continued. */
  #exitCode(): number {
    const { outcome, state } = this.#conversation;
    if (state.blocker !== undefined) return exitCodeOfStart(state.blocker.error.code);
    if (outcome === undefined || (outcome.type === 'ended' && outcome.stopReason === 'cancelled')) return ExitCode.ended;
    return exitCodeOfTurn(outcome);
  }

  /** @returns false if no turn was interrupted, or if that was already decided: nothing is sent twice */
  #decide(command: ConversationCommand): boolean {
    const { interrupted } = this.#conversation.state;
    if (interrupted === undefined || interrupted === this.#decided) return false;
    this.#decided = interrupted;
    void this.#conversation.execute(command);
    return true;
  }

  #choose(choice: RecoveryChoice | 'retry'): void {
    this.#choice = choice;
    this.#wake?.();
  }

  /**
   * Reports the trouble and does what the user chooses.
   * @returns false if the user chooses nothing
   */
  async #resolve(trouble: Trouble): Promise<boolean> {
    const reason = this.#conversation.explain(trouble.error);
    if (this.#life.type !== 'left') this.#conversation.fail(reason);
    const offer = trouble.type === 'refused' ? { sessionId: trouble.sessionId, reason, context: trouble.context } : undefined;
    if (offer !== undefined) this.#frontEnd.output.recovery(offer);
    const choice = (offer && this.#recover) ?? (await this.#askHowToGoOn(offer));
    if (choice === undefined) return false;
    this.#show({ type: 'running' });
    if (choice === 'retry' || offer === undefined) await this.#conversation.execute({ type: 'retry' });
    else await this.#conversation.continueInNewSession(choice);
    return true;
  }

  async #askHowToGoOn(offer: RecoveryOffer | undefined): Promise<RecoveryChoice | 'retry' | undefined> {
    this.#show(offer ? { type: 'refused', offer } : { type: 'gone' });
    while (this.#life.type !== 'left') {
      const choice = this.#choice;
      this.#choice = undefined;
      // Without an agent, only a retry makes sense.
      if (choice === 'retry' || (choice !== undefined && offer !== undefined)) return choice;
      if (this.#life.type === 'ended') return this.#nobodyChose(offer);
      await this.#untilWoken();
    }
    return undefined;
  }

  #nobodyChose(offer: RecoveryOffer | undefined): undefined {
    const { isTerminal, output } = this.#frontEnd;
    // A user at a terminal chose to exit.
    if (isTerminal) return void output.note('The conversation is saved. Resume it with `acp-host chat --continue`');
    const message = offer
      ? 'The chat ended because nobody chose how to continue. To choose in advance, use --recover context or --recover fresh'
      : 'The chat ended because nobody restarted the agent';
    output.error({ code: 'cancelled', message, data: {} });
  }

  #show(state: ChatState): void {
    if (isDeepStrictEqual(state, this.#shown)) return;
    this.#shown = state;
    this.#frontEnd.show(state);
  }

  #isPrompted(state: ConversationState): boolean {
    return this.#isJoined ? isRunning(state) : isPrompted(state);
  }

  #onChange(state: ConversationState): void {
    const { sending } = state;
    if (sending !== undefined && sending.promptId !== this.#lastSent) {
      this.#lastSent = sending.promptId;
      this.#interrupted = undefined;
    }
    if (this.#interrupted === 'turn' && !this.#isPrompted(state)) this.#interrupted = undefined;
    this.#wake?.();
  }

  #untilWoken(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }
}

/** Determines what a chat does next, from the state of its conversation. */
type ChatStep =
  /** The user has to choose how to continue. */
  | { readonly type: 'choose'; readonly trouble: Trouble }
  /** The reason to hold prompts is gone. */
  | { readonly type: 'release' }
  | { readonly type: 'exit' }
  | { readonly type: 'wait'; readonly shown: ChatState };

/**
 * @param isHolding a prompt that was sent here is on hold
 * @param isLast no more input will come, so an interrupted prompt is skipped
 */
function nextStep(state: ConversationState, isHolding: boolean, isLast: boolean): ChatStep {
  const { interrupted, outbox, blocker, live, isRestored } = state;
  if (!isRestored) return { type: 'wait', shown: { type: 'running' } };
  const trouble = troubleOf(state);
  if (trouble !== undefined) return { type: 'choose', trouble };
  if (live && blocker !== undefined) return isLast ? { type: 'exit' } : { type: 'wait', shown: { type: 'blocked' } };
  if (interrupted !== undefined) {
    if (isLast) return { type: 'release' };
    return { type: 'wait', shown: { type: 'interrupted', prompt: textOf(interrupted.content), queued: outbox.length } };
  }
  if (isHolding) return { type: 'release' };
  if (!isSettled(state)) return { type: 'wait', shown: { type: 'running' } };
  return isLast ? { type: 'exit' } : { type: 'wait', shown: { type: 'idle' } };
}

/** Whether a prompt is being sent, or its turn is running. */
function isPrompted({ sending, outbox, opening, blocker }: ConversationState): boolean {
  if (sending !== undefined) return true;
  return opening === undefined && blocker === undefined && outbox.some(({ held }) => held === undefined);
}

function textOf(content: readonly ContentBlock[]): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}
