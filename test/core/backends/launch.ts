/** A backend with a hostile agent behind it: a real process, everything it says collected in order. */
import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { HostErrorCode } from '../../../src/core/base/errors.js';
import { HostError } from '../../../src/core/base/errors.js';
import { systemClock } from '../../../src/core/base/clock.js';
import type { Logger } from '../../../src/core/base/logger.js';
import { type AcpBackendOptions, createAcpBackend } from '../../../src/core/backends/acp/acpBackend.js';
import type { AgentBackend, AgentInfo, BackendEvent } from '../../../src/core/backends/agentBackend.js';
import { createFileAccess } from '../../../src/core/services/files.js';
import { UserRequestRegistry } from '../../../src/core/services/userRequests.js';
import type { SessionEvent } from '../../../src/core/session/event.js';
import type { ContentBlock } from '../../../src/core/session/model.js';
import type { UserAnswer, UserRequest } from '../../../src/core/session/userRequest.js';
import type { TrafficEntry } from '../../../src/core/traffic/trafficEntry.js';
import { within } from '../../real/deadline.js';

export interface OpenRequest {
  readonly request: UserRequest;
  readonly signal: AbortSignal;
  /** @returns false for an answer that the request does not allow */
  answer(answer: UserAnswer): boolean;
}

export interface Launched {
  readonly backend: AgentBackend;
  readonly cwd: string;
  /** Every event so far; a `prompt` resolved by then is in it as `resolved`. */
  readonly events: BackendEvent[];
  readonly traffic: TrafficEntry[];
  readonly warnings: string[];
  start(signal?: AbortSignal): Promise<AgentInfo>;
  newSession(): Promise<string>;
  prompt(sessionId: string, text: string): ReturnType<AgentBackend['prompt']>;
  /** The session events of all sessions, in order. */
  sessionEvents(): readonly SessionEvent[];
  /** What the agent said, joined. */
  text(): string;
  nextRequest(): Promise<OpenRequest>;
  /** Resolves with the first event, past ones included, that fits. */
  until<T extends BackendEvent>(what: string, fits: (event: BackendEvent) => event is T): Promise<T>;
  untilSent(what: string, fits: (message: Readonly<Record<string, unknown>>) => boolean): Promise<void>;
}

export function agentScript(name: string): string {
  return fileURLToPath(new URL(`../../agents/${name}.mjs`, import.meta.url));
}

/** Starts nothing yet. The backend and its folder end with the test. */
export async function launch(
  t: TestContext,
  agent: string,
  args: readonly string[] = [],
  options: Partial<AcpBackendOptions> = {},
): Promise<Launched> {
  const cwd = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-backend-')));
  const requests = createRequestQueue();
  const warnings: string[] = [];
  const backend = createAcpBackend({
    definition: { label: agent, command: process.execPath, args: [agentScript(agent), ...args], env: {} },
    cwd,
    clientInfo: { name: 'test', title: 'Test', version: '0' },
    terminalAuth: true,
    baseEnv: process.env,
    clock: systemClock,
    deadlines: { initializeMs: 20_000, sessionMs: 20_000, queryMs: 20_000 },
    services: { requestUser: requests.requestUser, files: createFileAccess(cwd) },
    log: collecting(warnings),
    ...options,
  });
  t.after(async () => {
    await backend.close({ force: true });
    await rm(cwd, { recursive: true, force: true });
  });
  const { events, until } = collectEvents(backend);
  const { traffic, untilSent } = collectTraffic(backend);
  const sessionEvents = (): readonly SessionEvent[] => events.flatMap((event) => (event.type === 'event' ? [event.event] : []));
  let turns = 0;
  return {
    backend,
    cwd,
    events,
    traffic,
    warnings,
    until,
    untilSent,
    sessionEvents,
    nextRequest: requests.next,
    start: (signal = new AbortController().signal) => within(backend.start(signal), 'handshake'),
    newSession: async () =>
      (
        await within(
          backend.newSession({ cwd, mcpServers: [] }, (opened) => opened),
          'session',
        )
      ).sessionId,
    prompt: (sessionId, text) => within(backend.prompt(sessionId, `t${++turns}`, [{ type: 'text', text }]), `end of the turn "${text}"`),
    text: () =>
      sessionEvents()
        .map((event) => (event.type === 'message' && event.role === 'agent' ? textOf(event.content) : ''))
        .join(''),
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

export const isClosed = (event: BackendEvent): event is Extract<BackendEvent, { type: 'closed' }> => event.type === 'closed';

export function isEvent<K extends SessionEvent['type']>(
  type: K,
  fits: (event: Extract<SessionEvent, { type: K }>) => boolean = () => true,
) {
  return (event: BackendEvent): event is Extract<BackendEvent, { type: 'event' }> =>
    event.type === 'event' && event.event.type === type && fits(event.event as Extract<SessionEvent, { type: K }>);
}

function collectEvents(backend: AgentBackend): Pick<Launched, 'events' | 'until'> {
  const events: BackendEvent[] = [];
  const waiting = new Set<(event: BackendEvent) => void>();
  backend.onEvent((event) => {
    events.push(event);
    for (const look of waiting) look(event);
  });
  return {
    events,
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

function collectTraffic(backend: AgentBackend): Pick<Launched, 'traffic' | 'untilSent'> {
  const traffic: TrafficEntry[] = [];
  const waiting = new Set<() => void>();
  backend.onTraffic((entry) => {
    traffic.push(entry);
    for (const look of waiting) look();
  });
  const sent = (fits: (message: Readonly<Record<string, unknown>>) => boolean): boolean =>
    traffic.some((entry) => entry.direction === 'sent' && fits(entry.message as Readonly<Record<string, unknown>>));
  return {
    traffic,
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

/** The host's own registry, with the test in the place of its user. */
function createRequestQueue(): { requestUser: UserRequestRegistry['requestUser']; next: () => Promise<OpenRequest> } {
  const open: OpenRequest[] = [];
  const takers: ((request: OpenRequest) => void)[] = [];
  let asking = new AbortController().signal;
  const registry = new UserRequestRegistry(
    {
      opened(request) {
        const waiting: OpenRequest = { request, signal: asking, answer: (answer) => registry.answer(request.id, answer) };
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
      // It is opened within the call.
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
