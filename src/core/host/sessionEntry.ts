import { isDeepStrictEqual } from 'node:util';
import { loadableFrom, longestLoadWaitMs } from '../agents/knownAgents.js';
import type { McpServer } from '../agents/mcpServers.js';
import type { AgentBackend, BackendSession, ResumeMethod, SessionSetup, SessionSink } from '../backends/agentBackend.js';
import { systemClock } from '../base/clock.js';
import { HostError, type HostErrorCode, toHostError } from '../base/errors.js';
import type { Redactor } from '../base/redact.js';
import { within } from '../base/deadline.js';
import { otherFolders } from '../services/files.js';
import type { HostNotice } from '../session/hostNotice.js';
import { isPrompt, type SessionState } from '../session/model.js';
import { originOf } from '../session/reducer.js';
import type { LeftOutServer } from '../session/sessionContext.js';
import { type AgentHostOptions, openRefusals, type SessionAgent } from './api.js';
import type { HostSession } from './hostSession.js';
import { checkRecall, ReplayRecord } from './recallCheck.js';
import type { KeySignIn } from './signIn.js';

/** A running agent, and when it ends. */
export interface RunningAgent extends KeySignIn {
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
}

export interface SessionEntryParts {
  readonly host: Pick<SessionAgent, 'agent' | 'info'>;
  readonly options: Pick<AgentHostOptions, 'agent' | 'cwd' | 'mcpServers' | 'leftOutServers' | 'otherFolders' | 'log'>;
  readonly redactor: Redactor;
  /** What a session waits for changed, so the agent's status may have changed. */
  readonly onActivity: () => void;
}

/**
 * After these errors, another method for the same session would fail too, or would mix in the replay of a load that may still be running.
 */
const finalCodes: ReadonlySet<HostErrorCode> = new Set([
  'session_unknown',
  'auth_required',
  'request_timeout',
  'agent_exited',
  'cancelled',
  'disposed',
]);

/** Why the user wanted servers to be left out. */
const isChosen: ReadonlySet<LeftOutServer['code']> = new Set(['declined', 'undecided', 'same_name']);

/** A fork that an agent without `close` has open. */
export interface HeldFork {
  readonly opened: BackendSession;
  /** The session gets its history, and what follows. */
  lead(session: HostSession): void;
}

interface Entrance {
  /** See HostSessions.resume. */
  readonly saved: SessionState | undefined;
  /** If the session is one; it is only loaded, for its history, or else used as it is. */
  readonly fork?: HeldFork | undefined;
  readonly requestUser?: SessionSink['requestUser'];
}

const openedByMethod = { load: 'loaded', resume: 'resumed' } as const;

/** Brings an earlier conversation into an agent's process, and checks what the agent remembers of it. */
export class SessionEntry {
  readonly #parts: SessionEntryParts;
  /** The number of sessions that wait until they can be loaded. */
  #waiting = 0;

  constructor(parts: SessionEntryParts) {
    this.#parts = parts;
  }

  /** What a session that is being opened waits for. */
  get awaiting(): 'session' | 'next_minute' {
    return this.#waiting > 0 ? 'next_minute' : 'session';
  }

  async setup(): Promise<SessionSetup> {
    const { cwd, agent, mcpServers = [], otherFolders: others = [] } = this.#parts.options;
    return {
      cwd,
      mcpServers: mcpServers.filter((server) => this.#reaches(server)),
      otherFolders: await otherFolders(cwd, others),
      systemPrompt: agent.systemPrompt,
    };
  }

  /** What a new session says of what the agent does not get, unless that is what the user chose. */
  get leftOut(): readonly HostNotice[] {
    const { options, host } = this.#parts;
    const names = this.#unreachable.map(({ name }) => name);
    const leftOut = (options.leftOutServers ?? []).filter(({ code }) => !isChosen.has(code));
    const isPromptLeftOut = options.agent.systemPrompt !== undefined && host.info?.takesSystemPrompt !== true;
    return [
      ...(names.length > 0 ? [{ code: 'mcp_servers_left_out', params: { names } } as const] : []),
      ...(isPromptLeftOut ? [{ code: 'system_prompt_left_out', params: {} } as const] : []),
      ...(leftOut.length > 0 ? [{ code: 'mcp_servers_invalid', params: { leftOut } } as const] : []),
    ];
  }

  /** The MCP servers that the agent has no transport for. */
  get #unreachable(): readonly McpServer[] {
    return (this.#parts.options.mcpServers ?? []).filter((server) => !this.#reaches(server));
  }

  /** Says what the session was opened with, unless it is and was nothing. */
  tellContext(
    session: HostSession,
    { mcpServers }: Pick<SessionSetup, 'mcpServers'>,
    { otherFolders: folders = [] }: BackendSession,
  ): void {
    const { options } = this.#parts;
    const leftOut = [
      ...this.#unreachable.map(({ name }) => ({ server: name, code: 'transport' }) as const),
      ...(options.leftOutServers ?? []),
    ];
    const context = { servers: mcpServers.map(({ name }) => name), leftOut, folders };
    const isEmpty = context.servers.length + leftOut.length + folders.length === 0;
    if (!isEmpty || session.state.context !== undefined) session.emit({ type: 'context', at: systemClock.now(), context });
  }

  #reaches(server: McpServer): boolean {
    return !('type' in server) || this.#parts.host.info?.mcpTransports.includes(server.type) !== false;
  }

  /**
   * Uses the best method that the agent offers.
   * @throws HostError as BackendSessions.open; `unsupported`
   */
  async enter({ sessions, ended }: RunningAgent, session: HostSession, { fork, ...entrance }: Entrance): Promise<BackendSession> {
    if (fork === undefined && sessions.resumeMethods.length === 0) throw new HostError('unsupported', { reason: 'resume' });
    await this.#untilLoadable(session.state.createdAt, ended);
    if (fork !== undefined) return this.#enterFork(sessions, session, fork, entrance);
    return this.#enterBy(sessions.resumeMethods, sessions, session, entrance);
  }

  async #enterFork(
    sessions: AgentBackend['sessions'],
    session: HostSession,
    fork: HeldFork,
    { requestUser }: Entrance,
  ): Promise<BackendSession> {
    const { options } = this.#parts;
    try {
      if (!sessions.resumeMethods.includes('load')) throw new HostError('unsupported', { reason: 'resume' });
      return await this.#enterBy(['load'], sessions, session, { saved: undefined, requestUser });
    } catch (error) {
      // Some agents save a fork with its first message, and can't load it before.
      if (!openRefusals.has(toHostError(error).code)) throw error;
      options.log?.warn('Could not load a fork; using it without its history', error);
      session.emit({ type: 'opened', at: systemClock.now(), cwd: options.cwd, by: 'resumed' });
      this.tellContext(session, await this.setup(), fork.opened);
      fork.lead(session);
      return fork.opened;
    }
  }

  /** Returns a function that reopens a session after the agent lost it while running: on the same connection, with the same transcript. */
  reopener(agent: RunningAgent, session: HostSession): () => Promise<void> {
    const { sessions, ended } = agent;
    return async () => {
      const [method] = sessions.resumeMethods;
      if (method === undefined) throw new HostError('unsupported', { reason: 'resume' });
      const { options, onActivity } = this.#parts;
      options.log?.warn('The agent lost an open session; reopening it', { sessionId: session.id });
      const before = withoutRunningTurn(session.state);
      await this.#untilLoadable(before.createdAt, ended);
      const replay = new ReplayRecord();
      const opened = await this.#open(sessions, method, session, { saved: before }, replay);
      session.connect(opened, agent, this.reopener(agent, session));
      session.emit({ type: 'options', at: systemClock.now(), options: opened.options });
      await session.restoreOptions(before.options, opened, agent);
      if (method === 'load') await this.#reportRecall(session, before, replay, opened);
      onActivity();
    };
  }

  async #enterBy(
    [method, ...others]: readonly ResumeMethod[],
    sessions: AgentBackend['sessions'],
    session: HostSession,
    entrance: Entrance,
  ): Promise<BackendSession> {
    const { options } = this.#parts;
    const { saved } = entrance;
    if (method === undefined) throw new HostError('internal', { reason: 'no_resume_method' });
    session.emit({ type: 'opened', at: systemClock.now(), cwd: options.cwd, by: openedByMethod[method], ...originOf(saved ?? {}) });
    const replay = saved === undefined ? undefined : new ReplayRecord();
    try {
      const opened = await this.#open(sessions, method, session, entrance, replay);
      if (method === 'load' && saved !== undefined && replay !== undefined) await this.#reportRecall(session, saved, replay, opened);
      // The replay becomes the transcript, before anything new.
      if (saved === undefined) await opened.replayed;
      return opened;
    } catch (error) {
      if (others.length === 0 || finalCodes.has(toHostError(error).code)) throw error;
      options.log?.warn('Could not load a session; resuming it without its history', error);
      return this.#enterBy(others, sessions, session, entrance);
    }
  }

  async #open(
    sessions: AgentBackend['sessions'],
    method: ResumeMethod,
    session: HostSession,
    { saved, requestUser }: Entrance,
    replay: ReplayRecord | undefined,
  ): Promise<BackendSession> {
    const setup = await this.setup();
    const sink = { ...session.sink(replay), requestUser };
    const opened = await sessions.open({ method, sessionId: session.id, knownOptions: saved?.options ?? [], ...setup }, sink);
    this.tellContext(session, setup, opened);
    return opened;
  }

  /** Some agents destroy a session that is loaded too early. @param ended ends the wait, because the next agent waits by itself */
  async #untilLoadable(createdAt: number, ended: Promise<void>): Promise<void> {
    const { host, onActivity } = this.#parts;
    const waitMs = loadableFrom(host.info?.name ?? host.agent.id, createdAt) - systemClock.now();
    // If the clock was set back, now is an earlier minute than that of the creation.
    if (waitMs <= 0 || waitMs > longestLoadWaitMs) return;
    this.#waiting++;
    onActivity();
    await within(ended, waitMs);
    this.#waiting--;
    onActivity();
  }

  /** Adds a notice about what the agent forgot; once, however often the session is resumed. */
  async #reportRecall(session: HostSession, saved: SessionState, replay: ReplayRecord, opened: BackendSession): Promise<void> {
    const { redactor } = this.#parts;
    const currentNotice = (): HostNotice | undefined => checkRecall(saved, replay, (text) => redactor.text(text));
    // What seems to be missing may still arrive.
    if (currentNotice() !== undefined) await opened.replayed;
    const notice = currentNotice();
    const lastPrompt = saved.items.findLastIndex(isPrompt);
    const isKnown = saved.items
      .slice(lastPrompt + 1)
      .some((item) => item.kind === 'notice' && 'code' in item && isDeepStrictEqual({ code: item.code, params: item.params }, notice));
    if (notice !== undefined && !isKnown) session.warn([notice]);
  }
}

/** Leaves out the running turn, which the agent may not have saved. */
function withoutRunningTurn(state: SessionState): SessionState {
  const { turn } = state;
  if (turn.type === 'idle') return state;
  return { ...state, items: state.items.filter((item) => !('turnId' in item) || item.turnId !== turn.turnId) };
}
