/** `acp-host run`: one prompt, one turn. */
import { HostError, type Session, toHostError } from '../core/index.js';
import type { RunRequest } from './arguments.js';
import { Conversation, findPlace } from './conversation.js';
import { ExitCode, exitCodeOfSignal, exitCodeOfStart, exitCodeOfTurn } from './exitCode.js';
import { createFrontEnd, type FrontEnd } from './frontEnd.js';
import { onInterrupts } from './interrupts.js';
import { type Io, readAll } from './io.js';
import { untilLive } from './recovery.js';

/** @throws HostError `usage` and what else is wrong before there is an agent */
export async function runPrompt(request: RunRequest, io: Io): Promise<number> {
  const place = await findPlace(request, io);
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
  readonly #frontEnd: FrontEnd;
  readonly #conversation: Conversation;
  /** The session whose turn runs. */
  #prompted: Session | undefined;
  /** Set by a signal, or by a reader of stdout that went away: whatever comes then, the run was cancelled. */
  #interruptedWith: number | undefined;
  #killed: (() => void) | undefined;

  constructor({ resend }: RunRequest, frontEnd: FrontEnd, conversation: Conversation) {
    this.#resend = resend;
    this.#frontEnd = frontEnd;
    this.#conversation = conversation;
  }

  async run(prompt: string): Promise<number> {
    const killed = new Promise<void>((resolve) => (this.#killed = resolve));
    const finished = this.#startAndPrompt(prompt);
    const exitCode = await Promise.race([finished, killed.then(() => ExitCode.cancelled)]);
    await this.#conversation.host.stop({ force: this.#interruptedWith !== undefined && this.#prompted === undefined });
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
    if (this.#prompted?.live === true) this.#prompted.cancel();
    else void this.#conversation.kill();
  }

  kill(signal: NodeJS.Signals): void {
    this.#interruptedWith = exitCodeOfSignal(signal);
    void this.#conversation.kill().then(() => this.#killed?.());
  }

  async #startAndPrompt(prompt: string): Promise<number> {
    let session: Session;
    try {
      session = await this.#conversation.open();
    } catch (thrown) {
      return exitCodeOfStart(this.#fail(thrown).code);
    }
    if (this.#interruptedWith !== undefined) return ExitCode.cancelled;
    this.#prompted = session;
    try {
      const outcome = await this.#conversation.prompt(session, prompt);
      if (outcome.type !== 'interrupted' || this.#interruptedWith !== undefined) return exitCodeOfTurn(outcome);
      await untilLive(session);
      if (this.#resend) return exitCodeOfTurn(await this.#conversation.prompt(session, prompt));
      this.#frontEnd.output.note('The turn was cut, and nothing was sent again. Go on with --continue; with --resend a cut prompt is sent once more');
      return ExitCode.agentLost;
    } catch (thrown) {
      // The agent went away, and did not come back.
      this.#fail(thrown);
      return ExitCode.agentLost;
    }
  }

  #fail(thrown: unknown): HostError {
    const error = toHostError(thrown);
    if (this.#interruptedWith === undefined) this.#conversation.fail(error);
    return error;
  }
}
