/** Connects to the agent service: tasks for models, over a WebSocket with a key. The service remembers nothing between tasks. */
import { createHash, randomUUID } from 'node:crypto';
import { HostError } from '../../base/errors.js';
import type { ExitInfo } from '../../node/spawnProcess.js';
import type { ConnectionStats } from '../../traffic/trafficItem.js';
import type { AgentBackend, AgentInfo, BackendSession, BackendSessions, ConnectServer, ServerConnectOptions } from '../agentBackend.js';
import { plainInfo } from '../agentInput.js';
import { ServerLife, startBackend } from '../serverChannel.js';
import { ideServices } from './ideServices.js';
import { ServiceLine } from './serviceLine.js';
import { ServiceSession } from './serviceSession.js';

export const connectAgentService: ConnectServer = (options) => startBackend(new AgentServiceBackend(options), options);

class AgentServiceBackend implements AgentBackend {
  readonly info: AgentInfo;
  readonly #options: ServerConnectOptions;
  readonly #life = new ServerLife();
  readonly #line: ServiceLine;
  readonly #sessions = new Set<ServiceSession>();

  constructor(options: ServerConnectOptions) {
    this.#options = options;
    this.#line = new ServiceLine({
      options,
      onLost: (error) => this.#life.lost(error),
      onWait: (wait) => {
        for (const session of this.#sessions) session.emitWait(wait);
      },
      onQuestion: ideServices(options.services.codeNavigation, options.clock),
    });
    this.info = { ...plainInfo(options), promptContent: ['resource'] };
  }

  get onClosed(): AgentBackend['onClosed'] {
    return this.#life.onClosed;
  }

  get stats(): ConnectionStats {
    return this.#line.stats;
  }

  get firstNoise(): string | undefined {
    return this.#line.firstNoise;
  }

  readonly sessions: BackendSessions = {
    resumeMethods: ['resume'],
    open: async (request, sink): Promise<BackendSession> => {
      if (request.method === 'load') throw new HostError('unsupported', { reason: 'resume' });
      if (request.method === 'fork') throw new HostError('unsupported', { reason: 'fork' });
      const isResumed = request.method === 'resume';
      // Any session can be resumed, because there is nothing that the service could have forgotten.
      if (isResumed && !wasGivenOut(request.sessionId))
        throw new HostError('session_unknown', { reason: 'refused', sessionId: request.sessionId });
      if (this.#life.error !== undefined) throw this.#life.error;
      const session: ServiceSession = new ServiceSession(isResumed ? request.sessionId : makeSessionId(), {
        line: this.#line,
        cwd: request.cwd,
        sink,
        clock: this.#options.clock,
        knownOptions: isResumed ? request.knownOptions : [],
        isResumed,
        onClosed: () => this.#sessions.delete(session),
        endedBy: () => this.#life.error,
      });
      this.#sessions.add(session);
      sink.begin(session);
      session.tellCommands();
      return session;
    },
  };

  async start(): Promise<void> {
    await this.#line.connect();
  }

  async close(): Promise<ExitInfo> {
    const exit = this.#life.stopped();
    this.#line.close();
    return exit;
  }
}

/**
 * Creates session ids that only the host knows. The service cannot report an unknown session, and a caller that resumes one may have
 * nothing but its id, so the id itself shows that it was created here: it ends with a checksum.
 */
const prefix = 'stateless-';
const checkChars = 8;

export function makeSessionId(): string {
  const name = `${prefix}${randomUUID()}`;
  return `${name}-${checksum(name)}`;
}

/** This is no protection against deception, but nothing can be gained with a forged id. */
function wasGivenOut(id: string): boolean {
  const name = id.slice(0, -checkChars - 1);
  return name.startsWith(prefix) && id === `${name}-${checksum(name)}`;
}

function checksum(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, checkChars);
}
