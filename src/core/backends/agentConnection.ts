import { environmentFor } from '../agents/agentDefinition.js';
import type { Clock } from '../base/clock.js';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import { HostError, redactError, toHostError } from '../base/errors.js';
import { Emitter } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import { wakeWatch } from '../base/wake.js';
import type { ExitInfo } from '../node/exitInfo.js';
import { type AgentProcess, spawnAgentProcess } from '../process/agentProcess.js';
import type { RetryReason } from '../session/agentHint.js';
import type { AgentWait } from '../session/model.js';
import type { MessageChannel } from '../transport/messageChannel.js';
import type { BackendEnd, CloseOptions, ConnectOptions } from './agentBackend.js';
import { otherProtocol } from './expectedProtocol.js';
import { exitParams, toHandshakeError } from './handshakeError.js';

/** How long to wait for the exit code after the pipe ended. */
const exitWaitMs = 1_000;
/** Longer lines are no log lines of one event: agents write whole requests to stderr. */
const hintChars = 500;

/** What a line of stderr says about why nothing happens. `delayMs` from now. */
export interface RetryHint {
  readonly reason: RetryReason;
  readonly delayMs: number;
}

export interface StallListener {
  /** A line of stderr that announces that the agent tries its provider again. */
  hint(stderrLine: string): RetryHint | undefined;
  /** stderr and the pipe belong to the process and not to a session: whoever waits is told. `null`: the wait is over. */
  wait(wait: AgentWait | null): void;
}

export interface WakeListener {
  /** While somebody waits for the agent nothing is asked: some agents answer nothing meanwhile. */
  isBusy(): boolean;
  /** Asks something that costs the agent nothing and that it must answer, within the deadline of a query. */
  ask(): Promise<unknown>;
  /** The agent did not answer: it runs, and hangs. */
  silent(): void;
}

/** `open`: messages come and go. `ending`: it was asked to end, or its stream did. `ended`: that was told. */
type Life = 'open' | 'ending' | 'ended';

/**
 * What every backend shares whose agent is a process: its start with the right environment, what crosses its pipes, how it ended, and what it
 * tells beside the protocol. The protocol reads `channel`, and calls `lost` when that has ended and all its calls are settled.
 */
export class AgentConnection {
  readonly #process: AgentProcess;
  readonly #options: ConnectOptions;
  readonly #onClosed = new Emitter<BackendEnd>();
  readonly #owned = new DisposableStore();
  #life: Life = 'open';

  private constructor(process: AgentProcess, options: ConnectOptions) {
    this.#process = process;
    this.#options = options;
    const { onTraffic, clock } = options;
    this.#owned.add(process.channel.onTraffic(onTraffic));
    const { onPartialStderr } = options;
    if (onPartialStderr !== undefined) process.onStderrPartial(onPartialStderr);
    // Not disposed of with the rest: the last words explain the end.
    process.onStderrLine((text) =>
      onTraffic({ at: clock.now(), direction: 'received', kind: 'stderr', text, bytes: Buffer.byteLength(text) }),
    );
  }

  /** @throws HostError `agent_not_found`, `spawn_failed`, `cancelled` */
  static async open(options: ConnectOptions): Promise<AgentConnection> {
    const { agent, cwd, baseEnv, log, signal } = options;
    if (signal.aborted) throw startCancelled();
    const process = await spawnAgentProcess({ command: agent.command, args: agent.args, cwd, env: environmentFor(agent, baseEnv), log });
    if (!signal.aborted) return new AgentConnection(process, options);
    await process.stop({ force: true });
    throw startCancelled();
  }

  readonly onClosed = this.#onClosed.event;

  get channel(): MessageChannel {
    return this.#process.channel;
  }

  get isEnded(): boolean {
    return this.#life === 'ended';
  }

  /** Awaits the handshake, or the frame that shows that another protocol is spoken. When it fails the process is ended, and the error says how it had ended by itself and what it printed instead. */
  async handshake<T>(shake: Promise<T>): Promise<T> {
    const { expected } = this.#options;
    try {
      return await (expected === undefined ? shake : Promise.race([shake, otherProtocol(this.channel, expected)]));
    } catch (thrown) {
      const exit = toHostError(thrown).code === 'agent_exited' ? await this.#exitSoon() : undefined;
      await this.close({ force: true });
      const { firstNoise } = this.channel;
      const { redactor } = this.#options;
      const error = redactError(toHostError(thrown), redactor);
      const failure = toHandshakeError(error, exit, firstNoise === undefined ? undefined : redactor.text(firstNoise));
      throw failure.code === 'handshake_timeout' && expected !== undefined ? failure.with({ protocol: expected.name }) : failure;
    }
  }

  watchStalls({ hint, wait }: StallListener): void {
    const { channel } = this.#process;
    const { clock }: { readonly clock: Clock } = this.#options;
    this.#owned.add(
      this.#process.onStderrLine((line) => {
        const retry = line.length > hintChars ? undefined : hint(line);
        if (retry !== undefined) wait({ kind: 'retry', reason: retry.reason, until: clock.now() + retry.delayMs });
      }),
    );
    this.#owned.add(channel.onStalled(({ pendingBytes }) => wait({ kind: 'not_reading', queuedBytes: pendingBytes })));
    this.#owned.add(channel.onRelieved(() => wait(null)));
  }

  /** A process that ended while the machine slept tells it itself; one that hangs has to be asked. */
  probeAfterSleep({ isBusy, ask, silent }: WakeListener): void {
    const { wake = wakeWatch, log }: { readonly wake?: ConnectOptions['wake']; readonly log: Logger } = this.#options;
    const probe: Disposable = wake.onWake(async (sleptMs) => {
      if (isBusy()) return;
      const failure = await ask().then(() => undefined, toHostError);
      if (failure?.code !== 'request_timeout') return;
      log.warn('The agent has not answered since the machine woke up', { sleptMs });
      silent();
    });
    this.#owned.add(probe);
  }

  /** The stream of messages ended by itself. */
  lost(error: HostError): void {
    // One that was asked to end may take its time, and tells its end then.
    if (this.#life !== 'open') return;
    this.#life = 'ending';
    void this.#exitSoon().then(async (known) => {
      this.#end(error.with(exitParams(known)), known);
      // Nothing can be had from an agent that closed its stdout and goes on.
      await this.#process.stop();
    });
  }

  async close(o: CloseOptions = {}): Promise<ExitInfo> {
    const wasOpen = this.#life === 'open';
    if (wasOpen) this.#life = 'ending';
    const exit = await this.#process.stop(o);
    if (wasOpen) this.#end(new HostError('agent_exited', { reason: 'stopped', ...exitParams(exit) }), exit);
    return exit;
  }

  /** First its own end, if that is what happened: ended by us it would count as wanted. */
  #exitSoon(): Promise<ExitInfo | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), exitWaitMs)));
    return Promise.race([this.#process.exited, tooLong]).finally(() => clearTimeout(timer));
  }

  #end(error: HostError, exit: ExitInfo | undefined): void {
    if (this.#life === 'ended') return;
    this.#life = 'ended';
    this.#owned.dispose();
    this.#onClosed.fire({ error, exit });
    this.#onClosed.dispose();
  }
}

function startCancelled(): HostError {
  return new HostError('cancelled', { reason: 'start' });
}
