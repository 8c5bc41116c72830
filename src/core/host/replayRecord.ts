import type { SessionSink } from '../backends/agentBackend.js';
import type { SessionEvent } from '../session/event.js';

/** The limit for a replay. No conversation is that long, and an agent that floods must not fill the memory. */
const limitChars = 8 * 1024 * 1024;

/** The events that carry messages. If the host already has the transcript, a replay of them is not new. */
const transcriptEvents: ReadonlySet<SessionEvent['type']> = new Set(['message', 'tool', 'plan', 'notice', 'compaction']);

/** @param replay gets the messages that the agent replays, if the transcript has them already */
export function sinkTo(emit: SessionSink['event'], begin: SessionSink['begin'], replay: ReplayRecord | undefined): SessionSink {
  const history = (event: SessionEvent): void =>
    replay !== undefined && transcriptEvents.has(event.type) ? replay.record(event) : emit(event);
  return { begin, event: emit, history };
}

/** Records what an agent replays of a known conversation, as far as it shows whether both remember the same. */
export class ReplayRecord {
  #told = false;
  #chars = 0;
  readonly #prompts: string[] = [];

  record(event: SessionEvent): void {
    this.#told = true;
    if (event.type !== 'message' || event.role !== 'user' || event.content.type !== 'text' || this.#chars > limitChars) return;
    this.#chars += event.content.text.length;
    this.#prompts.push(event.content.text);
  }

  /** Whether the agent replayed any message, of the user or of itself. */
  get told(): boolean {
    return this.#told;
  }

  /** All text of the user in sequence: agents don't mark where one prompt ends and the next begins. */
  get prompts(): string {
    return this.#prompts.join('');
  }
}
