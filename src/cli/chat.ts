/** `acp-host chat`: one conversation, kept open. */
import { DisposableStore, HostError, type Session, toHostError } from '../core/index.js';
import type { ChatRequest } from './arguments.js';
import { type ChatCommands, type ChatFrontEnd, createChatFrontEnd } from './chatFrontEnd.js';
import { Conversation, findPlace } from './conversation.js';
import { ExitCode, exitCodeOfSignal, exitCodeOfStart, exitCodeOfTurn } from './exitCode.js';
import { onInterrupts } from './interrupts.js';
import { type Io, isInteractive } from './io.js';
import { onFinalLoss } from './recovery.js';

/** @throws HostError `usage` and what else is wrong before there is an agent */
export async function runChat(request: ChatRequest, io: Io): Promise<number> {
  if (request.format === 'text' && !isInteractive(io)) throw new HostError('usage', 'chat needs a terminal to type in. A program uses --format json');
  const place = await findPlace(request, io);
  const frontEnd = createChatFrontEnd(request, place, io);
  const chat = new Chat(frontEnd, new Conversation(request, place, frontEnd, io));
  const interrupts = onInterrupts({ interrupt: () => chat.interrupt(), end: (signal) => chat.leave(exitCodeOfSignal(signal)) });
  io.stdout.on('error', () => chat.leave(ExitCode.cancelled));
  frontEnd.listen(chat);
  const exitCode = await chat.run();
  interrupts.dispose();
  return exitCode;
}

/** What waits, what was cut, and the one turn that runs. */
class Chat implements ChatCommands {
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
  /** The session whose turn runs. */
  #prompted: Session | undefined;
  /** The last interrupt has not led to anything yet: another one leaves. */
  #interrupted = false;
  /** The agent is not going to come back. */
  #loss: HostError | undefined;
  #leftWith: number | undefined;
  #left: (() => void) | undefined;
  #wake: (() => void) | undefined;

  constructor(frontEnd: ChatFrontEnd, conversation: Conversation) {
    this.#frontEnd = frontEnd;
    this.#conversation = conversation;
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
    if (this.#prompted !== undefined && this.#prompted.state.turn.type !== 'idle') this.#prompted.cancel();
    // A prompt that is on its way has no turn yet. It is sent and stopped, so that its end is told like any other.
    else this.#cancelNext = this.#prompted !== undefined || (this.#queue.length > 0 && this.#cut === undefined);
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
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  interrupt(): void {
    if (this.#interrupted || (this.#prompted === undefined && !this.#frontEnd.isTerminal)) return this.leave(ExitCode.cancelled);
    this.#interrupted = true;
    if (this.#prompted === undefined) this.#frontEnd.output.note('Ctrl+C again leaves, as Ctrl+D does');
    else this.cancel();
  }

  leave(exitCode: number): void {
    this.#leftWith ??= exitCode;
    void this.#conversation.kill().then(() => this.#left?.());
  }

  async #openAndTalk(): Promise<number> {
    let session: Session;
    try {
      session = await this.#conversation.open();
    } catch (thrown) {
      return exitCodeOfStart(this.#fail(thrown).code);
    }
    this.#owned.add(onFinalLoss(session, (loss) => {
      this.#loss = loss;
      this.#wake?.();
    }));
    this.#owned.add(session.onEvent((event) => {
      if (event.type !== 'turn_started' || !this.#cancelNext) return;
      this.#cancelNext = false;
      // The prompt is sent after this event, and a cancel is of no use before it.
      setImmediate(() => session.cancel());
    }));
    try {
      return await this.#talk(session);
    } catch (thrown) {
      this.#fail(thrown);
      if (this.#queue.length > 0) this.#frontEnd.output.note(`Not sent: ${this.#queue.length} of what was queued`);
      return ExitCode.agentLost;
    }
  }

  /** Turn after turn. @returns how the last one ended @throws HostError when the agent does not come back */
  async #talk(session: Session): Promise<number> {
    let exitCode: number = ExitCode.ended;
    for (let text = await this.#next(); text !== undefined; text = await this.#next()) {
      this.#interrupted = false;
      this.#frontEnd.show({ type: 'running' });
      this.#prompted = session;
      const outcome = await this.#conversation.prompt(session, text);
      this.#prompted = undefined;
      if (outcome.type === 'interrupted') this.#cut = text;
      // Who cancels goes on talking.
      exitCode = outcome.type === 'ended' && outcome.stopReason === 'cancelled' ? ExitCode.ended : exitCodeOfTurn(outcome);
    }
    return exitCode;
  }

  /** What is to be sent; undefined when there is nothing more. @throws HostError when the agent does not come back */
  async #next(): Promise<string | undefined> {
    for (;;) {
      if (this.#leftWith !== undefined) return undefined;
      if (this.#loss) throw this.#loss;
      if (this.#ended) this.#cut = undefined;
      const text = this.#cut === undefined ? this.#queue.shift() : undefined;
      if (text !== undefined || this.#ended) return text;
      this.#frontEnd.show(this.#cut === undefined ? { type: 'idle' } : { type: 'cut', prompt: this.#cut, queued: this.#queue.length });
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #fail(thrown: unknown): HostError {
    const error = toHostError(thrown);
    if (this.#leftWith === undefined) this.#conversation.fail(error);
    return error;
  }
}
