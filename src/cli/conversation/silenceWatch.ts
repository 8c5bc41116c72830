import type { AgentWait, ConversationState, Disposable } from '../../core/index.js';
import type { Output } from '../output/output.js';

/** The next report comes after twice the time of the one before, and after no more than this. */
const longestGapMs = 300_000;

export interface SilenceWatchParts {
  readonly output: Pick<Output, 'silence'>;
  /** How long an agent at work may say nothing before that is reported. */
  readonly quietMs: number;
  /** The last line that the agent wrote to stderr; empty where there is none. */
  readonly lastStderrLine: () => string;
}

interface Watched {
  readonly sessionId: string;
  readonly turnId: string;
  /** Since when nothing came, in milliseconds since the epoch. */
  readonly since: number;
  /** Written before the turn, so that it explains nothing of it. */
  readonly stderrBefore: string;
  wait: AgentWait | undefined;
}

/** Reports that an agent at work says nothing, at growing intervals, with what explains it. */
export class SilenceWatch implements Disposable {
  readonly #parts: SilenceWatchParts;
  #watched: Watched | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: SilenceWatchParts) {
    this.#parts = parts;
  }

  update({ session, live }: ConversationState): void {
    const turn = session?.turn;
    if (session === undefined || turn?.type !== 'running' || !live || session.requests.length > 0) return this.dispose();
    const { turnId, lastEventAt: since, wait } = turn;
    const before = this.#watched?.turnId === turnId ? this.#watched : undefined;
    if (before?.since !== since) {
      const stderrBefore = before?.stderrBefore ?? this.#parts.lastStderrLine();
      this.#watched = { sessionId: session.sessionId, turnId, since, stderrBefore, wait: undefined };
      this.#schedule(this.#watched, this.#parts.quietMs);
    }
    if (this.#watched === undefined || this.#watched.wait === wait) return;
    this.#watched.wait = wait;
    // The agent itself explains why nothing comes.
    if (wait !== undefined) this.#tell(this.#watched);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#watched = undefined;
  }

  #schedule(watched: Watched, delayMs: number): void {
    clearTimeout(this.#timer);
    const next = (): void => {
      if (this.#watched !== watched) return;
      this.#tell(watched);
      this.#schedule(watched, Math.min(delayMs * 2, longestGapMs));
    };
    this.#timer = setTimeout(next, delayMs).unref();
  }

  #tell({ sessionId, turnId, since, stderrBefore, wait }: Watched): void {
    const line = this.#parts.lastStderrLine();
    const silentMs = Math.max(0, Date.now() - since);
    this.#parts.output.silence({ sessionId, turnId, silentMs, ...(wait && { wait }), ...(line !== stderrBefore && { stderrLine: line }) });
  }
}
