import type { Disposable } from '../base/disposable.js';
import type { SessionEvent } from '../session/event.js';
import type { ToolStatus } from '../session/model.js';
import type { ToolEvent, ToolLine } from './toolLines.js';

/** The maximum delay for the output of a running tool: a crash may cost this much of it. */
const shortestMs = 1_000;
/** The delay for output that is long, or that is replaced repeatedly. */
const longestMs = 60_000;
/** Processing a long output again takes time. */
const charsPerMs = 1_000;
/** The maximum growth of a journal by output that replaces earlier output. */
const wastedCharsPerMs = 64;

interface Paced {
  status: ToolStatus | undefined;
  /** What was not written yet, or not completely, as one event. */
  waiting: ToolEvent | undefined;
  /** Written up to the last character that can't begin a secret: the rest waits for more, or for the end. */
  isHeld: boolean;
  /** The length of the output when it was last written. */
  chars: number;
  /** Written, and replaced since then. */
  wastedChars: number;
  dueAt: number;
}

/** Everything that waits is written before these events, because they end something, or because order matters to them. */
const ends: ReadonlySet<SessionEvent['type']> = new Set(['opened', 'turn_started', 'turn_cancelling', 'turn_ended', 'wait']);

export interface ToolPacerParts {
  /** Milliseconds since any fixed point in time. */
  readonly now: () => number;
  /** Writes an event, or leaves it out. @param isPartial the same tool call will send more */
  readonly write: (event: SessionEvent, isPartial: boolean) => ToolLine | undefined;
}

/**
 * Combines updates of a running tool call over time: each replaces the previous one. Writes a change of its state at once,
 * and the last update before the turn ends.
 */
export class ToolPacer implements Disposable {
  readonly #parts: ToolPacerParts;
  readonly #tools = new Map<string, Paced>();
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ToolPacerParts) {
    this.#parts = parts;
  }

  push(event: SessionEvent): void {
    if (event.type === 'tool') return this.#take(event);
    if (ends.has(event.type)) this.flush();
    if (event.type === 'turn_ended' || event.type === 'opened') this.#tools.clear();
    this.#parts.write(event, false);
  }

  /** Writes everything that waits. */
  flush(): void {
    this.dispose();
    for (const tool of this.#tools.values()) this.#write(tool, false);
  }

  dispose(): void {
    clearTimeout(this.#timer);
  }

  #take(event: ToolEvent): void {
    const known = this.#tools.get(event.id);
    const tool = known ?? { status: undefined, waiting: undefined, isHeld: false, chars: 0, wastedChars: 0, dueAt: 0 };
    this.#tools.set(event.id, tool);
    const { waiting } = tool;
    tool.waiting = waiting === undefined ? event : { ...event, patch: { ...waiting.patch, ...event.patch } };
    tool.isHeld = false;
    const { status = tool.status } = event.patch;
    const isChange = known === undefined || status !== tool.status;
    tool.status = status;
    if (isChange) this.#write(tool, status !== 'completed' && status !== 'failed');
    else this.#wait();
  }

  #write(tool: Paced, isPartial: boolean): void {
    const { waiting } = tool;
    if (waiting === undefined) return;
    const line = this.#parts.write(waiting, isPartial);
    tool.isHeld = line?.isCut === true;
    // What did not fit is tried again.
    if (line?.isCut === false) tool.waiting = undefined;
    const chars = lengthOf(waiting) ?? tool.chars;
    tool.wastedChars += Math.max(0, (line?.text.length ?? 0) - Math.max(0, chars - tool.chars));
    tool.chars = chars;
    const pauseMs = Math.max(shortestMs, chars / charsPerMs, tool.wastedChars / wastedCharsPerMs);
    tool.dueAt = this.#parts.now() + Math.min(pauseMs, longestMs);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const dueAt = Math.min(...[...this.#tools.values()].flatMap((tool) => (isDue(tool) ? [tool.dueAt] : [])));
    if (dueAt === Infinity) return;
    this.#timer = setTimeout(() => this.#onTime(), Math.max(0, dueAt - this.#parts.now()));
    this.#timer.unref();
  }

  #onTime(): void {
    const now = this.#parts.now();
    for (const tool of this.#tools.values()) if (isDue(tool) && tool.dueAt <= now) this.#write(tool, true);
    this.#wait();
  }
}

function isDue({ waiting, isHeld }: Paced): boolean {
  return waiting !== undefined && !isHeld;
}

function lengthOf({ patch: { content, rawOutput } }: ToolEvent): number | undefined {
  if (content === undefined && rawOutput === undefined) return undefined;
  const texts = (content ?? []).map((part) => {
    if (part.type === 'diff') return part.newText.length;
    return part.type === 'content' && part.content.type === 'text' ? part.content.text.length : 0;
  });
  return texts.reduce((sum, length) => sum + length, typeof rawOutput === 'string' ? rawOutput.length : 0);
}
