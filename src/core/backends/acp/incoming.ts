/** What comes from the agent by itself: updates go to their sessions in wire order, requests are answered. */
import { askUserMethods } from '../../agents/knownAgents.js';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { ErrorCode, type IncomingRequest, type PeerHandlers, RpcError } from '../../rpc/peer.js';
import type { HostServices } from '../../services/hostServices.js';
import { answerPermission, answerQuestion, type AskParts } from './asks.js';
import { EarlyUpdates } from './earlyUpdates.js';
import { incoming } from './schema/methods.js';
import { parseSessionNotification } from './schema/updates.js';
import type { AcpSession } from './acpSession.js';

/** A long conversation replayed by `--resume` fits; a flood of invented sessions does not. */
const earlyUpdateLimit = 10_000;

/** Different problems told as warnings; the rest, and repetitions, are for those who trace. */
const problemLimit = 50;

export interface IncomingParts {
  readonly services: HostServices;
  readonly clock: Clock;
  readonly log: Logger;
}

type Answer = (parts: AskParts, params: unknown, signal: AbortSignal) => Promise<unknown>;

const answers: Readonly<Record<string, Answer>> = {
  [incoming.requestPermission]: answerPermission,
  ...Object.fromEntries(askUserMethods.map((method) => [method, answerQuestion])),
};

export class Incoming {
  readonly handlers: PeerHandlers;
  readonly #parts: IncomingParts;
  readonly #sessions = new Map<string, AcpSession>();
  readonly #early = new EarlyUpdates(earlyUpdateLimit);
  readonly #problems = new Set<string>();
  #leftOut = 0;
  /** Calls that may bring a session whose id is not known yet. */
  readonly #opening = new Set<Promise<unknown>>();

  constructor(parts: IncomingParts) {
    this.#parts = parts;
    this.handlers = {
      onRequest: (request) => this.#answer(request),
      onNotification: (method, params) => this.#receive(method, params),
    };
  }

  /** Messages, or parts of them, that meant nothing to the host. */
  get leftOut(): number {
    return this.#leftOut;
  }

  get sessions(): Iterable<AcpSession> {
    return this.#sessions.values();
  }

  session(sessionId: string): AcpSession | undefined {
    return this.#sessions.get(sessionId);
  }

  /** Delivers what came for it before it was known. */
  open(session: AcpSession): void {
    this.#sessions.set(session.id, session);
    for (const update of this.#early.take(session.id)) session.receive(update);
  }

  /** Undoes an `open`. */
  forget(sessionId: string, before: AcpSession | undefined): void {
    if (before === undefined) this.#sessions.delete(sessionId);
    else this.#sessions.set(sessionId, before);
  }

  /** Runs a call that opens a session; what comes for unknown sessions waits for its end. */
  async whileOpening<T>(open: () => Promise<T>): Promise<T> {
    const opened = open();
    const settled = opened.then(
      () => {},
      () => {},
    );
    this.#opening.add(settled);
    try {
      return await opened;
    } finally {
      this.#opening.delete(settled);
      if (this.#opening.size === 0) this.#dropUnclaimed();
    }
  }

  /** A kind of message that means nothing to the host is told once. */
  report(problem: string): void {
    const { log } = this.#parts;
    this.#leftOut++;
    if (this.#problems.has(problem) || this.#problems.size >= problemLimit) return log.trace(`Left out: ${problem}`);
    this.#problems.add(problem);
    log.warn(`Something of the agent was left out: ${problem}`);
  }

  #dropUnclaimed(): void {
    const unclaimed = this.#early.clear();
    if (unclaimed > 0) this.report(`${unclaimed} updates for sessions that were never opened`);
  }

  #receive(method: string, params: unknown): void {
    if (method !== incoming.update) return this.report(`notification ${method}`);
    const notification = parseSessionNotification(params);
    if (notification === undefined) return this.report('session/update without a session or an update');
    const { sessionId, update } = notification;
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) return session.receive(update);
    const kept = this.#opening.size > 0 && this.#early.keep(sessionId, update);
    if (!kept) this.report('an update for a session that is not open');
  }

  async #answer({ method, params, signal }: IncomingRequest): Promise<unknown> {
    const answer = Object.hasOwn(answers, method) ? answers[method] : undefined;
    if (answer === undefined) {
      this.report(`request ${method}`);
      throw new RpcError(ErrorCode.methodNotFound, 'Method not found', { method });
    }
    return answer({ ...this.#parts, sessionOf: (sessionId) => this.#whenOpen(sessionId) }, params, signal);
  }

  async #whenOpen(sessionId: string): Promise<AcpSession | undefined> {
    while (!this.#sessions.has(sessionId) && this.#opening.size > 0) await Promise.race(this.#opening);
    return this.#sessions.get(sessionId);
  }
}
