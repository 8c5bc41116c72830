/** A backend with a hostile agent: a real process whose events are collected in order. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { HostErrorCode } from '../../../src/core/base/errors.js';
import { HostError } from '../../../src/core/base/errors.js';
import { systemClock } from '../../../src/core/base/clock.js';
import type { Logger } from '../../../src/core/base/logger.js';
import { Redactor } from '../../../src/core/base/redact.js';
import { identifyProcess, listMarked } from '../../../src/core/node/processTree.js';
import { connectAcp } from '../../../src/core/backends/acp/acpBackend.js';
import type {
  AgentBackend,
  AgentInfo,
  BackendEnd,
  BackendSession,
  ConnectOptions,
  OpenRequest,
  PromptResult,
  ResumeMethod,
} from '../../../src/core/backends/agentBackend.js';
import { createFileAccess } from '../../../src/core/services/files.js';
import { UserRequestRegistry } from '../../../src/core/services/userRequests.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import type { ContentBlock, SessionOption } from '../../../src/core/session/model.js';
import type { UserAnswer, UserRequest } from '../../../src/core/session/userRequest.js';
import type { TrafficEntry } from '../../../src/core/traffic/trafficEntry.js';
import { within } from '../../real/deadline.js';

export interface AskedUser {
  readonly request: UserRequest;
  readonly signal: AbortSignal;
  /** @returns false for an answer that the request does not allow */
  answer(answer: UserAnswer): boolean;
}

/** What an agent reports: through the sink of one of its sessions, or by its end. */
export type Told =
  | { readonly type: 'begin'; readonly sessionId: string; readonly session: BackendSession }
  | { readonly type: 'event'; readonly sessionId: string; readonly isHistory: boolean; readonly event: SessionEvent }
  | ({ readonly type: 'closed' } & BackendEnd);

export interface Launched {
  /** Only available once the agent has started. */
  readonly backend: AgentBackend;
  readonly cwd: string;
  /** All events so far, including those of each `prompt` that has resolved. */
  readonly events: readonly Told[];
  readonly traffic: readonly TrafficEntry[];
  readonly warnings: readonly string[];
  start(signal?: AbortSignal): Promise<AgentInfo>;
  newSession(): Promise<BackendSession>;
  fork(sessionId: string, messageId?: string): Promise<BackendSession>;
  resume(method: ResumeMethod, sessionId: string, knownOptions?: readonly SessionOption[]): Promise<BackendSession>;
  prompt(session: BackendSession, text: string): Promise<PromptResult>;
  /** The session events of all sessions, in order. */
  sessionEvents(): readonly SessionEvent[];
  /** The text of the agent, joined. */
  text(): string;
  stderr(): string;
  nextRequest(): Promise<AskedUser>;
  readonly requestUser: UserRequestRegistry['requestUser'];
  /** Resolves with the first event that fits, including past ones. */
  until<T extends Told>(what: string, fits: (event: Told) => event is T): Promise<T>;
  untilSent(what: string, fits: (message: Readonly<Record<string, unknown>>) => boolean): Promise<void>;
  /** The running processes of the agent and its descendants. */
  processes(): Promise<readonly unknown[]>;
}

export function agentScript(name: string): string {
  return fileURLToPath(new URL(`../../agents/${name}.mjs`, import.meta.url));
}

/** Prepares an agent without starting it. The agent is ended and its folder removed after the test. */
export async function launch(
  t: TestContext,
  agent: string,
  args: readonly string[] = [],
  options: Partial<ConnectOptions> = {},
): Promise<Launched> {
  const cwd = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-backend-')));
  const requests = createRequestQueue();
  const warnings: string[] = [];
  const mark = randomUUID();
  const begun = (await identifyProcess(process.pid))?.startedAt ?? '0';
  const { events, tell, until } = collectEvents();
  const { traffic, record, untilSent } = collectTraffic();
  const end = new AbortController();
  let starting: Promise<AgentBackend> | undefined;
  let backend: AgentBackend | undefined;
  const connect = async (signal: AbortSignal): Promise<AgentBackend> => {
    const connected = await connectAcp({
      agent: { label: agent, command: process.execPath, args: [agentScript(agent), ...args], env: {} },
      cwd,
      clientInfo: { name: 'test', title: 'Test', version: '0' },
      terminalAuth: true,
      clock: systemClock,
      deadlines: { initializeMs: 20_000, sessionMs: 20_000, queryMs: 20_000 },
      services: { requestUser: requests.requestUser, filesIn: createFileAccess },
      log: collecting(warnings),
      redactor: new Redactor(),
      onTraffic: record,
      signal: AbortSignal.any([signal, end.signal]),
      ...options,
      // Processes that the agent starts inherit it.
      baseEnv: { ...(options.baseEnv ?? process.env), ACP_HOST_AGENT_ID: mark },
    });
    connected.onClosed((how) => tell({ type: 'closed', ...how }));
    return connected;
  };
  t.after(async () => {
    end.abort();
    await starting?.then(
      (started) => started.close({ force: true }),
      () => {},
    );
    await rm(cwd, { recursive: true, force: true });
  });
  const connected = (): AgentBackend => backend ?? assert.fail('The agent was not started.');
  const open = (request: OpenRequest): Promise<BackendSession> => {
    let sessionId = 'method' in request && request.method !== 'new' ? request.sessionId : '';
    const opening = connected().sessions.open(request, {
      begin: (session) => {
        sessionId = session.id;
        tell({ type: 'begin', sessionId, session });
      },
      history: (event) => tell({ type: 'event', sessionId, isHistory: true, event }),
      event: (event) => tell({ type: 'event', sessionId, isHistory: false, event }),
      requestUser: requests.requestUser,
    });
    return within(opening, 'session');
  };
  const sessionEvents = (): readonly SessionEvent[] => events.flatMap((event) => (event.type === 'event' ? [event.event] : []));
  let turns = 0;
  return {
    get backend() {
      return connected();
    },
    cwd,
    events,
    traffic,
    warnings,
    until,
    untilSent,
    sessionEvents,
    nextRequest: requests.next,
    requestUser: requests.requestUser,
    start: async (signal = new AbortController().signal) => {
      starting = connect(signal);
      backend = await within(starting, 'handshake');
      return backend.info;
    },
    newSession: () => open({ method: 'new', cwd, mcpServers: [] }),
    fork: (sessionId, messageId) => open({ method: 'fork', sessionId, cwd, mcpServers: [], ...(messageId !== undefined && { messageId }) }),
    resume: (method, sessionId, knownOptions = []) => open({ method, sessionId, cwd, mcpServers: [], knownOptions }),
    prompt: (session, text) => within(session.prompt(`t${++turns}`, [{ type: 'text', text }], 'turn'), `end of the turn "${text}"`),
    text: () =>
      sessionEvents()
        .map((event) => (event.type === 'message' && event.role === 'agent' ? textOf(event.content) : ''))
        .join(''),
    stderr: () => traffic.flatMap((entry) => (entry.kind === 'stderr' ? [entry.text] : [])).join('\n'),
    processes: () => listMarked(mark, begun),
  };
}

export function textOf(block: ContentBlock): string {
  return block.type === 'text' ? block.text : `[${block.type}]`;
}

export async function rejects(promise: Promise<unknown>, code: HostErrorCode): Promise<HostError> {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof HostError, `not a HostError: ${String(error)}`);
    assert.equal(error.code, code, error.message);
    return error;
  }
  return assert.fail(`resolved, expected ${code}`);
}

export const isClosed = (event: Told): event is Extract<Told, { type: 'closed' }> => event.type === 'closed';

export function isEvent<K extends SessionEvent['type']>(
  type: K,
  fits: (event: Extract<SessionEvent, { type: K }>) => boolean = () => true,
) {
  return (told: Told): told is Extract<Told, { type: 'event' }> =>
    told.type === 'event' && told.event.type === type && fits(told.event as Extract<SessionEvent, { type: K }>);
}

function collectEvents(): Pick<Launched, 'events' | 'until'> & { readonly tell: (event: Told) => void } {
  const events: Told[] = [];
  const waiting = new Set<(event: Told) => void>();
  return {
    events,
    tell: (event) => {
      events.push(event);
      for (const look of waiting) look(event);
    },
    until: (what, fits) => {
      const past = events.find(fits);
      if (past !== undefined) return Promise.resolve(past);
      return within(
        new Promise((resolve) =>
          waiting.add((event) => {
            if (fits(event)) resolve(event);
          }),
        ),
        what,
        () => JSON.stringify(events.slice(-5)),
      );
    },
  };
}

function collectTraffic(): Pick<Launched, 'traffic' | 'untilSent'> & { readonly record: (entry: TrafficEntry) => void } {
  const traffic: TrafficEntry[] = [];
  const waiting = new Set<() => void>();
  const sent = (fits: (message: Readonly<Record<string, unknown>>) => boolean): boolean =>
    traffic.some((entry) => entry.direction === 'sent' && fits(entry.message as Readonly<Record<string, unknown>>));
  return {
    traffic,
    record: (entry) => {
      traffic.push(entry);
      for (const look of waiting) look();
    },
    untilSent: (what, fits) =>
      sent(fits)
        ? Promise.resolve()
        : within(
            new Promise((resolve) =>
              waiting.add(() => {
                if (sent(fits)) resolve();
              }),
            ),
            what,
          ),
  };
}

/** The registry of the host, whose user is the test. */
function createRequestQueue(): { requestUser: UserRequestRegistry['requestUser']; next: () => Promise<AskedUser> } {
  const open: AskedUser[] = [];
  const takers: ((request: AskedUser) => void)[] = [];
  let asking = new AbortController().signal;
  const registry = new UserRequestRegistry(
    {
      opened(request) {
        const waiting: AskedUser = { request, signal: asking, answer: (answer) => registry.answer(request.id, answer) };
        const taker = takers.shift();
        if (taker === undefined) open.push(waiting);
        else taker(waiting);
      },
      closed: () => {},
    },
    systemClock,
  );
  return {
    requestUser: (request, signal) => {
      // The registry opens the request within the call.
      asking = signal;
      return registry.requestUser(request, signal);
    },
    next: () => {
      const request = open.shift();
      return request === undefined
        ? within(new Promise((resolve) => takers.push(resolve)), 'request of the agent')
        : Promise.resolve(request);
    },
  };
}

function collecting(warnings: string[]): Logger {
  const nothing = (): void => {};
  return {
    trace: nothing,
    debug: nothing,
    info: nothing,
    warn: (message) => void warnings.push(message),
    error: (message) => void warnings.push(message),
  };
}
