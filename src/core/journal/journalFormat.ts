/**
 * The content of a journal file: one JSON object per line. The first line is the header. Then come the sessions of the conversation: a line
 * that names the session, and its events. At the beginning of a later file, the line after the session's name has what is still open from
 * the files before it. A line that was cut off is followed by the complete line, or by nothing. Additions to a tool call have their own kind
 * of line (toolLines.ts).
 */
import * as z from 'zod/mini';
import { isFields } from '../base/fields.js';
import { parseJson } from '../base/parseJson.js';
import type { SessionEvent } from '../session/event.js';
import { idByTime } from '../session/reducer.js';
import { parseEvent } from './eventSchema.js';
import { ToolLineReader } from './toolLines.js';

/** The version of the files. No other one is read. */
export const formatVersion = 6;
const formatName = 'acp-host-journal';
const headerStart = `{"format":"${formatName}"`;
const sessionStart = '{"session":';
export const standingStart = '{"standing":';
/** As the writer writes it. Most lines are chunks of an answer. */
const messageStart = '{"type":"message",';
/** The number of consecutive attempts to write a header that the disk may have cut off. */
export const headLines = 8;

const headerSchema = z.object({
  format: z.literal(formatName),
  version: z.number(),
  id: z.string(),
  /** The size in bytes of all earlier files of the conversation. */
  offsetBytes: z._default(z.number(), 0),
  /** The size of the tool output that was removed from this file. */
  removedOutputBytes: z._default(z.number(), 0),
});
const sessionSchema = z.object({
  session: z.object({ id: z.optional(z.string()), agentId: z.string(), sessionId: z.string(), cwd: z.string(), createdAt: z.number() }),
});
const standingSchema = z.object({ standing: z.array(z.unknown()) });

/** A session of a conversation, as its journal names it. */
export interface SessionHeader {
  /** The host's id. */
  readonly id: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface SegmentHeader {
  /** Identifies the conversation. */
  readonly id: string;
  readonly offsetBytes: number;
  readonly removedOutputBytes: number;
}

/** How a file begins. `ours`: a header of this version. `empty`: no header, or only a piece of the expected one. */
export type SegmentHead =
  | { readonly type: 'ours'; readonly header: SegmentHeader }
  | { readonly type: 'newer'; readonly version: number; readonly header: SegmentHeader }
  | { readonly type: 'foreign' }
  | { readonly type: 'empty' };

/** @returns the header with the size of what was removed from its file; any other line unchanged */
export function headerWithout(line: string, removedOutputBytes: number): string {
  const header = line.startsWith(headerStart) ? parseJson(line) : undefined;
  return isFields(header) ? JSON.stringify({ ...header, removedOutputBytes }) : line;
}

export function formatHead({ id, offsetBytes }: Omit<SegmentHeader, 'removedOutputBytes'>): string {
  return `${JSON.stringify({ format: formatName, version: formatVersion, id, offsetBytes })}\n`;
}

/** The line before the events of a session. @param standing the state from which they continue */
export function formatSession({ id, agentId, sessionId, cwd, createdAt }: SessionHeader, standing: readonly SessionEvent[] = []): string {
  const line = JSON.stringify({ session: { id, agentId, sessionId, cwd, createdAt } });
  return `${line}\n${standing.length === 0 ? '' : `${JSON.stringify({ standing })}\n`}`;
}

/**
 * @param lines of the file, or of its beginning
 * @param wanted the id of the expected conversation; absent: any
 */
export function parseHead(lines: readonly string[], wanted?: string): SegmentHead {
  // A header that was cut off precedes the complete one.
  const line = lines.slice(0, headLines).find((one) => one.startsWith(headerStart) && parseJson(one) !== undefined);
  if (line === undefined) return { type: lines.slice(0, headLines).every(isPieceOfHead) ? 'empty' : 'foreign' };
  const parsed = headerSchema.safeParse(parseJson(line));
  if (!parsed.success) return { type: 'foreign' };
  const { format: _, version, ...header } = parsed.data;
  if (version > formatVersion) return { type: 'newer', version, header };
  const isOurs = version === formatVersion && (wanted === undefined || header.id === wanted);
  return isOurs ? { type: 'ours', header } : { type: 'foreign' };
}

/** What a journal consists of: the name of a session, then its events. */
export type JournalEntry = SessionEvent | { readonly type: 'session'; readonly session: SessionHeader };

/** The last session of a file, and its events that leave state for the next file, after the state at the beginning of the file. */
export interface Lasting {
  readonly session: SessionHeader | undefined;
  readonly events: readonly SessionEvent[];
}

/**
 * Chunks of messages leave no state (`checkpointAfter`), so they aren't even parsed: a file may be started while the agent streams.
 * @param text of a file with a header of this version
 */
export function parseLasting(text: string): Lasting {
  const lines = text.split('\n').filter((line) => !line.startsWith(messageStart));
  const parser = new LineParser(lines, new ToolLineReader());
  let session: SessionHeader | undefined;
  let events: SessionEvent[] = [];
  for (const entry of parser.entries()) {
    if (entry.type !== 'session') events.push(entry);
    else if (!isSameSession(session, entry.session)) [session, events] = [entry.session, []];
  }
  return { session, events: parser.standingIn(session).concat(events) };
}

/** A session is named again whenever it is opened again, and at the beginning of each file. */
export function isSameSession(one: SessionHeader | undefined, other: SessionHeader): boolean {
  return one?.id === other.id;
}

/** Parses lines of one file, each when its entry is taken: the events of a long conversation needn't be in memory all at once. */
export class LineParser {
  readonly #lines: readonly string[];
  readonly #tools: ToolLineReader;
  #standing: { readonly session: SessionHeader | undefined; readonly events: readonly SessionEvent[] } | undefined;
  #session: SessionHeader | undefined;
  #dropped = 0;

  /**
   * @param lines some lines of a file
   * @param tools the tool calls in the lines before them
   */
  constructor(lines: readonly string[], tools: ToolLineReader) {
    this.#lines = lines;
    this.#tools = tools;
  }

  /**
   * What was open in this session when the file was started, once its first event was taken; not needed by a reader that knows the files
   * before it.
   */
  standingIn(session: SessionHeader | undefined): readonly SessionEvent[] {
    const { session: its, events = [] } = this.#standing ?? {};
    return session !== undefined && isSameSession(its, session) ? events : [];
  }

  /** The number of lines so far that could not be read. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Call it once. */
  *entries(): Generator<JournalEntry, void> {
    for (const [index, line] of this.#lines.entries()) {
      if (line === '' || line.startsWith(headerStart)) continue;
      const parsed = parseJson(line);
      if (line.startsWith(standingStart)) {
        if (this.#standing !== undefined) continue;
        this.#standing = { session: this.#session, events: parseStanding(parsed) };
        this.#tools.seed(this.#standing.events);
        continue;
      }
      const entry = line.startsWith(sessionStart) ? this.#nextSession(parsed) : this.#tools.parse(parsed);
      if (entry !== undefined) yield entry;
      else if (!this.#isWrittenAgain(index)) this.#dropped++;
    }
  }

  /** Whether the line was cut off. A writer that opened the file again then named the session before it wrote the line again. */
  #isWrittenAgain(index: number): boolean {
    const [line = '', next = '', second] = this.#lines.slice(index, index + 3);
    return isCutShort(line, next) || (next.startsWith(sessionStart) && isCutShort(line, second));
  }

  #nextSession(parsed: unknown): JournalEntry | undefined {
    const { success, data } = sessionSchema.safeParse(parsed);
    if (!success) return undefined;
    const { id = idByTime(data.session.sessionId, data.session.createdAt), ...named } = data.session;
    const session = { id, ...named };
    if (!isSameSession(this.#session, session) && this.#session !== undefined) this.#tools.forget();
    this.#session = session;
    return { type: 'session', session };
  }
}

function parseStanding(line: unknown): readonly SessionEvent[] {
  const parsed = standingSchema.safeParse(line);
  return parsed.success ? parsed.data.standing.map((event) => parseEvent(event)).filter((event) => event !== undefined) : [];
}

/** Whether the disk was full in the middle of the line, and the next attempt wrote it again, perhaps no further. */
function isCutShort(line: string, next = ''): boolean {
  return next !== '' && (next.startsWith(line) || line.startsWith(next));
}

function isPieceOfHead(line: string): boolean {
  return headerStart.startsWith(line) || line.startsWith(headerStart);
}
