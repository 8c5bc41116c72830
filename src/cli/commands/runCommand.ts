/** `acp-host run`: one prompt, one turn. */
import { HostError, toHostError } from '../../core/index.js';
import type { RunRequest, RecoveryChoice } from '../arguments/request.js';
import { Conversation } from '../conversation/conversation.js';
import { findTarget } from '../conversation/target.js';
import { createFrontEnd, type FrontEnd } from '../frontEnds/frontEnd.js';
import { ExitCode, exitCodeOfSignal, exitCodeOfStart, exitCodeOfTurn } from '../output/exitCode.js';
import { onInterrupts } from '../system/interrupts.js';
import { type Io, readAll } from '../system/io.js';

/** @throws HostError `usage`, and other errors before an agent exists */
export async function runPrompt(request: RunRequest, io: Io): Promise<number> {
  const target = await findTarget(request, io);
  const prompt = request.prompt === '-' ? await readAll(io.stdin) : request.prompt;
  if (prompt.trim() === '') throw new HostError('usage', 'The prompt on stdin is empty');
  const frontEnd = createFrontEnd(request, target.agent.definition, target.cwd, io);
  const run = new Run(request, frontEnd, new Conversation(request, target, frontEnd, io));
  const interrupts = onInterrupts({ interrupt: () => run.interrupt(), end: (signal) => run.kill(signal) });
  // `acp-host run … | head`: nobody reads the rest, so the agent can stop. The listener stays, because later writes fail too.
  io.stdout.on('error', () => run.cancel());
  const exitCode = await run.run(prompt);
  interrupts.dispose();
  return exitCode;
}

/** One run, from the start of the agent to the exit code. */
class Run {
  readonly #resend: boolean;
  readonly #recover: RecoveryChoice | undefined;
  readonly #frontEnd: FrontEnd;
  readonly #conversation: Conversation;
  #prompted = false;
  /** Set by a signal, or where the reader of stdout is gone: whatever follows, the run was canceled. */
  #interruptedWith: number | undefined;
  #killed: (() => void) | undefined;

  constructor({ resend, recover }: RunRequest, frontEnd: FrontEnd, conversation: Conversation) {
    this.#resend = resend;
    this.#recover = recover;
    this.#frontEnd = frontEnd;
    this.#conversation = conversation;
  }

  async run(prompt: string): Promise<number> {
    const killed = new Promise<void>((resolve) => (this.#killed = resolve));
    const finished = this.#startAndPrompt(prompt);
    const exitCode = await Promise.race([finished, killed.then(() => ExitCode.cancelled)]);
    await this.#conversation.host.stop({ force: this.#interruptedWith !== undefined && !this.#prompted });
    this.#conversation.dispose();
    await this.#frontEnd.output.end();
    return this.#interruptedWith ?? exitCode;
  }

  /** The first Ctrl+C asks the agent to stop, the second one kills it. */
  interrupt(): void {
    if (this.#interruptedWith === undefined) this.cancel();
    else this.kill('SIGINT');
  }

  cancel(): void {
    this.#interruptedWith ??= ExitCode.cancelled;
    if (this.#prompted && this.#conversation.session?.live === true) this.#conversation.cancel();
    else void this.#conversation.kill();
  }

  kill(signal: NodeJS.Signals): void {
    this.#interruptedWith = exitCodeOfSignal(signal);
    void this.#conversation.kill().then(() => this.#killed?.());
  }

  async #startAndPrompt(prompt: string): Promise<number> {
    const conversation = this.#conversation;
    try {
      const refused = await conversation.open();
      if (refused) await this.#overcome(refused.error);
    } catch (thrown) {
      return exitCodeOfStart(this.#fail(thrown).code);
    }
    if (this.#interruptedWith !== undefined) return ExitCode.cancelled;
    this.#prompted = true;
    try {
      const outcome = await conversation.prompt(prompt);
      if (outcome.type !== 'interrupted' || this.#interruptedWith !== undefined) return exitCodeOfTurn(outcome);
      await this.#untilBack();
      if (this.#resend) return exitCodeOfTurn(await conversation.prompt(prompt));
      this.#frontEnd.output.note(
        'The turn was interrupted, and its prompt was not resent. Resume the session with --continue, or use --resend to resend an interrupted prompt',
      );
      return ExitCode.agentLost;
    } catch (thrown) {
      // The agent exited and did not come back.
      this.#fail(thrown);
      return ExitCode.agentLost;
    }
  }

  async #untilBack(): Promise<void> {
    try {
      await this.#conversation.untilLive();
    } catch (thrown) {
      if (this.#conversation.blocker?.type !== 'refused') throw thrown;
      await this.#overcome(toHostError(thrown));
    }
  }

  /** Nobody can be asked here, so `--recover` decides. @throws HostError without it */
  async #overcome(error: HostError): Promise<void> {
    const offer = await this.#conversation.offer({ type: 'refused', error });
    this.#frontEnd.output.recovery(offer);
    if (this.#recover === undefined) {
      const choices = offer.block === undefined ? '--recover fresh' : '--recover context (with the history) or --recover fresh';
      throw new HostError(error.code, `${error.message}. To continue in a new session, use ${choices}`, { cause: error, data: error.data });
    }
    await this.#conversation.recover(offer, this.#recover);
  }

  #fail(thrown: unknown): HostError {
    const error = toHostError(thrown);
    if (this.#interruptedWith === undefined) this.#conversation.fail(error);
    return error;
  }
}
