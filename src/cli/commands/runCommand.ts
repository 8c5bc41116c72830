/** `acp-host run`: one prompt, one turn. */
import { HostError, toHostError } from '../../core/index.js';
import type { RunRequest, RecoveryChoice } from '../arguments/request.js';
import { Conversation } from '../conversation/conversation.js';
import { findTarget } from '../conversation/target.js';
import { createFrontEnd, type FrontEnd } from '../frontEnds/frontEnd.js';
import { ExitCode, exitCodeOfSignal, exitCodeOfStart, exitCodeOfTurn } from '../output/exitCode.js';
import { onInterrupts } from '../system/interrupts.js';
import { type Io, readAll } from '../system/io.js';

/** @throws HostError `usage` and what else is wrong before there is an agent */
export async function runPrompt(request: RunRequest, io: Io): Promise<number> {
  const place = await findTarget(request, io);
  const prompt = request.prompt === '-' ? await readAll(io.stdin) : request.prompt;
  if (prompt.trim() === '') throw new HostError('usage', 'The prompt on stdin is empty');
  const frontEnd = createFrontEnd(request, place.agent.definition, place.cwd, io);
  const run = new Run(request, frontEnd, new Conversation(request, place, frontEnd, io));
  const interrupts = onInterrupts({ interrupt: () => run.interrupt(), end: (signal) => run.kill(signal) });
  // `acp-host run … | head`: nobody reads the rest, so the agent need not go on. Stays to the end: what is written on the way out fails too.
  io.stdout.on('error', () => run.cancel());
  const exitCode = await run.run(prompt);
  interrupts.dispose();
  return exitCode;
}

/** From the start of the agent to the exit code. */
class Run {
  readonly #resend: boolean;
  readonly #recover: RecoveryChoice | undefined;
  readonly #frontEnd: FrontEnd;
  readonly #conversation: Conversation;
  #prompted = false;
  /** Set by a signal, or by a reader of stdout that went away: whatever comes then, the run was cancelled. */
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

  /** The first one asks the agent to stop, the second one does not ask. */
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
        'The turn was cut, and nothing was sent again. Go on with --continue; with --resend a cut prompt is sent once more',
      );
      return ExitCode.agentLost;
    } catch (thrown) {
      // The agent went away, and did not come back.
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

  /** Nobody can be asked here: it was said before, or it is an error. @throws HostError */
  async #overcome(error: HostError): Promise<void> {
    const offer = await this.#conversation.offer({ type: 'refused', error });
    this.#frontEnd.output.recovery(offer);
    if (this.#recover === undefined) {
      const ways = offer.block === undefined ? '--recover fresh' : '--recover context (it is told what was said) or --recover fresh';
      throw new HostError(error.code, `${error.message}. To go on in a new session: ${ways}`, { cause: error, data: error.data });
    }
    await this.#conversation.recover(offer, this.#recover);
  }

  #fail(thrown: unknown): HostError {
    const error = toHostError(thrown);
    if (this.#interruptedWith === undefined) this.#conversation.fail(error);
    return error;
  }
}
