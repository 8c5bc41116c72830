/** A backend with a real agent as seen from above the seam. Collects everything that it reports and requests, whatever its protocol. */
import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type {
  AgentBackend,
  BackendEnd,
  BackendSession,
  ConnectAgent,
  ConnectOptions,
  Delivery,
  OpenRequest,
  PromptResult,
  SessionSink,
} from '../../src/core/backends/agentBackend.js';
import { systemClock } from '../../src/core/base/clock.js';
import { HostError, type HostErrorCode } from '../../src/core/base/errors.js';
import { Emitter, type Event } from '../../src/core/base/event.js';
import { nullLogger } from '../../src/core/base/logger.js';
import { Redactor } from '../../src/core/base/redact.js';
import { createFileAccess } from '../../src/core/services/files.js';
import { UserRequestRegistry } from '../../src/core/services/userRequests.js';
import type { SessionEvent } from '../../src/core/session/event.js';
import { selectOption, type UserAnswer, type UserRequest } from '../../src/core/session/userRequest.js';
import type { TrafficEntry } from '../../src/core/traffic/trafficEntry.js';
import { within } from '../real/deadline.js';

/** Long enough that no call reaches them in a normal test. */
export const longDeadlines: ConnectOptions['deadlines'] = { initializeMs: 30_000, sessionMs: 30_000, queryMs: 30_000 };

export type Told =
  | { readonly type: 'begin'; readonly session: BackendSession }
  | { readonly type: 'history' | 'event'; readonly event: SessionEvent }
  /** `open` resolved. */
  | { readonly type: 'opened' };

export interface Seen<T> {
  readonly all: readonly T[];
  /** Resolves with the first one that fits, including past ones. */
  until(what: string, fits: (one: T) => boolean): Promise<T>;
}

/** A session and its events in order. */
export interface OpenSession {
  readonly session: BackendSession;
  readonly told: Seen<Told>;
  /** The text of the agent since the previous turn. */
  words(): string;
  prompt(words: string, delivery?: Delivery): Promise<PromptResult>;
}

/** A closed request to the user, and its answer. */
export interface Closed {
  readonly request: UserRequest;
  readonly answer: UserAnswer;
}

export interface Seam {
  readonly backend: AgentBackend;
  readonly cwd: string;
  readonly traffic: Seen<TrafficEntry>;
  readonly ends: Seen<BackendEnd>;
  readonly asked: Seen<UserRequest>;
  readonly closed: Seen<Closed>;
  answer(request: UserRequest, answer: UserAnswer): boolean;
  open(
    how?: { readonly method: 'load' | 'resume' | 'fork'; readonly sessionId: string; readonly messageId?: string },
    told?: Collected<Told>,
  ): Promise<OpenSession>;
}

export interface Collected<T> extends Seen<T> {
  add(one: T): void;
}

/** Connects. Everything is ended and removed after the test. @param o.onTraffic also called while it connects */
export async function connectSeam(
  t: TestContext,
  connect: ConnectAgent,
  o: Partial<ConnectOptions> & Pick<ConnectOptions, 'agent'>,
): Promise<Seam> {
  const cwd = await realpath(await mkdtemp(path.join(tmpdir(), 'acp-host-seam-')));
  t.after(() => rm(cwd, { recursive: true, force: true, maxRetries: 3 }));
  const asked = collect<UserRequest>();
  const closed = collect<Closed>();
  const traffic = collect<TrafficEntry>();
  const ends = collect<BackendEnd>();
  const registry = new UserRequestRegistry(
    { opened: (request) => asked.add(request), closed: (request, answer) => closed.add({ request, answer }) },
    systemClock,
  );
  const backend = await within(
    connect({
      cwd,
      baseEnv: process.env,
      clientInfo: { name: 'seam', title: 'Seam', version: '0.0.0' },
      terminalAuth: false,
      deadlines: longDeadlines,
      services: { requestUser: (request, signal) => registry.requestUser(request, signal), filesIn: createFileAccess },
      log: nullLogger,
      clock: systemClock,
      redactor: new Redactor(),
      onTraffic: (entry) => traffic.add(entry),
      signal: new AbortController().signal,
      ...o,
    }),
    'handshake',
  );
  t.after(() => backend.close({ force: true }));
  backend.onClosed((end) => ends.add(end));
  return {
    backend,
    cwd,
    traffic,
    ends,
    asked,
    closed,
    answer: (request, answer) => registry.answer(request.id, answer),
    async open(how, told = collect<Told>()) {
      const setup = { cwd, mcpServers: [] };
      const request: OpenRequest = how === undefined ? { method: 'new', ...setup } : { ...how, knownOptions: [], ...setup };
      const session = await within(backend.sessions.open(request, sinkInto(told)), 'session');
      told.add({ type: 'opened' });
      let from = told.all.length;
      let turns = 0;
      return {
        session,
        told,
        words: () => wordsIn(told.all.slice(from)),
        prompt(words, delivery = 'turn') {
          if (delivery === 'turn') from = told.all.length;
          return session.prompt(`t${++turns}`, [{ type: 'text', text: words }], delivery);
        },
      };
    },
  };
}

function sinkInto(told: Collected<Told>): SessionSink {
  return {
    begin: (session) => told.add({ type: 'begin', session }),
    history: (event) => told.add({ type: 'history', event }),
    event: (event) => told.add({ type: 'event', event }),
  };
}

export function collect<T>(): Collected<T> {
  const all: T[] = [];
  const added = new Emitter<T>();
  const onAdded: Event<T> = added.event;
  return {
    all,
    add(one) {
      all.push(one);
      added.fire(one);
    },
    until(what, fits) {
      const past = all.find(fits);
      if (past !== undefined) return Promise.resolve(past);
      const coming = new Promise<T>((resolve) => {
        const subscription = onAdded((one) => {
          if (!fits(one)) return;
          subscription.dispose();
          resolve(one);
        });
      });
      return within(coming, what, () => `There is: ${JSON.stringify(all.slice(-5))}`);
    },
  };
}

export function eventsIn(told: readonly Told[]): readonly SessionEvent[] {
  return told.flatMap((one) => ('event' in one ? [one.event] : []));
}

export function wordsIn(told: readonly Told[], role: 'agent' | 'user' = 'agent'): string {
  return eventsIn(told)
    .flatMap((event) => (event.type === 'message' && event.role === role && event.content.type === 'text' ? [event.content.text] : []))
    .join('');
}

/** @returns the error, which must have one of the codes */
export async function rejects(promise: Promise<unknown>, ...codes: readonly HostErrorCode[]): Promise<HostError> {
  const outcome = await within(
    promise.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    ),
    `rejection with ${codes.join(' or ')}`,
  );
  if (!('error' in outcome)) assert.fail(`resolved with ${JSON.stringify(outcome.value)}, expected ${codes.join(' or ')}`);
  const { error } = outcome;
  assert.ok(error instanceof HostError && codes.includes(error.code), `expected ${codes.join(' or ')}: ${String(error)}`);
  return error;
}

/** Returns an answer that accepts the request. */
export function yesTo(request: UserRequest): UserAnswer {
  const option = request.kind === 'permission' ? request.options.find(({ kind }) => kind === 'allow_once') : undefined;
  return option === undefined ? { type: 'accept', values: {} } : selectOption(option.optionId);
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
