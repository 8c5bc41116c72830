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
  return typeof message === 'string' || (typeof message === 'object' && message !== null && !Array.isArray(message));
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
