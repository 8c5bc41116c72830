import { type HostError, type HostErrorCode, type HostErrorData, toHostError } from '../base/errors.js';
import type { Session } from '../host/api.js';
import type { ConversationContext } from './context.js';
import { offeredContext } from './earlierContext.js';
import type { ConversationPorts } from './ports.js';
import type { SessionOpener } from './sessionOpener.js';
import type { Blocker } from './state.js';
import type { Thread } from './thread.js';

export interface GateParts {
  readonly ports: Pick<ConversationPorts, 'log'>;
  readonly thread: Thread;
  readonly opener: SessionOpener;
  /** The session is live. */
  readonly onOpen: () => void;
  /** There is no live session. @param wasStopped the user stopped it, and nothing else is being opened */
  readonly onFailed: (wasStopped: boolean) => void;
  readonly onChange: () => void;
}

/** Knows whether there is a live session, and what prevents one. */
export class Gate {
  readonly #parts: GateParts;
  #blocker: Blocker | undefined;
  /** How the agent refused a session that it did not resume by itself. */
  #refusal: { readonly error: HostError; readonly blocker: Blocker } | undefined;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  get liveSession(): Session | undefined {
    const { session } = this.#parts.thread;
    return session?.live === true ? session : undefined;
  }

  /** Keeps its identity as long as nothing changed. */
  get blocker(): Blocker | undefined {
    return this.#blocker ?? this.#refused();
  }

  block(blocker: Blocker): void {
    this.#blocker = blocker;
  }

  /** Clears the blocker for another attempt. @param only this one */
  clear(only: Blocker | undefined = this.#blocker): void {
    if (this.#blocker === only) this.#blocker = undefined;
  }

  /** Opens the session, unless it is live. @returns what prevents it */
  async open(): Promise<HostErrorData | undefined> {
    const { opener, onOpen, onChange } = this.#parts;
    this.clear();
    try {
      if (this.liveSession === undefined) {
        const opening = opener.open();
        onChange();
        await opening;
      }
      // Does not start an agent in a loop that is lost at once each time.
      if (this.liveSession !== undefined) onOpen();
      return undefined;
    } catch (thrown) {
      const error = toHostError(thrown);
      this.#onFailed(error);
      return error.toData();
    } finally {
      onChange();
    }
  }

  #onFailed(error: HostError): void {
    const { ports, opener, onFailed } = this.#parts;
    // A later attempt has succeeded, after this one was stopped.
    if (error.code === 'cancelled' && this.liveSession !== undefined) return;
    onFailed(error.code === 'cancelled' && opener.since === undefined);
    if (error.code === 'cancelled') return;
    ports.log.warn('Could not continue the conversation', error);
    this.#blocker = toBlocker(error, this.#resuming);
  }

  get #resuming(): Parameters<typeof toBlocker>[1] {
    const { toResume, earlierSessions, state } = this.#parts.thread;
    return toResume && { ...toResume, offer: () => offeredContext(state === undefined ? earlierSessions : [...earlierSessions, state]) };
  }

  /** The agent came back by itself but does not resume the session, so the user must decide. */
  #refused(): Blocker | undefined {
    const { opener, thread } = this.#parts;
    const error = opener.since === undefined ? thread.session?.refusal : undefined;
    const resuming = error && this.#resuming;
    if (error === undefined || resuming === undefined) return undefined;
    if (this.#refusal?.error !== error) this.#refusal = { error, blocker: toBlocker(error, resuming) };
    return this.#refusal.blocker;
  }
}

/** Errors with which an agent refuses to resume a session. Another attempt would not help. */
const resumeRefusals: ReadonlySet<HostErrorCode> = new Set(['unsupported', 'session_unknown', 'request_failed', 'invalid_response']);

/** @param resuming the session that should have been resumed; absent for a new session */
function toBlocker(
  error: HostError,
  resuming: { readonly sessionId: string; readonly offer: () => ConversationContext | undefined } | undefined,
): Blocker {
  const data = error.toData();
  if (error.code === 'auth_required') return { type: 'sign_in', error: data };
  if (resuming === undefined || !resumeRefusals.has(error.code)) return { type: 'failed', error: data };
  return { type: 'resume_refused', error: data, sessionId: resuming.sessionId, offer: resuming.offer() };
}
