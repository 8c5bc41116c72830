import type { AnnouncedRetry } from '../agents/acpQuirks.js';
import { environmentFor } from '../agents/agentDefinition.js';
import { DisposableStore } from '../base/disposable.js';
import { HostError, redactError, toHostError } from '../base/errors.js';
import { Emitter, type Event } from '../base/event.js';
import { wakeWatch } from '../base/wake.js';
import { within } from '../base/deadline.js';
import type { ExitInfo } from '../node/spawnProcess.js';
import { type AgentProcess, spawnAgentProcess } from '../process/agentProcess.js';
import type { PeerMisfit } from '../rpc/peer.js';
import type { SessionEvent } from '../session/event.js';
import type { AgentWait } from '../session/model.js';
import type { MessageChannel } from '../transport/messageChannel.js';
import type { BackendEnd, CloseOptions, ConnectOptions } from './agentBackend.js';
import { otherProtocol } from './expectedProtocol.js';
import { exitParams, insteadOf, toHandshakeError } from './handshakeError.js';

/** How long to wait for the exit code after the pipe ended. */
const exitWaitMs = 1_000;
/** The maximum length of a hint. Longer lines aren't log lines of one event: agents write whole requests to stderr. */
const hintChars = 500;

/** A session of the agent, as far as it hears of the process. */
interface WatchedSession {
  /** A call is pending. */
  readonly busy: boolean;
  /** `null`: the wait is over. */
  emitWait(wait: AgentWait | null): void;
  emit(event: SessionEvent): void;
}

export interface Watch {
  /** Those that are open now. stderr and the pipe belong to none of them, so all hear of it. */
  sessions(): Iterable<WatchedSession>;
  /** Parses a line of stderr that announces that the agent will retry its provider. */
  hint(stderrLine: string): AnnouncedRetry | undefined;
  /** Sends a harmless request that the agent must answer within the deadline of a query. */
  probe(): Promise<unknown>;
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

  /**
   * Watches what the process reports outside the protocol, and whether it still answers after the machine slept. A process that ended during
   * the sleep reports it by itself; one that hangs must be asked.
   */
  watch({ sessions, hint, probe }: Watch): void {
    const { channel } = this.#process;
    const { clock, log, wake = wakeWatch } = this.#options;
    const wait = (told: AgentWait | null): void => {
      for (const session of sessions()) session.emitWait(told);
    };
    this.#owned.add(
      this.#process.onStderrLine((line) => {
        const retry = line.length > hintChars ? undefined : hint(line);
        if (retry !== undefined) wait({ kind: 'retry', reason: retry.reason, until: clock.now() + retry.delayMs });
      }),
    );
    this.#owned.add(channel.onStalled(({ pendingBytes }) => wait({ kind: 'not_reading', queuedBytes: pendingBytes })));
    this.#owned.add(channel.onRelieved(() => wait(null)));
    const onWake = async (sleptMs: number): Promise<void> => {
      // Some agents answer nothing else while a call is pending.
      if ([...sessions()].some(({ busy }) => busy)) return;
      const failure = await probe().then(() => undefined, toHostError);
      if (failure?.code !== 'request_timeout') return;
      log.warn('The agent has not responded since the machine woke up', { sleptMs });
      for (const session of sessions())
        session.emit({ type: 'host_notice', at: clock.now(), severity: 'warning', code: 'agent_hangs_after_sleep', params: {} });
    };
    this.#owned.add(wake.onWake(onWake));
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
    return within(this.#process.exited, exitWaitMs);
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
