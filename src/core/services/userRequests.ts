import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { HostError } from '../base/errors.js';
import { Fifo } from '../base/fifo.js';
import { wakeWatch, type WakeWatch } from '../base/wake.js';
import type { FrontEndIdentity, RequestEvent } from '../session/event.js';
import {
  type CloseReason,
  dismissalOf,
  type FormField,
  type PermissionOption,
  type PermissionRequest,
  type UserAnswer,
  type UserRequest,
} from '../session/userRequest.js';
import type { NewRequest, RequestUser } from './hostServices.js';
import { isAcceptable, isFilledIn } from './isAcceptable.js';

export interface RequestEvents {
  opened(request: UserRequest): void;
  /** `answer`: what the agent receives. `by`: where the user gave it, if that is known. */
  closed(request: UserRequest, answer: UserAnswer, by?: FrontEndIdentity): void;
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

/** More requests of a session wait until an earlier one is closed. No user reads so many, and each may be searched for. */
const mostOpen = 256;

/** How long a request that changed is out of sight. An agent may change it many times in a row. */
const changeMs = 250;

interface Pending {
  request: UserRequest;
  readonly settle: (answer: UserAnswer) => void;
  /** Set while the request is out of sight, because it changed. */
  reopening?: NodeJS.Timeout;
}

/** A request that is not open yet. */
interface Waiting {
  readonly settle: (answer: UserAnswer) => void;
  readonly open: () => void;
}

const processName = randomUUID().slice(0, 8);
/**
 * Gives a request its ID. An answer that comes late must not reach another request, be it of the agent's next host or of another process
 * that shows the same session.
 */
const uniqueName = (count: number): string => `ask-${processName}-${count}`;
let requestCount = 0;

/**
 * Settles every open request of an agent exactly once: with an answer that it allows, or without a decision. Nothing here accepts anything
 * by itself: a request that ends without a decision is rejected while the turn continues (`dismissalOf`), and ends with `cancel` if the
 * turn or the agent ends. Events report open requests; read them from `SessionState.requests`.
 */
export class UserRequestRegistry implements Disposable {
  readonly #pending = new Map<string, Pending>();
  /** By session, oldest first. */
  readonly #waiting = new Map<string, Fifo<Waiting>>();
  readonly #refused = new Map<string, CloseReason>();
  readonly #events: RequestEvents;
  readonly #clock: Clock;
  readonly #deadlines: RequestDeadlines;
  readonly #wake: WakeWatch;
  #timer: NodeJS.Timeout | undefined;
  #onWake: Disposable | undefined;
  #disposed = false;

  constructor(
    events: RequestEvents,
    clock: Clock,
    deadlines: RequestDeadlines = {},
    { wake = wakeWatch }: { readonly wake?: WakeWatch } = {},
  ) {
    this.#events = events;
    this.#clock = clock;
    this.#deadlines = deadlines;
    this.#wake = wake;
  }

  /**
   * Never rejects. A request that cannot be answered (no options, a turn that is being canceled, a disposed host) ends with `cancel` at
   * once.
   */
  requestUser(offered: NewRequest, signal: AbortSignal): Promise<UserAnswer> {
    const { request: asked, refused } = withUsableOptions(withUsableFields(offered));
    if (refused.length > 0) this.#events.refused?.(asked, refused);
    const why = this.#whyNot(asked, signal);
    if (why !== undefined) {
      const answer: UserAnswer = { type: 'cancel', why };
      // Nobody else says that the agent asked.
      if (why === 'no_options') this.#report(this.#open(asked), answer);
      return Promise.resolve(answer);
    }
    return new Promise((resolve) => {
      let pending: Pending | undefined;
      let place: number | undefined;
      const settle = (answer: UserAnswer): void => {
        signal.removeEventListener('abort', onAbort);
        resolve(answer);
      };
      const waiting: Waiting = { settle, open: () => (pending = this.#add(asked, settle)) };
      const onAbort = (): void => {
        const answer: UserAnswer = { type: 'cancel', why: whyAborted(signal) };
        if (pending !== undefined) return this.#close(pending.request.id, answer);
        if (place !== undefined) this.#waiting.get(asked.sessionId)?.remove(place);
        settle(answer);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      if (this.#openIn(asked.sessionId).length < mostOpen) waiting.open();
      else place = this.#wait(asked.sessionId, waiting);
    });
  }

  /**
   * Changes open permissions of a session. A request that changed is withdrawn and comes back under another ID, so that no answer to what
   * the user saw before applies to what it is now.
   * @param change returns undefined for a request that stays
   */
  revise(sessionId: string, change: (request: PermissionRequest) => PermissionRequest | undefined): void {
    for (const pending of this.#openIn(sessionId)) {
      const { request } = pending;
      const changed = request.kind === 'permission' ? change(request) : undefined;
      if (changed === undefined) continue;
      if (pending.reopening !== undefined) {
        pending.request = changed;
        continue;
      }
      pending.request = { ...changed, id: uniqueName(++requestCount) };
      pending.reopening = setTimeout(() => this.#reopen(pending), changeMs).unref();
      this.#pending.delete(request.id);
      this.#pending.set(pending.request.id, pending);
      this.#events.closed(request, { type: 'cancel', why: 'withdrawn' });
    }
  }

  /** @returns false if nothing was decided: the request is gone, or doesn't allow the answer */
  answer(requestId: string, answer: UserAnswer, by?: FrontEndIdentity): boolean {
    const pending = this.#pending.get(requestId);
    if (pending === undefined || !isAcceptable(pending.request, answer)) return false;
    // With a reason, no user has decided.
    if (answer.type === 'cancel')
      this.#close(requestId, dismissalOf(pending.request, answer.why), answer.why === undefined ? by : undefined);
    else this.#close(requestId, answer, by);
    return true;
  }

  /** Settles the open requests of a session with `cancel`. `later` also refuses future ones until `allow`; `except` are IDs that stay. */
  cancelSession(sessionId: string, why: CloseReason, o: { readonly later?: boolean; readonly except?: ReadonlySet<string> } = {}): void {
    if (o.later === true) this.#refused.set(sessionId, why);
    this.#cancelWaiting(sessionId, why);
    for (const { request } of this.#openIn(sessionId))
      if (o.except?.has(request.id) !== true) this.#close(request.id, { type: 'cancel', why });
  }

  /** Lets a new turn send requests again. */
  allow(sessionId: string): void {
    this.#refused.delete(sessionId);
  }

  cancelAll(why: CloseReason): void {
    for (const sessionId of [...this.#waiting.keys()]) this.#cancelWaiting(sessionId, why);
    for (const id of [...this.#pending.keys()]) this.#close(id, { type: 'cancel', why });
  }

  dispose(): void {
    this.#disposed = true;
    this.cancelAll('session_closed');
  }

  #openIn(sessionId: string): readonly Pending[] {
    return [...this.#pending.values()].filter(({ request }) => request.sessionId === sessionId);
  }

  #add(asked: NewRequest, settle: Pending['settle']): Pending {
    const pending: Pending = { request: this.#open(asked), settle };
    this.#pending.set(pending.request.id, pending);
    this.#awaitDeadline();
    this.#events.opened(pending.request);
    return pending;
  }

  /** @returns its place in the queue of the session */
  #wait(sessionId: string, waiting: Waiting): number {
    const all = this.#waiting.get(sessionId) ?? new Fifo();
    this.#waiting.set(sessionId, all);
    return all.push(waiting);
  }

  #openNext(sessionId: string): void {
    const next = this.#waiting.get(sessionId)?.shift();
    if (next === undefined) this.#waiting.delete(sessionId);
    else next.open();
  }

  #cancelWaiting(sessionId: string, why: CloseReason): void {
    const all = this.#waiting.get(sessionId) ?? [];
    this.#waiting.delete(sessionId);
    for (const { settle } of all) settle({ type: 'cancel', why });
  }

  #reopen(pending: Pending): void {
    delete pending.reopening;
    pending.request = { ...pending.request, at: this.#clock.now() };
    this.#events.opened(pending.request);
  }

  #open({ timeoutMs = 0, ...asked }: NewRequest): UserRequest {
    const at = this.#clock.now();
    const hostMs = this.#deadlines[asked.kind === 'permission' ? 'permissionMs' : 'questionMs'] ?? 0;
    const limitMs = Math.min(...[hostMs, timeoutMs].filter((ms) => ms > 0));
    return { ...asked, id: uniqueName(++requestCount), at, ...(limitMs < Infinity ? { deadlineAt: at + limitMs } : {}) };
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
    if (request.kind === 'form' && request.fields.some(offersNothing)) return 'no_options';
    return this.#refused.get(request.sessionId);
  }

  #close(requestId: string, answer: UserAnswer, by?: FrontEndIdentity): void {
    const pending = this.#pending.get(requestId);
    if (pending === undefined) return;
    this.#pending.delete(requestId);
    if (pending.reopening !== undefined) {
      clearTimeout(pending.reopening);
      this.#events.opened(pending.request);
    }
    pending.settle(answer);
    this.#events.closed(pending.request, answer, by);
    this.#openNext(pending.request.sessionId);
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

/** Removes optional fields that nothing can be entered into, and default values that their fields do not allow. */
function withUsableFields(request: NewRequest): NewRequest {
  if (request.kind !== 'form') return request;
  return { ...request, fields: request.fields.filter((field) => field.required || !offersNothing(field)).map(withUsableDefault) };
}

function offersNothing(field: FormField): boolean {
  return (field.type === 'select' || field.type === 'multiselect') && field.choices.length === 0 && !field.allowCustom;
}

function withUsableDefault(field: FormField): FormField {
  if (isFilledIn(field, field.defaultValue)) return field;
  const { defaultValue: _, ...rest } = field;
  return rest;
}

/**
 * Removes options with an ID that is empty or ambiguous. The agent receives only the ID, so it could not tell what such a choice
 * means. The same option offered twice is one option.
 * @returns the request without these options, and the removed options
 */
function withUsableOptions(request: NewRequest): { readonly request: NewRequest; readonly refused: readonly PermissionOption[] } {
  if (request.kind !== 'permission') return { request, refused: [] };
  const byId = new Map<string, PermissionOption[]>();
  for (const option of request.options) {
    const same = byId.get(option.optionId);
    if (same === undefined) byId.set(option.optionId, [option]);
    else same.push(option);
  }
  const options = [...byId.values()].flatMap((same) => (meansOne(same) ? same.slice(0, 1) : []));
  if (options.length === request.options.length) return { request, refused: [] };
  const offered = new Set(options);
  return { request: { ...request, options }, refused: request.options.filter((option) => !offered.has(option)) };
}

function meansOne([first, ...others]: readonly PermissionOption[]): boolean {
  return first !== undefined && first.optionId !== '' && others.every(({ kind, name }) => kind === first.kind && name === first.name);
}

/** Who learns what the agent asks before it answers a call that belongs to no open session. */
export interface CallAsker {
  readonly onRequest: (event: RequestEvent) => void;
  /** Withdraws what is open, and cancels what follows. */
  readonly until?: AbortSignal;
}

/** What an agent asks before it answers a call that belongs to no open session: to open one, or to sign the user in. */
export class CallRequests {
  readonly #registry: () => UserRequestRegistry;
  /** By what stands for the session in the registry. */
  readonly #askers = new Map<string, CallAsker>();
  #calls = 0;

  constructor(registry: () => UserRequestRegistry) {
    this.#registry = registry;
  }

  /** Makes a call during which the asker shows what the agent asks; without one, nothing is shown. */
  async during<T>(asker: CallAsker | undefined, call: (requestUser: RequestUser | undefined) => Promise<T>): Promise<T> {
    if (asker === undefined) return call(undefined);
    const key = `call-${++this.#calls}`;
    const { until } = asker;
    this.#askers.set(key, asker);
    try {
      return await call((request, signal) =>
        this.#registry().requestUser({ ...request, sessionId: key }, until === undefined ? signal : AbortSignal.any([signal, until])),
      );
    } finally {
      this.#registry().cancelSession(key, 'withdrawn');
      this.#askers.delete(key);
    }
  }

  /** @returns false if the event is about a request in a session */
  emit(key: string, event: RequestEvent): boolean {
    const asker = this.#askers.get(key);
    asker?.onRequest(event.type === 'request_opened' ? { ...event, request: { ...event.request, sessionId: '' } } : event);
    return asker !== undefined;
  }
}
