import type { AgentWait, ConversationState, Disposable } from '../../core/index.js';
import type { Output } from '../output/output.js';

/** Each report follows after twice the time of the one before, but at most after this time. */
const longestGapMs = 300_000;

export interface SilenceWatchParts {
  readonly output: Pick<Output, 'silence'>;
  /** How long a working agent may send nothing before that is reported. */
  readonly quietMs: number;
  /** Resolves with the last line that the agent wrote to stderr since the turn began; empty if there is none. Never rejects. */
  readonly lastStderrLine: () => Promise<string>;
}

interface Watched {
  readonly sessionId: string;
  readonly turnId: string;
  /** Since when nothing has arrived, in milliseconds since the epoch. */
  readonly since: number;
  wait: AgentWait | undefined;
}

/** Reports that a working agent sends nothing, at growing intervals, with a possible explanation. */
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
      this.#watched = { sessionId: session.sessionId, turnId, since, wait: undefined };
      this.#schedule(this.#watched, this.#parts.quietMs);
    }
    if (this.#watched === undefined || this.#watched.wait === wait) return;
    this.#watched.wait = wait;
    // The agent itself explains why it sends nothing.
    if (wait !== undefined) void this.#tell(this.#watched);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#watched = undefined;
  }

  #schedule(watched: Watched, delayMs: number): void {
    clearTimeout(this.#timer);
    const next = (): void => {
      if (this.#watched !== watched) return;
      void this.#tell(watched);
      this.#schedule(watched, Math.min(delayMs * 2, longestGapMs));
    };
    this.#timer = setTimeout(next, delayMs).unref();
  }

  async #tell(watched: Watched): Promise<void> {
    const { sessionId, turnId, since, wait } = watched;
    const stderrLine = await this.#parts.lastStderrLine();
    if (this.#watched !== watched) return;
    const silentMs = Math.max(0, Date.now() - since);
    this.#parts.output.silence({ sessionId, turnId, silentMs, ...(wait && { wait }), ...(stderrLine !== '' && { stderrLine }) });
  }
}
