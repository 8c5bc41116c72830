import type { Clock } from '../base/clock.js';
import { cutJson, type CutLimits, cutText } from '../base/cutJson.js';
import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import type { Redactor } from '../base/redact.js';
import type { ExitInfo } from '../node/spawnProcess.js';
import type { FrameDescriber, StreamedPiece } from './frameDescriber.js';
import { RequestLog, type RequestRecord } from './requestLog.js';
import { redactTraffic, type TrafficEntry } from './trafficEntry.js';
import { type ConnectionStats, type HostCounters, noStats, type ReadTraffic, sumOfStats, type TrafficItem } from './trafficItem.js';

interface RingLimits {
  readonly entries: number;
  /** Measured by their length on the wire. */
  readonly bytes: number;
}

const defaultRingLimits: RingLimits = { entries: 500, bytes: 2 * 1024 * 1024 };

/** The first entries of a process are always available, because a trace without its handshake explains nothing. */
const headEntries = 16;
/** Longer messages are cut. */
const frameBytes = 64 * 1024;
const frameLimits: CutLimits = { stringChars: 4_000, members: 200, totalChars: 16_000 };
const lineChars = 2_000;
/** This many entries before the requested ones are used to recognize secrets. */
const contextEntries = 64;
/** Listeners of `onChange` are called at most this often. */
const changeMs = 50;

interface AgentTrafficOptions {
  /** For the agent's protocol. */
  readonly describer: FrameDescriber;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly limits?: RingLimits;
}

interface Slot {
  readonly seq: number;
  readonly entry: TrafficEntry;
  readonly request: RequestRecord | undefined;
}

/**
 * Records the latest messages of one agent, over all its processes, whatever its protocol. It always records, because problem reports are
 * made afterwards, so recording costs no more than an array slot. Secrets are removed on reading, which includes those that were not known
 * as secrets when the message was recorded.
 */
export class AgentTraffic implements Disposable {
  readonly #describer: FrameDescriber;
  readonly #redactor: Redactor;
  readonly #live: LiveRedaction;
  readonly #clock: Clock;
  readonly #limits: RingLimits;
  readonly #log: RequestLog;
  readonly #onEntry = new Emitter<TrafficEntry>();
  readonly #onChange = new Emitter<void>();
  /** Ring buffers, indexed by `seq` modulo their length. */
  readonly #entries: (TrafficEntry | undefined)[];
  readonly #requests: (RequestRecord | undefined)[];
  #head: Slot[] = [];
  #bytes = 0;
  #oldest = 1;
  #last = 0;
  #timer: NodeJS.Timeout | undefined;
  /** What the newest process wrote to stderr. Kept after its exit, because its last lines explain the end. */
  #stderr = new LineTail();
  #starts = 0;
  #pastStats: ConnectionStats = noStats;
  #stats: () => ConnectionStats = () => noStats;

  constructor({ describer, redactor, clock, limits = defaultRingLimits }: AgentTrafficOptions) {
    this.#describer = describer;
    this.#log = new RequestLog(describer);
    this.#redactor = redactor;
    this.#live = new LiveRedaction(describer, redactor);
    this.#clock = clock;
    this.#limits = limits;
    this.#entries = new Array<TrafficEntry | undefined>(limits.entries).fill(undefined);
    this.#requests = new Array<RequestRecord | undefined>(limits.entries).fill(undefined);
  }

  /** Fires with each entry, redacted. Copies each entry while there are listeners. */
  readonly onEntry = this.#onEntry.event;

  /** Fires when there are new entries; at most a few times a second, however many there are. */
  readonly onChange = this.#onChange.event;

  get counters(): HostCounters {
    const stats = sumOfStats(this.#pastStats, this.#stats());
    return { starts: this.#starts, restarts: Math.max(0, this.#starts - 1), ...this.#log.counters, ...stats };
  }

  /** The latest requests of both sides, oldest first, redacted. */
  get requests(): readonly RequestRecord[] {
    return this.#log.recent.map((request) => this.#redactRequest(request));
  }

  /** Call this when a process is started. @returns what takes everything that crosses its pipes */
  begin(): { onTraffic(entry: TrafficEntry): void; onPartialStderr(line: string): void } {
    this.#starts++;
    // The process before may still write to its own.
    const stderr = (this.#stderr = new LineTail());
    this.record({ at: this.#clock.now(), direction: 'received', kind: 'process', event: 'started', bytes: 0 });
    return {
      onTraffic: (entry) => {
        if (entry.kind === 'stderr') stderr.push(entry.text);
        this.record(entry);
      },
      onPartialStderr: (line) => (stderr.partial = line),
    };
  }

  /** Sets the source of the counters of the current process. */
  follow(stats: () => ConnectionStats): void {
    this.#stats = stats;
  }

  /** Call this when the process has ended. */
  end(exit: ExitInfo | undefined): void {
    this.#pastStats = sumOfStats(this.#pastStats, this.#stats());
    this.#stats = () => noStats;
    this.record({
      at: this.#clock.now(),
      direction: 'received',
      kind: 'process',
      event: 'ended',
      bytes: 0,
      ...(exit === undefined ? {} : { exit }),
    });
  }

  record(entry: TrafficEntry): void {
    const request = this.#log.note(entry);
    this.#keep(entry.bytes > frameBytes ? cutEntry(entry) : entry, request);
    if (this.#onEntry.hasListeners) for (const shown of this.#live.redact(entry, request)) this.#onEntry.fire(shown);
    if (this.#onChange.hasListeners) this.#timer ??= setTimeout(() => this.#tellChange(), changeMs).unref();
  }

  /** The last lines of stderr, oldest first, redacted. */
  stderrTail(lines = 40): string {
    return this.#redactor.text(this.#stderr.last(lines));
  }

  /** @returns a function that returns the last lines of what follows */
  stderrFromNow(): (lines: number) => string {
    const [of, { total }] = [this.#stderr, this.#stderr];
    return (lines) => this.#redactor.text(this.#stderr.last(lines, this.#stderr === of ? total : 0));
  }

  /** Oldest first. */
  read({ after = 0, limit = Number.MAX_SAFE_INTEGER }: ReadTraffic = {}): readonly TrafficItem[] {
    const head = this.#head.filter(({ seq }) => seq > after && seq < this.#oldest);
    // The entries just before are needed to recognize a secret that continues in the requested ones.
    const from = Math.max(this.#oldest, after + 1 - contextEntries, this.#last - limit - contextEntries);
    const recent: Slot[] = [];
    for (let seq = from; seq <= this.#last; seq++) {
      const at = seq % this.#limits.entries;
      const entry = this.#entries[at];
      if (entry !== undefined) recent.push({ seq, entry, request: this.#requests[at] });
    }
    const slots = [...head, ...recent];
    const redacted = redactTogether(
      slots.map(({ entry }) => entry),
      this.#describer,
      this.#redactor,
    );
    return slots
      .flatMap((slot, index) => (slot.seq > after ? [{ ...slot, entry: redacted[index] ?? slot.entry }] : []))
      .slice(-limit)
      .map((slot) => this.#toItem(slot));
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#onEntry.dispose();
    this.#onChange.dispose();
  }

  #keep(entry: TrafficEntry, request: RequestRecord | undefined): void {
    const { entries, bytes } = this.#limits;
    const seq = ++this.#last;
    if (seq - this.#oldest >= entries) this.#dropOldest();
    this.#entries[seq % entries] = entry;
    this.#requests[seq % entries] = request;
    this.#bytes += keptBytes(entry);
    while (this.#bytes > bytes && this.#oldest < this.#last) this.#dropOldest();
    if (entry.kind === 'process' && entry.event === 'started') this.#head = [];
    if (this.#head.length < headEntries && entry.kind !== 'stderr') this.#head.push({ seq, entry, request });
  }

  #dropOldest(): void {
    const at = this.#oldest % this.#limits.entries;
    const entry = this.#entries[at];
    if (entry !== undefined) this.#bytes -= keptBytes(entry);
    this.#entries[at] = undefined;
    this.#requests[at] = undefined;
    this.#oldest++;
  }

  /** @param slot with a redacted entry */
  #toItem({ seq, entry, request }: Slot): TrafficItem {
    return {
      seq,
      entry,
      frame: entry.kind === 'message' ? this.#describer.describe(entry.message, entry.direction) : undefined,
      request: request === undefined ? undefined : this.#redactRequest(request),
    };
  }

  #redactRequest(request: RequestRecord): RequestRecord {
    const { error } = request;
    return {
      ...request,
      payload: this.#redactor.json(request.payload),
      ...(error === undefined ? {} : { error: { ...error, message: this.#redactor.text(error.message) } }),
    };
  }

  #tellChange(): void {
    this.#timer = undefined;
    this.#onChange.fire();
  }
}

function keptBytes(entry: TrafficEntry): number {
  return Math.min(entry.bytes, frameBytes);
}

function cutEntry(entry: TrafficEntry): TrafficEntry {
  if (entry.kind === 'message') return { ...entry, message: cutJson(entry.message, frameLimits), cut: true };
  return entry.kind === 'process' ? entry : { ...entry, text: cutText(entry.text, lineChars) };
}

// Removes the secrets from traffic, including those that an agent streams in pieces, of which no single frame contains a whole secret.

/** How much of the preceding text is used to recognize a secret. */
const contextChars = 4_096;

const stderrStream = 'stderr';

interface Piece extends Omit<StreamedPiece, 'withText'> {
  withText(text: string): TrafficEntry;
}

/** Lines of stderr are pieces too, because a key may have many lines. */
function pieceOf(entry: TrafficEntry, describer: FrameDescriber): Piece | undefined {
  if (entry.kind === 'stderr')
    return { stream: stderrStream, text: `${entry.text}\n`, withText: (text) => ({ ...entry, text: text.replace(/\n$/, '') }) };
  if (entry.kind !== 'message') return undefined;
  const piece = describer.streamed?.(entry.message);
  return piece && { ...piece, withText: (text) => ({ ...entry, message: piece.withText(text) }) };
}

/** @param entries in their order; a gap only affects secrets that span it */
function redactTogether(entries: readonly TrafficEntry[], describer: FrameDescriber, redactor: Redactor): readonly TrafficEntry[] {
  const streams = new Map<string, { readonly index: number; readonly piece: Piece }[]>();
  for (const [index, entry] of entries.entries()) {
    const piece = pieceOf(entry, describer);
    if (piece === undefined) continue;
    const stream = streams.get(piece.stream);
    if (stream === undefined) streams.set(piece.stream, [{ index, piece }]);
    else stream.push({ index, piece });
  }
  const out = [...entries];
  for (const parts of streams.values()) {
    const texts = redactor.pieces(parts.map(({ piece }) => piece.text));
    for (const [at, { index, piece }] of parts.entries()) {
      const text = texts[at];
      if (text !== undefined && text !== piece.text) out[index] = piece.withText(text);
    }
  }
  return out.map((entry) => redactTraffic(entry, redactor));
}

/** What was shown of a text, and what is hidden because it may begin a secret. */
interface LiveStream {
  /** The end of what was shown. */
  readonly context: string;
  readonly hidden: string;
  readonly session: string | undefined;
  readonly last: Piece;
}

/**
 * Redacts entries that are shown one by one as they arrive. The end of a piece that may begin a secret is shown with the next piece of its
 * stream or, once the text is over, as a separate last piece.
 */
class LiveRedaction {
  readonly #describer: FrameDescriber;
  readonly #redactor: Redactor;
  readonly #streams = new Map<string, LiveStream>();

  constructor(describer: FrameDescriber, redactor: Redactor) {
    this.#describer = describer;
    this.#redactor = redactor;
  }

  /**
   * @param request the request that the entry belongs to
   * @returns what can be shown now, in order; the entry itself is last
   */
  redact(entry: TrafficEntry, request?: RequestRecord): readonly TrafficEntry[] {
    const piece = pieceOf(entry, this.#describer);
    if (piece !== undefined) return [this.#redactPiece(entry, piece)];
    return [...this.#endTexts(entry, request), redactTraffic(entry, this.#redactor)];
  }

  /** Shows the hidden ends of texts that are over: nothing follows, so each one either is a secret or is not. */
  #endTexts(entry: TrafficEntry, request: RequestRecord | undefined): readonly TrafficEntry[] {
    const isOver = this.#whatEnds(entry, request);
    return [...this.#streams].flatMap(([name, stream]) => {
      if (stream.hidden === '' || !isOver(stream)) return [];
      const { context, hidden, last } = stream;
      const [, shown = ''] = this.#redactor.pieces([context, hidden]);
      this.#streams.set(name, { ...stream, context: `${context}${hidden}`.slice(-contextChars), hidden: '' });
      return [redactTraffic(last.withText(shown), this.#redactor)];
    });
  }

  #whatEnds(entry: TrafficEntry, request: RequestRecord | undefined): (stream: LiveStream) => boolean {
    if (entry.kind === 'process') return () => entry.event === 'ended';
    const end = entry.kind === 'message' && entry.direction === 'received' ? this.#whatEndsTexts(entry.message, request) : undefined;
    return ({ session, last }) => end !== undefined && session === end.session && last.stream !== stderrStream;
  }

  /** @returns the session whose texts are over; it is undefined in a protocol with one session per connection */
  #whatEndsTexts(frame: unknown, request: RequestRecord | undefined): { readonly session: string | undefined } | undefined {
    const { kind, method, session } = this.#describer.describe(frame, 'received');
    if (kind === 'notification') return this.#describer.endsTexts?.(kind, method ?? '') === true ? { session } : undefined;
    if (kind !== 'response' || request?.from !== 'host') return undefined;
    return this.#describer.endsTexts?.(kind, request.method) === true ? { session: request.session } : undefined;
  }

  #redactPiece(entry: TrafficEntry, piece: Piece): TrafficEntry {
    const { context, hidden } = this.#streams.get(piece.stream) ?? { context: '', hidden: '' };
    const session = entry.kind === 'message' ? this.#describer.describe(entry.message, entry.direction).session : undefined;
    const all = context + hidden + piece.text;
    const end = Math.max(context.length, this.#redactor.tailAt(all));
    const [, shown = ''] = this.#redactor.pieces([context, all.slice(context.length, end)]);
    const shownBefore = all.slice(Math.max(0, end - contextChars), end);
    this.#streams.set(piece.stream, { context: shownBefore, hidden: all.slice(end), session, last: piece });
    return redactTraffic(piece.withText(shown), this.#redactor);
  }
}

/** Keeps the last lines of a stream of text. Bounded in lines and characters. */
export class LineTail {
  readonly #maxLines: number;
  readonly #maxChars: number;
  #lines: string[] = [];
  #chars = 0;
  #total = 0;
  /** The beginning of a line that is not complete yet. */
  partial = '';

  constructor(maxLines = 1000, maxChars = 256 * 1024) {
    this.#maxLines = maxLines;
    this.#maxChars = maxChars;
  }

  /** The number of lines so far, including those that were dropped. */
  get total(): number {
    return this.#total;
  }

  push(line: string): void {
    this.#total++;
    this.#lines.push(line);
    this.#chars += line.length;
    let drop = 0;
    while (this.#lines.length - drop > this.#maxLines || (this.#chars > this.#maxChars && drop < this.#lines.length)) {
      this.#chars -= this.#lines[drop]?.length ?? 0;
      drop++;
    }
    if (drop > 0) this.#lines = this.#lines.slice(drop);
  }

  /**
   * Returns the last `count` lines, oldest first.
   * @param since an earlier `total`; only later lines are returned
   */
  last(count: number, since = 0): string {
    const fresh = this.#lines.slice(Math.max(0, this.#lines.length - (this.#total - since)));
    const lines = this.partial === '' ? fresh : [...fresh, this.partial];
    return count <= 0 ? '' : lines.slice(-count).join('\n');
  }
}
