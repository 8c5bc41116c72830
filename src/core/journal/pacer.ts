import type { SessionEvent } from '../session/event.js';
import type { ToolStatus } from '../session/model.js';
import { areStepsOfSubagent } from '../session/reducePlan.js';
import type { ToolEvent } from './toolLines.js';

/** The maximum delay for an update: a crash may cost this much of what changes. */
const shortestMs = 1_000;
/** The delay for what is long, or is replaced repeatedly. */
const longestMs = 60_000;
/** Processing a long output again takes time. */
const charsPerMs = 1_000;
/** The maximum growth of a journal by what replaces earlier text. */
const wastedCharsPerMs = 64;
/** Late and repeated updates of a call that has ended are those of the last calls. */
const endedCalls = 64;

/** Only the last event of each of these types counts. */
type LastOnlyEvent = Extract<SessionEvent, { type: (typeof lastOnly)[number] }>;
const lastOnly = ['commands', 'options', 'context', 'info', 'usage', 'plan', 'subagent'] as const satisfies readonly SessionEvent['type'][];

const lastOnlyTypes: ReadonlySet<SessionEvent['type']> = new Set(lastOnly);

/** An event that replaces the one before it, of the same tool call or of the same type. */
type PacedEvent = ToolEvent | LastOnlyEvent;

interface Paced {
  status: ToolStatus | undefined;
  /** What was not written yet, or not completely, as one event. */
  waiting: PacedEvent | undefined;
  /** Written up to the last character that can't begin a secret: the rest waits for more, or for the end. */
  isHeld: boolean;
  /** The length of the output when it was last written. */
  chars: number;
  /** Written, and replaced since then. */
  wastedChars: number;
  dueAt: number;
  /** What there is of a plan. */
  shows: 'nothing' | 'steps' | 'text';
}

/** Everything that waits is written before these events, because they end something, or because order matters to them. */
const ends: ReadonlySet<SessionEvent['type']> = new Set(['opened', 'turn_started', 'turn_cancelling', 'turn_ended', 'wait']);

export interface PacerParts {
  /** Milliseconds since any fixed point in time. */
  readonly now: () => number;
  /**
   * Writes an event, or leaves it out.
   * @param isPartial the same tool call will send more
   * @returns the line that was written; `isCut` if its end waits for the rest of what may be a secret
   */
  readonly write: (event: SessionEvent, isPartial: boolean) => { readonly text: string; readonly isCut: boolean } | undefined;
}

/**
 * Combines updates over time of which each replaces the previous one: those of a running tool call, and those of the plan, the commands, the
 * options, the title and the usage. Writes a change of a call's state at once, and the last update of everything before the turn ends.
 */
export class Pacer {
  readonly #parts: PacerParts;
  /** By the id of the tool call. */
  readonly #tools = new Map<string, Paced>();
  /** By `lastOnlyKey`. */
  readonly #states = new Map<string, Paced>();
  /** Those with something that waits. */
  readonly #waiting = new Set<Paced>();
  /** The ids of tool calls that ended, oldest first. */
  #ended: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: PacerParts) {
    this.#parts = parts;
  }

  push(event: SessionEvent): void {
    if (event.type === 'tool') return this.#takeTool(event);
    if (isLastOnly(event)) return this.#takeState(event);
    if (ends.has(event.type)) this.flush();
    // A turn ends finished plans, and a plan in Markdown is another item of the transcript in each turn.
    if (event.type.startsWith('turn_') || event.type === 'opened') for (const paced of this.#states.values()) paced.shows = 'nothing';
    if (event.type === 'turn_ended' || event.type === 'opened') {
      this.#tools.clear();
      this.#ended = [];
    }
    this.#parts.write(event, false);
  }

  /** Writes everything that waits. */
  flush(): void {
    clearTimeout(this.#timer);
    for (const paced of this.#waiting) this.#write(paced, false);
  }

  #takeTool(event: ToolEvent): void {
    const known = this.#tools.get(event.id);
    const tool = known ?? nothingYet();
    this.#tools.set(event.id, tool);
    const { status = tool.status } = event.patch;
    const isChange = known === undefined || status !== tool.status;
    // A call ends when the agent says so, also if the clock was set back since its last update.
    if (isChange && tool.waiting !== undefined && tool.waiting.at > event.at) {
      this.#write(tool, true);
      if (tool.isHeld) tool.waiting = { ...tool.waiting, at: event.at };
    }
    this.#add(tool, event);
    tool.status = status;
    const hasEnded = status === 'completed' || status === 'failed';
    if (isChange && hasEnded) this.#forgetEnded(event.id);
    if (isChange) this.#write(tool, !hasEnded);
    else this.#wait();
  }

  #takeState(event: LastOnlyEvent): void {
    const key = lastOnlyKey(event);
    const state = this.#states.get(key) ?? nothingYet();
    this.#states.set(key, state);
    const shows = shownBy(event);
    // Where a plan begins is its place, and its end says of the plan before it whether it was finished.
    const isPlanSeam = event.type === 'plan' && (shows !== state.shows || shows === 'nothing');
    // How long a sub-agent works is known from when it begins and ends.
    const isSubagentSeam = event.type === 'subagent' && (event.patch.status !== undefined || event.toolId !== undefined);
    // The same usage as before is news again after a compaction.
    const isSeam = isPlanSeam || isSubagentSeam || (event.type === 'usage' && event.usage === undefined);
    if (isSeam) this.#write(state, false);
    state.shows = shows;
    this.#add(state, event);
    if (isSeam || state.dueAt <= this.#parts.now()) this.#write(state, false);
    else this.#wait();
  }

  #add(paced: Paced, event: PacedEvent): void {
    paced.waiting = combined(paced.waiting, event);
    paced.isHeld = false;
    this.#waiting.add(paced);
  }

  #forgetEnded(id: string): void {
    this.#ended.push(id);
    const oldest = this.#ended.length > endedCalls ? this.#ended.shift() : undefined;
    if (oldest !== undefined) this.#tools.delete(oldest);
  }

  #write(paced: Paced, isPartial: boolean): void {
    const { waiting } = paced;
    if (waiting === undefined) return;
    const line = this.#parts.write(waiting, isPartial);
    paced.isHeld = line?.isCut === true;
    // What did not fit is tried again.
    if (line?.isCut === false) {
      paced.waiting = undefined;
      this.#waiting.delete(paced);
    }
    // The whole line of anything but a tool call replaces the one before it.
    const chars = waiting.type === 'tool' ? (lengthOf(waiting) ?? paced.chars) : 0;
    paced.wastedChars += Math.max(0, (line?.text.length ?? 0) - Math.max(0, chars - paced.chars));
    paced.chars = chars;
    const pauseMs = Math.max(shortestMs, chars / charsPerMs, paced.wastedChars / wastedCharsPerMs);
    paced.dueAt = this.#parts.now() + Math.min(pauseMs, longestMs);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    let dueAt = Infinity;
    for (const paced of this.#waiting) if (!paced.isHeld) dueAt = Math.min(dueAt, paced.dueAt);
    if (dueAt === Infinity) return;
    this.#timer = setTimeout(() => this.#onTime(), Math.max(0, dueAt - this.#parts.now()));
    this.#timer.unref();
  }

  #onTime(): void {
    const now = this.#parts.now();
    for (const paced of this.#waiting) if (!paced.isHeld && paced.dueAt <= now) this.#write(paced, paced.waiting?.type === 'tool');
    this.#wait();
  }
}

function isLastOnly(event: SessionEvent): event is LastOnlyEvent {
  return lastOnlyTypes.has(event.type);
}

/** Names what the event replaces. An agent may have several plans and sub-agents. */
function lastOnlyKey(event: LastOnlyEvent): string {
  if (event.type === 'subagent') return `subagent ${event.agentId}`;
  if (event.type === 'plan' && areStepsOfSubagent(event)) return 'steps of sub-agents';
  return event.type === 'plan' && event.planId !== undefined ? `plan ${event.planId}` : event.type;
}

function nothingYet(): Paced {
  return { status: undefined, waiting: undefined, isHeld: false, chars: 0, wastedChars: 0, dueAt: -Infinity, shows: 'nothing' };
}

function shownBy(event: LastOnlyEvent): Paced['shows'] {
  if (event.type !== 'plan') return 'nothing';
  return event.text !== undefined ? 'text' : event.entries.length > 0 ? 'steps' : 'nothing';
}

/** Members that only the earlier event has still apply. */
function combined(before: PacedEvent | undefined, event: PacedEvent): PacedEvent {
  if (before === undefined) return event;
  // The clock may have been set back; the later time is the last sign of life.
  const last = { ...event, at: Math.max(before.at, event.at) };
  if (last.type === 'tool') return before.type === 'tool' ? { ...last, patch: { ...before.patch, ...last.patch } } : last;
  if (last.type === 'subagent')
    return before.type === 'subagent' ? { ...before, ...last, patch: { ...before.patch, ...last.patch } } : last;
  return before.type === 'info' && last.type === 'info' ? { ...before, ...last } : last;
}

function lengthOf({ patch: { content, rawOutput } }: ToolEvent): number | undefined {
  if (content === undefined && rawOutput === undefined) return undefined;
  const texts = (content ?? []).map((part) => {
    if (part.type === 'diff') return part.newText.length;
    if (part.type === 'terminal') return part.output?.length ?? 0;
    return part.type === 'content' && part.content.type === 'text' ? part.content.text.length : 0;
  });
  return texts.reduce((sum, length) => sum + length, typeof rawOutput === 'string' ? rawOutput.length : 0);
}
