import { randomUUID } from 'node:crypto';
import type { Disposable } from '../base/disposable.js';
import { HostError } from '../base/errors.js';
import type { Clock } from '../base/clock.js';
import { type WakeWatch, wakeWatch } from '../base/wake.js';
import { type CloseReason, dismissalOf, type PermissionOption, type UserAnswer, type UserRequest } from '../session/userRequest.js';
import type { NewRequest } from './hostServices.js';
import { isAcceptable } from './isAcceptable.js';
import { withUsableOptions } from './usableOptions.js';

export interface RequestEvents {
  opened(request: UserRequest): void;
  /** `answer`: what the agent receives. */
  closed(request: UserRequest, answer: UserAnswer): void;
  /** Reports options that are not offered, because their ID is missing or ambiguous. */
  refused?(request: NewRequest, options: readonly PermissionOption[]): void;
}

/** How long a request waits for the user; absent or 0: until it is answered. An agent may specify a shorter time. */
export interface RequestDeadlines {
  readonly permissionMs?: number;
  /** For every request except permissions. */
  readonly questionMs?: number;
}

/** The longest delay of a Node timer. A later deadline is checked again then. */
const maxTimerMs = 2 ** 31 - 1;

interface Pending {
  readonly request: UserRequest;
  readonly settle: (answer: UserAnswer) => void;
}

/**
 * Gives a request its ID. An answer that comes late must not reach another request, be it of the agent's next host or of another process
 * that shows the same session.
 * @param count 1-based, of this process
 */
export type NameRequest = (count: number) => string;

const processName = randomUUID().slice(0, 8);
const uniqueName: NameRequest = (count) => `ask-${processName}-${count}`;
let requestCount = 0;

/**
 * Settles every open request of an agent exactly once: with an answer that it allows, or without a decision. Nothing here accepts anything
 * by itself: a request that ends without a decision is rejected while the turn continues (`dismissalOf`), and ends with `cancel` if the
 * turn or the agent ends. Events report open requests; read them from `SessionState.requests`.
 */
export class UserRequestRegistry implements Disposable {
  readonly #pending = new Map<string, Pending>();
  readonly #refused = new Map<string, CloseReason>();
  readonly #events: RequestEvents;
  readonly #clock: Clock;
  readonly #deadlines: RequestDeadlines;
  readonly #wake: WakeWatch;
  readonly #nameRequest: NameRequest;
  #timer: NodeJS.Timeout | undefined;
  #onWake: Disposable | undefined;
  #disposed = false;

  constructor(
    events: RequestEvents,
    clock: Clock,
    deadlines: RequestDeadlines = {},
    { wake = wakeWatch, nameRequest = uniqueName }: { readonly wake?: WakeWatch; readonly nameRequest?: NameRequest | undefined } = {},
  ) {
    this.#events = events;
    this.#clock = clock;
    this.#deadlines = deadlines;
    this.#wake = wake;
    this.#nameRequest = nameRequest;
  }

  /**
   * Never rejects. A request that cannot be answered (no options, a turn that is being canceled, a disposed host) ends with `cancel` at
   * once.
   */
  requestUser(offered: NewRequest, signal: AbortSignal): Promise<UserAnswer> {
    const { request: asked, refused } = withUsableOptions(offered);
    if (refused.length > 0) this.#events.refused?.(asked, refused);
    const why = this.#whyNot(asked, signal);
    if (why !== undefined) {
      const answer: UserAnswer = { type: 'cancel', why };
      // Nobody else says that the agent asked.
      if (why === 'no_options') this.#report(this.#open(asked), answer);
      return Promise.resolve(answer);
    }
    const request = this.#open(asked);
    return new Promise((resolve) => {
      const onAbort = (): void => this.#close(request.id, { type: 'cancel', why: whyAborted(signal) });
      signal.addEventListener('abort', onAbort, { once: true });
      const settle = (answer: UserAnswer): void => {
        signal.removeEventListener('abort', onAbort);
        resolve(answer);
      };
      this.#pending.set(request.id, { request, settle });
      this.#awaitDeadline();
      this.#events.opened(request);
    });
  }

  /** @returns false if nothing was decided: the request is gone, or doesn't allow the answer */
  answer(requestId: string, answer: UserAnswer): boolean {
    const pending = this.#pending.get(requestId);
    if (pending === undefined || !isAcceptable(pending.request, answer)) return false;
    this.#close(requestId, answer.type === 'cancel' ? dismissalOf(pending.request, answer.why) : answer);
    return true;
  }

  /** Settles the open requests of a session with `cancel`. `later` also refuses future ones until `allow`; `except` are IDs that stay. */
  cancelSession(sessionId: string, why: CloseReason, o: { readonly later?: boolean; readonly except?: ReadonlySet<string> } = {}): void {
    if (o.later === true) this.#refused.set(sessionId, why);
    for (const { request } of [...this.#pending.values()])
      if (request.sessionId === sessionId && o.except?.has(request.id) !== true) this.#close(request.id, { type: 'cancel', why });
  }

  /** Lets a new turn send requests again. */
  allow(sessionId: string): void {
    this.#refused.delete(sessionId);
  }

  cancelAll(why: CloseReason): void {
    for (const id of [...this.#pending.keys()]) this.#close(id, { type: 'cancel', why });
  }

  dispose(): void {
    this.#disposed = true;
    this.cancelAll('session_closed');
  }

  #open({ timeoutMs = 0, ...asked }: NewRequest): UserRequest {
    const at = this.#clock.now();
    const hostMs = this.#deadlines[asked.kind === 'permission' ? 'permissionMs' : 'questionMs'] ?? 0;
    const limitMs = Math.min(...[hostMs, timeoutMs].filter((ms) => ms > 0));
    return { ...asked, id: this.#nameRequest(++requestCount), at, ...(limitMs < Infinity ? { deadlineAt: at + limitMs } : {}) };
  }

  /** Reports a request that is over as it begins. */
  #report(request: UserRequest, answer: UserAnswer): void {
    this.#events.opened(request);
    this.#events.closed(request, answer);
  }

  #whyNot(request: NewRequest, signal: AbortSignal): CloseReason | undefined {
    if (this.#disposed) return 'session_closed';
    if (signal.aborted) return whyAborted(signal);
    if (request.kind === 'permission' && request.options.length === 0) return 'no_options';
    return this.#refused.get(request.sessionId);
  }

  #close(requestId: string, answer: UserAnswer): void {
    const pending = this.#pending.get(requestId);
    if (pending === undefined) return;
    this.#pending.delete(requestId);
    pending.settle(answer);
    this.#events.closed(pending.request, answer);
    this.#awaitDeadline();
  }

  #awaitDeadline(): void {
    clearTimeout(this.#timer);
    const next = Math.min(...[...this.#pending.values()].map(({ request }) => request.deadlineAt ?? Infinity));
    if (next === Infinity) {
      this.#onWake?.dispose();
      this.#onWake = undefined;
      return;
    }
    this.#onWake ??= this.#wake.onWake(() => this.#closeOverdue());
    const delayMs = Math.min(Math.max(next - this.#clock.now(), 0), maxTimerMs);
    this.#timer = setTimeout(() => this.#closeOverdue(), delayMs).unref();
  }

  #closeOverdue(): void {
    const now = this.#clock.now();
    for (const { request } of [...this.#pending.values()]) {
      if (request.deadlineAt !== undefined && request.deadlineAt <= now) this.#close(request.id, dismissalOf(request, 'deadline'));
    }
    this.#awaitDeadline();
  }
}

/** If a connection ends, the abort reason is its error. An agent that withdraws its request gives no reason. */
function whyAborted(signal: AbortSignal): CloseReason {
  return signal.reason instanceof HostError ? 'agent_gone' : 'withdrawn';
}
