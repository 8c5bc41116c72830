/**
 * The content of a journal file: one JSON object per line. The first line is the header, then come events. A line at the beginning of a
 * later file of a conversation has what is still open from the files before it. A line that was cut off is followed by the complete line,
 * or by nothing. Additions to a tool call have their own kind of line (toolLines.ts).
 */
import * as z from 'zod/mini';
import { isFields } from '../base/fields.js';
import { parseJson } from '../base/parseJson.js';
import { promptText } from '../session/content.js';
import type { SessionEvent } from '../session/event.js';
import { parseEvent } from './eventSchema.js';
import { formatVersion } from './formatVersion.js';
import { ToolLineReader } from './toolLines.js';

const formatName = 'acp-host-journal';
const headerStart = `{"format":"${formatName}"`;
const standingStart = '{"standing":';
/** As the writer writes it. Most lines are chunks of an answer. */
const messageStart = '{"type":"message",';
/** The number of consecutive attempts to write a header that the disk may have cut off. */
const headLines = 8;

const headerSchema = z.object({
  format: z.literal(formatName),
  version: z.number(),
  sessionId: z.string(),
  agentId: z.string(),
  cwd: z.string(),
  createdAt: z.number(),
  /** The size in bytes of all earlier files of the conversation. */
  offsetBytes: z._default(z.number(), 0),
  /** The size of the tool output that was removed from this file. */
  removedOutputBytes: z._default(z.number(), 0),
});
const standingSchema = z.object({ standing: z.array(z.unknown()) });

/** The session to which a journal belongs, from its first line. */
export interface JournalHeader {
  readonly sessionId: string;
  readonly agentId: string;
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

export interface SegmentHeader extends JournalHeader {
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

/** @param standing the state from which the events of this file continue */
export function formatHead(
  { sessionId, agentId, cwd, createdAt, offsetBytes }: Omit<SegmentHeader, 'removedOutputBytes'>,
  standing: readonly SessionEvent[] = [],
): string {
  const header = { format: formatName, version: formatVersion, sessionId, agentId, cwd, createdAt, offsetBytes };
  return `${JSON.stringify(header)}\n${standing.length === 0 ? '' : `${JSON.stringify({ standing })}\n`}`;
}

/**
 * @param lines of the file, or of its beginning
 * @param wanted the expected owner of the file; absent: any
 */
export function parseHead(lines: readonly string[], wanted?: Pick<JournalHeader, 'agentId' | 'sessionId'>): SegmentHead {
  // A header that was cut off precedes the complete one.
  const line = lines.slice(0, headLines).find((one) => one.startsWith(headerStart) && parseJson(one) !== undefined);
  if (line === undefined) return { type: lines.slice(0, headLines).every(isPieceOfHead) ? 'empty' : 'foreign' };
  const parsed = headerSchema.safeParse(parseJson(line));
  if (!parsed.success) return { type: 'foreign' };
  const { format: _, version, ...header } = parsed.data;
  if (version > formatVersion) return { type: 'newer', version, header };
  const isWanted = wanted === undefined || (header.agentId === wanted.agentId && header.sessionId === wanted.sessionId);
  return isWanted && version === formatVersion ? { type: 'ours', header } : { type: 'foreign' };
}

/**
 * The events of a file that leave state for the next file, after the state at its beginning. Chunks of messages leave none
 * (`checkpointAfter`), so they aren't even parsed: a file may be started while the agent streams.
 */
export function parseLasting(
  text: string,
  wanted: Pick<JournalHeader, 'agentId' | 'sessionId'>,
): { readonly head: SegmentHead; readonly events: readonly SessionEvent[] } {
  const lines = text.split('\n');
  const head = parseHead(lines, wanted);
  if (head.type !== 'ours') return { head, events: [] };
  const lasting = lines.filter((line) => !line.startsWith(messageStart));
  const parser = new LineParser(lasting, new ToolLineReader());
  const events = [...parser.events()];
  return { head, events: [...parser.standing, ...events] };
}

/** Parses lines of one file, each when its event is taken: the events of a long conversation needn't be in memory all at once. */
export class LineParser {
  readonly #lines: readonly string[];
  readonly #tools: ToolLineReader;
  #standing: readonly SessionEvent[] | undefined;
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
   * What was open when the file was started, once its first event was taken; not needed by a reader that knows the files before it.
   */
  get standing(): readonly SessionEvent[] {
    return this.#standing ?? [];
  }

  /** The number of lines so far that could not be read. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Call it once. */
  *events(): Generator<SessionEvent, void> {
    for (const [index, line] of this.#lines.entries()) {
      if (line === '' || line.startsWith(headerStart)) continue;
      if (line.startsWith(standingStart)) {
        if (this.#standing === undefined) this.#tools.seed((this.#standing = parseStanding(line)));
        continue;
      }
      const event = this.#tools.parse(parseJson(line));
      if (event !== undefined) yield event;
      else if (!isCutShort(line, this.#lines[index + 1])) this.#dropped++;
    }
  }
}

/** The text of the first prompt, if it is in these lines. */
export function firstPromptIn(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    // Most lines are chunks of answers: only lines that can be a prompt are parsed.
    if (!line.includes('"turn_started"')) continue;
    const event = parseEvent(parseJson(line));
    const text = event?.type === 'turn_started' && event.content !== undefined ? promptText(event.content) : textInPart(line);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The first text of a prompt whose line was only read in part, because a picture or more text follows. */
function textInPart(line: string): string | undefined {
  const text = /^\{"type":"turn_started",[^[]*"content":\[\{"type":"text","text":"((?:[^"\\]|\\u[\da-f]{4}|\\[^u])*)/i.exec(line)?.[1];
  return text === undefined ? undefined : (parseJson(`"${text}"`) as string | undefined);
}

/** The session that this one continues, if these lines name it. */
export function originIn(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const event = line.includes('"continues"') ? parseEvent(parseJson(line)) : undefined;
    if (event?.type === 'opened' && event.continues !== undefined) return event.continues;
  }
  return undefined;
}

function parseStanding(line: string): readonly SessionEvent[] {
  const parsed = standingSchema.safeParse(parseJson(line));
  return parsed.success ? parsed.data.standing.map((event) => parseEvent(event)).filter((event) => event !== undefined) : [];
}

/** Whether the disk was full in the middle of the line, and the next attempt wrote it again, perhaps no further. */
function isCutShort(line: string, next = ''): boolean {
  return next !== '' && (next.startsWith(line) || line.startsWith(next));
}

function isPieceOfHead(line: string): boolean {
  return headerStart.startsWith(line) || line.startsWith(headerStart);
}
