import { type ContentBlock, type HostErrorData, isSettled, lateWorkIn } from '../../core/index.js';
import { lateWorkText } from '../../text/workText.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import type { FrontEnd } from '../frontEnds/frontEnd.js';
import { ExitCode, exitCodeOfSignal, exitCodeOfStart, exitCodeOfTurn } from '../output/exitCode.js';
import type { CliError } from '../output/errorText.js';
import type { Conversation } from './conversation.js';
import { troubleOf } from './trouble.js';

export interface RunPrompt {
  readonly content: readonly ContentBlock[];
  /** A command that the agent must offer for the prompt. */
  readonly command?: string;
}

/** One run, from the start of the agent to the exit code. */
export class Run {
  readonly #request: RequestOf<'run'>;
  readonly #frontEnd: FrontEnd;
  readonly #conversation: Conversation;
  #prompted = false;
  /** What is left is to show what it changed. */
  #isTurnOver = false;
  /** The turn goes on without this program. */
  #isDetached = false;
  /** Set by a signal, or if the reader of stdout is gone: whatever follows, the run was canceled. */
  #interruptedWith: number | undefined;
  #isKilled = false;
  #killed: (() => void) | undefined;

  constructor(request: RequestOf<'run'>, frontEnd: FrontEnd, conversation: Conversation) {
    this.#request = request;
    this.#frontEnd = frontEnd;
    this.#conversation = conversation;
  }

  async run(prompt: RunPrompt): Promise<number> {
    const killed = new Promise<void>((resolve) => (this.#killed = resolve));
    const exitCode = await Promise.race([this.#startAndPrompt(prompt), killed.then(() => ExitCode.cancelled)]);
    if (this.#interruptedWith !== undefined && !this.#prompted) await this.#conversation.kill();
    await (this.#isDetached && this.#interruptedWith === undefined ? this.#conversation.leave() : this.#conversation.end());
    return this.#interruptedWith ?? exitCode;
  }

  /** The first Ctrl+C asks the agent to stop, the second one ends it by force, and after the third one, nobody waits for that. */
  interrupt(): void {
    if (this.#interruptedWith === undefined) this.cancel();
    else this.kill('SIGINT');
  }

  cancel(): void {
    this.#interruptedWith ??= ExitCode.cancelled;
    if (this.#isTurnOver) this.#killed?.();
    else if (this.#prompted && this.#conversation.state.live) void this.#conversation.execute({ type: 'cancel', scope: 'turn' });
    else void this.#conversation.kill();
  }

  kill(signal: NodeJS.Signals): void {
    if (this.#isKilled) return this.#conversation.giveUp();
    this.#isKilled = true;
    this.#interruptedWith = exitCodeOfSignal(signal);
    void this.#conversation.kill().then(() => this.#killed?.());
  }

  async #startAndPrompt({ content, command }: RunPrompt): Promise<number> {
    const conversation = this.#conversation;
    const notOpened = await conversation.open();
    const error = notOpened && (await this.#overcome(notOpened));
    if (error !== undefined) return exitCodeOfStart(this.#fail(error).code);
    if (this.#interruptedWith !== undefined) return ExitCode.cancelled;
    if (command !== undefined && conversation.state.session?.commands.some(({ name }) => name === command) !== true) {
      this.#fail({ code: 'usage', message: `${this.#frontEnd.agent.label} has no task "${command}"`, data: {} });
      return ExitCode.usage;
    }
    this.#prompted = true;
    const sent = await conversation.send(content);
    if (this.#request.detach && sent.ok) {
      this.#isDetached = true;
      this.#frontEnd.output.detached(conversation.state.id);
      return ExitCode.ended;
    }
    await this.#finish();
    const { outcome } = conversation;
    if (outcome !== undefined && (outcome.type !== 'interrupted' || this.#interruptedWith !== undefined)) return exitCodeOfTurn(outcome);
    return this.#afterInterruption();
  }

  async #finish(): Promise<void> {
    await this.#conversation.reached((state) => state.isRestored && isSettled(state));
    this.#isTurnOver = true;
    await this.#conversation.changesShown();
    this.#tellWhatEnds();
    this.#isTurnOver = false;
  }

  /** A run lasts as long as its turn: what the agent started beside it, such as a server, may never end. */
  #tellWhatEnds(): void {
    const late = lateWorkIn(this.#conversation.state);
    if (late.length > 0) this.#frontEnd.output.note(`${lateWorkText(late)}, and ends with this run. With --detach, it would go on`);
  }

  /** Waits until the session is back, after the agent's own delay. */
  async #afterInterruption(): Promise<number> {
    const conversation = this.#conversation;
    await conversation.reached((state) => state.live || troubleOf(state) !== undefined);
    const trouble = troubleOf(conversation.state);
    const error = trouble && (await this.#overcome(trouble.error));
    if (error !== undefined) {
      this.#fail(error);
      return ExitCode.agentLost;
    }
    if (this.#request.resend) {
      await conversation.execute({ type: 'resend_interrupted' });
      await this.#finish();
      return conversation.outcome === undefined ? ExitCode.agentLost : exitCodeOfTurn(conversation.outcome);
    }
    this.#frontEnd.output.note(
      'The turn was interrupted, and its prompt was not resent. Resume the session with --continue, or use --resend to resend an interrupted prompt',
    );
    return ExitCode.agentLost;
  }

  /**
   * There is no user to ask here, so `--recover` decides about a session that the agent can't resume.
   * @returns what still prevents the prompt, if anything
   */
  async #overcome(notOpened: HostErrorData): Promise<CliError | undefined> {
    const conversation = this.#conversation;
    const error = conversation.explain(notOpened);
    const trouble = troubleOf(conversation.state);
    if (trouble?.type !== 'refused') return error;
    const { sessionId, context } = trouble;
    this.#frontEnd.output.recovery({ sessionId, reason: error, context });
    const { recover } = this.#request;
    if (recover === undefined) {
      const choices = context === undefined ? '--recover fresh' : '--recover context (with the history) or --recover fresh';
      return { ...error, message: `${error.message}. To continue in a new session, use ${choices}` };
    }
    const result = await conversation.continueInNewSession(recover);
    return result.ok ? undefined : conversation.describe(result.error);
  }

  #fail(error: CliError): CliError {
    if (this.#interruptedWith === undefined) this.#conversation.fail(error);
    return error;
  }
}
