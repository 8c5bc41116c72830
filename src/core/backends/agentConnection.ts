import type { AnnouncedRetry } from '../agents/acpQuirks.js';
import { environmentFor } from '../agents/agentDefinition.js';
import type { Clock } from '../base/clock.js';
import { type Disposable, DisposableStore } from '../base/disposable.js';
import { HostError, redactError, toHostError } from '../base/errors.js';
import { Emitter, type Event } from '../base/event.js';
import type { Logger } from '../base/logger.js';
import { wakeWatch } from '../base/wake.js';
import type { ExitInfo } from '../node/exitInfo.js';
import { type AgentProcess, spawnAgentProcess } from '../process/agentProcess.js';
import type { PeerMisfit } from '../rpc/peer.js';
import type { AgentWait } from '../session/model.js';
import type { MessageChannel } from '../transport/messageChannel.js';
import type { BackendEnd, CloseOptions, ConnectOptions } from './agentBackend.js';
import { otherProtocol } from './expectedProtocol.js';
import { exitParams, insteadOf, toHandshakeError } from './handshakeError.js';

/** How long to wait for the exit code after the pipe ended. */
const exitWaitMs = 1_000;
/** The maximum length of a hint. Longer lines aren't log lines of one event: agents write whole requests to stderr. */
const hintChars = 500;

export interface StallListener {
  /** Parses a line of stderr that announces that the agent will retry its provider. */
  hint(stderrLine: string): AnnouncedRetry | undefined;
  /**
   * Reports a wait. stderr and the pipe belong to the process and not to a session, so every waiting session hears of it. `null`: the wait
   * is over.
   */
  wait(wait: AgentWait | null): void;
}

export interface WakeListener {
  /** Whether a call is pending. The probe is skipped then, because some agents answer nothing else meanwhile. */
  isBusy(): boolean;
  /** Sends a harmless request that the agent must answer within the deadline of a query. */
  ask(): Promise<unknown>;
  /** The agent did not answer: it is running, but hangs. */
  silent(): void;
}

/** `open`: messages flow. `ending`: the agent was asked to end, or its stream ended. `ended`: the end was reported. */
type Life = 'open' | 'ending' | 'ended';

/**
 * What every backend shares whose agent is a process: starts it with the right environment, carries its pipes, and reports how it ended and
 * what it says outside the protocol. The protocol reads `channel`, and calls `lost` when the channel has ended and all its calls are
 * settled.
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
    // Not disposed with the rest, because the last lines explain the end.
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

  /** Fires whenever the agent writes to stderr: a launcher that downloads the agent shows its progress there, often without line breaks. */
  readonly onStderr: Event<string> = (listener) => {
    const both = new DisposableStore();
    both.add(this.#process.onStderrLine(listener));
    both.add(this.#process.onStderrPartial(listener));
    return both;
  };

  get channel(): MessageChannel {
    return this.#process.channel;
  }

  get isEnded(): boolean {
    return this.#life === 'ended';
  }

  /**
   * Awaits the handshake, or a frame of another protocol. If it fails, ends the process, and throws an error that says how the process
   * exited by itself and what it printed instead.
   * @param misfit returns the first message that the protocol could not use
   */
  async handshake<T>(shake: Promise<T>, misfit = (): PeerMisfit | undefined => undefined): Promise<T> {
    const { expected } = this.#options;
    try {
      return await (expected === undefined ? shake : Promise.race([shake, otherProtocol(this.channel, expected)]));
    } catch (thrown) {
      const exit = toHostError(thrown).code === 'agent_exited' ? await this.#exitSoon() : undefined;
      const { firstNoise, unfinished } = this.channel;
      await this.close({ force: true });
      const { redactor } = this.#options;
      const error = redactError(toHostError(thrown), redactor);
      const failure = toHandshakeError(error, exit, insteadOf({ firstNoise, unfinished, misfit: misfit() }, redactor));
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

  /**
   * Checks the agent after the machine wakes up. A process that ended during the sleep reports it by itself; one that hangs must be asked.
   */
  probeAfterSleep({ isBusy, ask, silent }: WakeListener): void {
    const { wake = wakeWatch, log }: { readonly wake?: ConnectOptions['wake']; readonly log: Logger } = this.#options;
    const probe: Disposable = wake.onWake(async (sleptMs) => {
      if (isBusy()) return;
      const failure = await ask().then(() => undefined, toHostError);
      if (failure?.code !== 'request_timeout') return;
      log.warn('The agent has not responded since the machine woke up', { sleptMs });
      silent();
    });
    this.#owned.add(probe);
  }

  /** The message stream ended by itself. */
  lost(error: HostError): void {
    // An agent that was asked to end may take its time, and reports its end then.
    if (this.#life !== 'open') return;
    this.#life = 'ending';
    void this.#exitSoon().then(async (known) => {
      this.#end(error.with(exitParams(known)), known);
      // An agent that closed its stdout but keeps running is of no use.
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

  /** Waits for the agent's own exit first, if that is what happened: if the host ended the process, the exit would count as requested. */
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
