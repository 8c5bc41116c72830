/** Connects to Agent-CLI's remote mode: JSON over a WebSocket, one conversation per connection, without any authentication. */
import { HostError, redactError, toHostError } from '../../base/errors.js';
import { unlessAborted } from '../../base/deadline.js';
import type { ExitInfo } from '../../node/spawnProcess.js';
import { type AvailableCommand, hostCommand } from '../../session/model.js';
import { noStats } from '../../traffic/trafficItem.js';
import type { AgentBackend, AgentInfo, BackendSession, BackendSessions, ConnectServer, ServerConnectOptions } from '../agentBackend.js';
import { plainInfo, usableCommands } from '../agentInput.js';
import {
  openServerChannel,
  orOtherProtocol,
  ServerLife,
  type ServerStats,
  startBackend,
  untilAnswered,
  watchReading,
} from '../serverChannel.js';
import { AgentCliLine } from './agentCliLine.js';
import { AgentCliSession } from './agentCliSession.js';
import { ownCommands } from './promptInput.js';
import { type Frame, parseCommands } from './schema/messages.js';

export const connectAgentCli: ConnectServer = (options) => startBackend(new AgentCliBackend(options), options);

class AgentCliBackend implements AgentBackend {
  readonly info: AgentInfo;
  readonly stats: ServerStats = { ...noStats };
  firstNoise: string | undefined;
  readonly #options: ServerConnectOptions;
  readonly #life = new ServerLife();
  /** The sessions, by their connection. */
  readonly #sessions = new Map<AgentCliLine, AgentCliSession>();
  #commands: readonly AvailableCommand[] = [];
  /** The first connection, until a session takes it. */
  #spare: AgentCliLine | undefined;
  /** Before that, another attempt may follow the loss of a connection. */
  #hasStarted = false;

  constructor(options: ServerConnectOptions) {
    this.#options = options;
    this.info = { ...plainInfo(options), promptContent: ['image', 'resource'] };
  }

  get onClosed(): AgentBackend['onClosed'] {
    return this.#life.onClosed;
  }

  readonly sessions: BackendSessions = {
    // The server forgets a conversation when its connection ends.
    resumeMethods: [],
    open: async ({ method }, sink): Promise<BackendSession> => {
      if (method !== 'new') throw new HostError('unsupported', { reason: method === 'fork' ? 'fork' : 'resume' });
      const { services, clock, redactor } = this.#options;
      const line = await this.#takeLine();
      const parts = { line, sink, services, clock, redactor, commands: this.#commands, onClosed: () => this.#sessions.delete(line) };
      const session = new AgentCliSession(parts);
      this.#sessions.set(line, session);
      sink.begin(session);
      session.tellCommands();
      return session;
    },
  };

  /** Asks for the commands: every server with this protocol answers that, whatever its configuration. */
  async start(): Promise<void> {
    // Most servers take no key. A server that takes one may refuse a wrong key just by closing the connection.
    const hasKey = (await this.#options.readKey()) !== undefined;
    const frame = await (hasKey ? untilAnswered(this.#options, () => this.#greet()) : this.#greet());
    this.#hasStarted = true;
    this.#commands = [...commandsIn(frame), ...ownCommands.map(({ name }) => hostCommand(name))];
  }

  async #greet(): Promise<Frame> {
    const { deadlines, signal } = this.#options;
    const line = await this.#openLine();
    this.#spare = line;
    const asked = line.ask('GetCommands', 'GetCommands', deadlines.initializeMs);
    const answer = orOtherProtocol(asked, line.channel, this.#options);
    return unlessAborted(answer, signal, () => new HostError('cancelled', { reason: 'start' }));
  }

  async close(): Promise<ExitInfo> {
    const exit = this.#life.stopped();
    for (const line of [this.#spare, ...this.#sessions.keys()]) line?.close();
    this.#spare = undefined;
    return exit;
  }

  async #takeLine(): Promise<AgentCliLine> {
    if (this.#life.error !== undefined) throw this.#life.error;
    const line = this.#spare;
    this.#spare = undefined;
    return line ?? (await this.#openLine());
  }

  async #openLine(): Promise<AgentCliLine> {
    const { log, whenDrained } = this.#options;
    const channel = await openServerChannel(this.#options);
    const line: AgentCliLine = new AgentCliLine({
      channel,
      log,
      stats: this.stats,
      whenDrained,
      onNoise: () => {
        this.stats.noiseLines++;
        this.firstNoise ??= channel.firstNoise;
      },
      onLost: (error) => this.#lost(line, error),
    });
    watchReading(channel, (wait) => this.#sessions.get(line)?.emitWait(wait));
    // The backend may have been closed while the connection was being opened.
    if (this.#life.error !== undefined) {
      line.close();
      throw this.#life.error;
    }
    return line;
  }

  #lost(line: AgentCliLine, error: HostError): void {
    const session = this.#sessions.get(line);
    const others = [...this.#sessions.keys(), this.#spare].filter(
      (other) => other !== line && other !== undefined && other.error === undefined,
    );
    if (line === this.#spare) this.#spare = undefined;
    this.#sessions.delete(line);
    const isAlone = others.length === 0;
    session?.lose(error, isAlone);
    if (isAlone && this.#hasStarted) this.#life.lost(redactError(toHostError(error), this.#options.redactor));
  }
}

function commandsIn({ parts, error }: Frame): readonly AvailableCommand[] {
  const [first] = parts;
  const commands = error === undefined && first?.type === 'text' ? parseCommands(first.text) : undefined;
  return usableCommands(commands ?? []).filter(({ name }) => /^[\w-]+$/.test(name) && !ownCommands.some((own) => own.name === name));
}
