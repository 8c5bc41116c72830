import type { Disposable } from '../base/disposable.js';
import { HostError } from '../base/errors.js';
import type { Clock } from '../base/clock.js';
import { type WakeWatch, wakeWatch } from '../base/wake.js';
import type { Ask, AskAnswer, AskClosedWhy } from '../session/model.js';
import type { AskRequest } from './hostServices.js';

export interface AskEvents {
  opened(ask: Ask): void;
  /** `answer`: what the agent is told. */
  closed(ask: Ask, answer: AskAnswer): void;
}

/** How long a request waits for the user; absent or 0: until it is answered. */
export interface AskDeadlines {
  readonly permissionMs?: number;
  readonly questionMs?: number;
}

/** Node's timers take no longer wait. A deadline beyond is looked at again then. */
const maxTimerMs = 2 ** 31 - 1;

interface Pending {
  readonly ask: Ask;
  readonly settle: (answer: AskAnswer) => void;
}

/**
 * Every open request of an agent to its user, in one place. Each settles exactly once: by one of the options it offers, by an answer,
 * or as `cancelled`. There is no path here that approves anything by itself.
 */
export class UserRequestRegistry implements Disposable {
  readonly #pending = new Map<string, Pending>();
  readonly #refused = new Map<string, AskClosedWhy>();
  readonly #events: AskEvents;
  readonly #clock: Clock;
  readonly #deadlines: AskDeadlines;
  readonly #wake: WakeWatch;
  #timer: NodeJS.Timeout | undefined;
  #onWake: Disposable | undefined;
  #count = 0;
  #disposed = false;

  constructor(events: AskEvents, clock: Clock, deadlines: AskDeadlines = {}, wake: WakeWatch = wakeWatch) {
    this.#events = events;
    this.#clock = clock;
    this.#deadlines = deadlines;
    this.#wake = wake;
  }

  get open(): readonly Ask[] {
    return [...this.#pending.values()].map((pending) => pending.ask);
  }

  /** Never rejects. A request that nobody could answer (no options, a turn being cancelled, a disposed host) is `cancelled` at once. */
  ask(request: AskRequest, signal: AbortSignal): Promise<AskAnswer> {
    const why = this.#whyNot(request, signal);
    if (why !== undefined) return Promise.resolve({ type: 'cancelled', why });
    const at = this.#clock.now();
    const limitMs = this.#deadlines[request.kind === 'permission' ? 'permissionMs' : 'questionMs'] ?? 0;
    const ask: Ask = { ...request, id: `ask${++this.#count}`, at, ...(limitMs > 0 ? { deadlineAt: at + limitMs } : {}) };
    return new Promise((resolve) => {
      const onAbort = (): void => this.#close(ask.id, { type: 'cancelled', why: whyAborted(signal) });
      signal.addEventListener('abort', onAbort, { once: true });
      const settle = (answer: AskAnswer): void => {
        signal.removeEventListener('abort', onAbort);
        resolve(answer);
      };
      this.#pending.set(ask.id, { ask, settle });
      this.#awaitDeadline();
      this.#events.opened(ask);
    });
  }

  /** @returns false when nothing was decided: the request is gone, or the answer is none that it allows */
  answer(askId: string, answer: AskAnswer): boolean {
    const pending = this.#pending.get(askId);
    if (pending === undefined || !isAllowed(pending.ask, answer)) return false;
    this.#close(askId, answer);
    return true;
  }

  /** Settles the open requests of a session as `cancelled`; `later` refuses the coming ones too, until `allow`. */
  cancelSession(sessionId: string, why: AskClosedWhy, o: { readonly later?: boolean } = {}): void {
    if (o.later === true) this.#refused.set(sessionId, why);
    for (const { ask } of [...this.#pending.values()]) if (ask.sessionId === sessionId) this.#close(ask.id, { type: 'cancelled', why });
  }

  /** A new turn may ask again. */
  allow(sessionId: string): void {
    this.#refused.delete(sessionId);
  }

  cancelAll(why: AskClosedWhy): void {
    for (const id of [...this.#pending.keys()]) this.#close(id, { type: 'cancelled', why });
  }

  dispose(): void {
    this.#disposed = true;
    this.cancelAll('session_closed');
  }

  #whyNot(request: AskRequest, signal: AbortSignal): AskClosedWhy | undefined {
    if (this.#disposed) return 'session_closed';
    if (signal.aborted) return whyAborted(signal);
    if (request.kind === 'permission' && request.options.length === 0) return 'no_options';
    return this.#refused.get(request.sessionId);
  }

  #close(askId: string, answer: AskAnswer): void {
    const pending = this.#pending.get(askId);
    if (pending === undefined) return;
    this.#pending.delete(askId);
    pending.settle(answer);
    this.#events.closed(pending.ask, answer);
    this.#awaitDeadline();
  }

  #awaitDeadline(): void {
    clearTimeout(this.#timer);
    const next = Math.min(...[...this.#pending.values()].map(({ ask }) => ask.deadlineAt ?? Infinity));
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
    for (const { ask } of [...this.#pending.values()]) {
      if (ask.deadlineAt !== undefined && ask.deadlineAt <= now) this.#close(ask.id, { type: 'cancelled', why: 'deadline' });
    }
    this.#awaitDeadline();
  }
}

/** A connection that ended aborts with the error that ended it; an agent that takes its request back gives no reason. */
function whyAborted(signal: AbortSignal): AskClosedWhy {
  return signal.reason instanceof HostError ? 'agent_gone' : 'withdrawn';
}

function isAllowed(ask: Ask, answer: AskAnswer): boolean {
  if (answer.type === 'cancelled') return true;
  if (ask.kind === 'permission') return answer.type === 'selected' && ask.options.some((option) => option.optionId === answer.optionId);
  if (answer.type !== 'answered' || answer.text === '') return false;
  if (ask.allowCustom || ask.options.length === 0) return true;
  return ask.multiple ? isJoinOf(ask.options, answer.text) : ask.options.includes(answer.text);
}

/** Options may hold ", " themselves, so the text is taken apart by what is offered, longest first. */
function isJoinOf(options: readonly string[], text: string): boolean {
  const candidates = [...options].sort((a, b) => b.length - a.length);
  const matches = (rest: string): boolean =>
    candidates.some((option) => rest === option || (rest.startsWith(`${option}, `) && matches(rest.slice(option.length + 2))));
  return matches(text);
}
