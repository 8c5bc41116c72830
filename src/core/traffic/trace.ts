/**
 * Reads and writes traces. A trace is a file with everything that crossed the pipe of one agent, for people and for `acp-host replay`. It is
 * UTF-8 with one JSON value per line:
 *
 *   {"trace":"acp-host","version":1,"protocol":"acp","at":"2026-01-31T18:05:00.000Z","host":"0.1.0","agent":{"id":"mine","label":"Mine","version":"1.2.3"}}
 *   {"t":0,"process":"started"}
 *   {"t":3,"dir":"out","frame":{…}}          from the host to the agent; `t` is in milliseconds since `at`. In a protocol of text lines, a frame is a string
 *   {"t":407,"dir":"in","frame":{…}}         from the agent; `"cut":true` means that the frame was too long and is incomplete
 *   {"t":410,"dir":"in","noise":"…"}         a line on stdout that was not a message
 *   {"t":411,"dir":"in","stderr":"…"}        a line on stderr
 *   {"t":420,"gap":12}                       this many entries are missing
 *   {"t":900,"process":"ended","code":1,"signal":null,"requested":false}
 *
 * Secrets are redacted before a trace is written. Unknown members are ignored. A file without the first line is a trace too. If the first
 * line names no protocol, the protocol is ACP.
 */
import * as z from 'zod/mini';
import { HostError } from '../base/errors.js';
import { isFields } from '../base/fields.js';
import type { FrameDescriber, FrameDescription, FrameId } from './frameDescriber.js';
import type { TrafficEntry } from './trafficEntry.js';

const traceVersion = 1;

/** The first line of an exported trace. */
export interface TraceHeader {
  readonly trace: 'acp-host';
  readonly version: number;
  /** If it is absent, the protocol is ACP. */
  readonly protocol?: string | undefined;
  /** ISO 8601. */
  readonly at: string;
  /** The version of ACP Host. */
  readonly host: string;
  readonly agent: {
    readonly id: string;
    readonly label: string;
    readonly name?: string | undefined;
    readonly version?: string | undefined;
  };
}

/** An object, or the text of a line. */
type TraceFrame = Record<string, unknown> | string;

/** One line of a trace, in the order of the wire; `t` is in milliseconds. */
export type TraceLine = { readonly t: number } & (
  | { readonly dir: 'in' | 'out'; readonly frame: TraceFrame; readonly cut?: boolean | undefined }
  | { readonly dir: 'in'; readonly noise: string }
  | { readonly dir: 'in'; readonly stderr: string }
  | { readonly process: 'started' }
  | {
      readonly process: 'ended';
      readonly code?: number | null | undefined;
      readonly signal?: string | null | undefined;
      readonly requested?: boolean | undefined;
    }
  | { readonly gap: number }
);

const headerSchema: z.ZodMiniType<TraceHeader> = z.object({
  trace: z.literal('acp-host'),
  version: z.number(),
  protocol: z.optional(z.string()),
  at: z.string(),
  host: z.string(),
  agent: z.object({ id: z.string(), label: z.string(), name: z.optional(z.string()), version: z.optional(z.string()) }),
});

const t = z.number();
const frameSchema: z.ZodMiniType<TraceFrame> = z.union([z.record(z.string(), z.unknown()), z.string()]);
const lineSchema: z.ZodMiniType<TraceLine> = z.union([
  z.object({
    t,
    dir: z.enum(['in', 'out']),
    frame: frameSchema,
    cut: z.optional(z.boolean()),
  }),
  z.object({ t, dir: z.literal('in'), noise: z.string() }),
  z.object({ t, dir: z.literal('in'), stderr: z.string() }),
  z.object({ t, process: z.literal('started') }),
  z.object({
    t,
    process: z.literal('ended'),
    code: z.optional(z.nullable(z.number())),
    signal: z.optional(z.nullable(z.string())),
    requested: z.optional(z.boolean()),
  }),
  z.object({ t, gap: z.number() }),
]);

/** A trace as parsed from a file. */
export interface Trace {
  /** Absent in a bare recording. */
  readonly header: TraceHeader | undefined;
  readonly lines: readonly TraceLine[];
}

/** An entry with its position in everything that crossed the pipe. */
export interface TracedEntry {
  readonly seq: number;
  readonly entry: TrafficEntry;
}

/** @param entries redacted, oldest first; the first one has the time zero */
export function formatTrace(about: Pick<TraceHeader, 'protocol' | 'agent' | 'host'>, entries: readonly TracedEntry[]): string {
  const startedAt = entries[0]?.entry.at ?? Date.now();
  const header: TraceHeader = {
    trace: 'acp-host',
    version: traceVersion,
    ...(about.protocol === undefined ? {} : { protocol: about.protocol }),
    at: new Date(startedAt).toISOString(),
    host: about.host,
    agent: about.agent,
  };
  const rows: (TraceHeader | TraceLine)[] = [header];
  let expected = entries[0]?.seq;
  for (const { seq, entry } of entries) {
    if (expected !== undefined && seq > expected) rows.push({ t: entry.at - startedAt, gap: seq - expected });
    expected = seq + 1;
    rows.push(toLine(entry, entry.at - startedAt));
  }
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

function toLine(entry: TrafficEntry, t: number): TraceLine {
  switch (entry.kind) {
    case 'message':
      return isFrame(entry.message)
        ? { t, dir: entry.direction === 'sent' ? 'out' : 'in', frame: entry.message, ...(entry.cut === undefined ? {} : { cut: true }) }
        : { t, dir: 'in', noise: JSON.stringify(entry.message) };
    case 'noise':
      return { t, dir: 'in', noise: entry.text };
    case 'stderr':
      return { t, dir: 'in', stderr: entry.text };
    case 'process':
      return entry.event === 'started' ? { t, process: 'started' } : { t, process: 'ended', ...entry.exit };
  }
}

function isFrame(message: unknown): message is TraceFrame {
  return typeof message === 'string' || isFields(message);
}

/** @throws HostError `usage` with the number of a line that is not valid in a trace */
export function parseTrace(text: string): Trace {
  let header: TraceHeader | undefined;
  const lines: TraceLine[] = [];
  for (const [index, row] of text.split('\n').entries()) {
    if (row.trim() === '') continue;
    const value = parseJson(row, index + 1);
    const asHeader = headerSchema.safeParse(value);
    if (asHeader.success && header === undefined && lines.length === 0) {
      header = asHeader.data;
      if (header.version > traceVersion)
        throw new HostError('usage', { reason: 'trace_version', version: header.version, knownVersion: traceVersion });
      continue;
    }
    const parsed = lineSchema.safeParse(value);
    if (!parsed.success) throw new HostError('usage', { reason: 'trace_line', line: index + 1 });
    lines.push(parsed.data);
  }
  if (lines.length === 0) throw new HostError('usage', { reason: 'trace_empty' });
  return { header, lines };
}

function parseJson(row: string, line: number): unknown {
  try {
    return JSON.parse(row);
  } catch (error) {
    throw new HostError('usage', { reason: 'trace_not_json', line }, { cause: error });
  }
}

/** Returns the lines of each process in their order; leaves out processes without messages. */
export function processesOf({ lines }: Trace): readonly (readonly TraceLine[])[] {
  const processes: TraceLine[][] = [[]];
  for (const line of lines) {
    if ('process' in line && line.process === 'started') processes.push([]);
    processes.at(-1)?.push(line);
  }
  return processes.filter((own) => own.some((line) => 'frame' in line));
}

/** What identifies a frame in a report. */
export type FrameName = Pick<FrameDescription, 'kind' | 'id' | 'method'>;

/**
 * A difference between a replay and its recording. `sent` is what the client sent; `awaited` is what the trace continues with, undefined at
 * its end.
 */
export type Deviation =
  | { readonly code: 'line_unreadable'; readonly params: { readonly line: string } }
  /** `line` is 1-based, out of the `lines` of this process. */
  | {
      readonly code: 'client_left';
      readonly params: { readonly awaited: FrameName | undefined; readonly line: number; readonly lines: number };
    }
  /** `left_out`: the trace does not need the message here; `too_early`: the message waits for its place. */
  | { readonly code: 'left_out' | 'too_early'; readonly params: { readonly sent: FrameName; readonly awaited: FrameName | undefined } }
  | { readonly code: 'not_in_trace'; readonly params: { readonly sent: FrameName } }
  | { readonly code: 'trace_gap'; readonly params: { readonly messages: number } }
  /** The response to a request that is not in the trace. */
  | { readonly code: 'request_missing'; readonly params: { readonly id: FrameId } };

/** What the player uses to send the recorded frames. */
export interface PlayerPorts {
  /** Writes one line to the client; the line has no line ending. */
  readonly write: (line: string) => void;
  /** Writes a line that the recorded agent wrote to stderr. */
  readonly writeStderr: (line: string) => void;
  /** Reports where the client differs from the recorded one. */
  readonly tell: (deviation: Deviation) => void;
  /** The recorded agent ended by itself here. */
  readonly exit: (code: number) => void;
}

/** A frame with its description. */
interface Described extends FrameDescription {
  readonly frame: unknown;
}

/**
 * Replays one recorded process as an agent. It writes what the agent wrote, in the recorded order. Where the client wrote something, it
 * waits until the client sends an equivalent message: a request or notification with the same method, or a response to the same request.
 * The ids of responses are replaced by those of the client's own requests. A message that comes too early waits for its place. A request
 * that has no place in the trace is answered with an error, if the protocol has errors.
 */
export class TracePlayer {
  readonly #steps: readonly TraceLine[];
  readonly #describer: FrameDescriber;
  readonly #ports: PlayerPorts;
  /** Maps the recorded id of a client's request to its current id. */
  readonly #ids = new Map<FrameId, FrameId>();
  readonly #early: Described[] = [];
  #position = 0;

  /** @param describer for the recorded protocol */
  constructor(steps: readonly TraceLine[], describer: FrameDescriber, ports: PlayerPorts) {
    this.#steps = steps;
    this.#describer = describer;
    this.#ports = ports;
  }

  /** Writes what the agent wrote before the client sent anything. */
  start(): void {
    this.#play();
  }

  /** Handles a line of the client. */
  receive(line: string): void {
    const frame = this.#describer.parse(line);
    const message = frame === undefined ? undefined : this.#describe(frame, 'sent');
    const awaited = this.#awaited;
    if (message !== undefined && (message.kind !== 'other' || awaited?.kind === 'other')) this.#take(message, awaited);
    else this.#ports.tell({ code: 'line_unreadable', params: { line: line.slice(0, 200) } });
  }

  /**
   * Call this when the client closed its end.
   * @returns whether the trace was played to its end
   */
  end(): boolean {
    const missing = this.#steps.slice(this.#position).find((step) => 'frame' in step);
    if (missing === undefined) return true;
    const params = { awaited: nameOf(this.#awaited), line: this.#position + 1, lines: this.#steps.length };
    this.#ports.tell({ code: 'client_left', params });
    return false;
  }

  get #awaited(): Described | undefined {
    return this.#clientFrame(this.#steps[this.#position]);
  }

  #clientFrame(step: TraceLine | undefined): Described | undefined {
    return step !== undefined && 'frame' in step && step.dir === 'out' ? this.#describe(step.frame, 'sent') : undefined;
  }

  #describe(frame: unknown, direction: 'sent' | 'received'): Described {
    return { ...this.#describer.describe(frame, direction), frame };
  }

  #take(message: Described, awaited: Described | undefined): void {
    if (awaited !== undefined && isLike(message, awaited)) {
      this.#meet(message, awaited);
      this.#play();
    } else if (message.kind === 'notification') {
      // A cancel may be repeated, so an unexpected one is not saved for later.
      this.#ports.tell({ code: 'left_out', params: { sent: nameOf(message), awaited: nameOf(awaited) } });
    } else if (this.#comesLater(message)) {
      this.#ports.tell({ code: 'too_early', params: { sent: nameOf(message), awaited: nameOf(awaited) } });
      this.#early.push(message);
    } else this.#refuse(message);
  }

  #refuse(message: Described): void {
    this.#ports.tell({ code: 'not_in_trace', params: { sent: nameOf(message) } });
    if (message.kind !== 'request') return;
    const refusal = this.#describer.refuse?.(message.frame, `The trace has no response to ${message.method} here`);
    if (refusal !== undefined) this.#ports.write(this.#describer.format(refusal));
  }

  /** Whether the rest of the trace contains more such messages than already wait. */
  #comesLater(message: Described): boolean {
    const waiting = this.#early.filter((other) => isLike(message, other)).length;
    const coming = this.#steps.slice(this.#position).filter((step) => {
      const recorded = this.#clientFrame(step);
      return recorded !== undefined && isLike(message, recorded);
    }).length;
    return coming > waiting;
  }

  #play(): void {
    for (let step = this.#steps[this.#position]; step !== undefined; step = this.#steps[this.#position]) {
      const recorded = this.#clientFrame(step);
      if (recorded === undefined) {
        this.#position++;
        this.#say(step);
        continue;
      }
      const index = this.#early.findIndex((message) => isLike(message, recorded));
      const [met] = index === -1 ? [] : this.#early.splice(index, 1);
      if (met === undefined) return;
      this.#meet(met, recorded);
    }
  }

  #say(step: TraceLine): void {
    const { write, writeStderr, tell, exit } = this.#ports;
    if ('frame' in step) this.#write(this.#describe(step.frame, 'received'));
    else if ('noise' in step) write(step.noise);
    else if ('stderr' in step) writeStderr(step.stderr);
    else if ('gap' in step) tell({ code: 'trace_gap', params: { messages: step.gap } });
    else if (step.process === 'ended' && step.requested !== true) exit(step.code ?? 1);
  }

  #write({ kind, id, frame }: Described): void {
    const { write, tell } = this.#ports;
    if (kind !== 'response' || id === undefined) return write(this.#describer.format(frame));
    const now = this.#ids.get(id);
    if (now === undefined) tell({ code: 'request_missing', params: { id } });
    else write(this.#describer.format(this.#describer.withId?.(frame, now) ?? frame));
  }

  #meet(message: Described, recorded: Described): void {
    this.#position++;
    if (recorded.kind === 'request' && recorded.id !== undefined && message.id !== undefined) this.#ids.set(recorded.id, message.id);
  }
}

function isLike(message: Described, recorded: Described): boolean {
  if (message.kind !== recorded.kind) return false;
  return recorded.kind === 'response' ? message.id === recorded.id : message.method === recorded.method;
}

function nameOf(frame: Described): FrameName;
function nameOf(frame: Described | undefined): FrameName | undefined;
function nameOf(frame: Described | undefined): FrameName | undefined {
  if (frame === undefined) return undefined;
  const { kind, id, method } = frame;
  return { kind, ...(id === undefined ? {} : { id }), ...(method === undefined ? {} : { method }) };
}
