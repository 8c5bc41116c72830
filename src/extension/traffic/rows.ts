/** Maps recorded entries to the rows of the inspector. Pure. */
import type { TrafficOutcome, TrafficRow } from '../../contract/traffic.js';
import type { ExitInfo, FrameDescription, RequestRecord, TrafficItem } from '../../core/index.js';

/** Enough for filtering and recognizing a message; the page asks for the whole message. */
const textChars = 1_000;

/**
 * @param key the key of the row
 * @param agent for users
 */
export function toRow({ entry, frame, request }: TrafficItem, key: number, agent: string): TrafficRow {
  const { at, direction, bytes } = entry;
  const common = { key, agent, at, direction, bytes };
  switch (entry.kind) {
    case 'noise':
    case 'stderr':
      return { ...common, kind: entry.kind, text: cut(entry.text) };
    case 'process':
      return { ...common, kind: 'process', text: entry.event === 'started' ? 'Agent started' : endText(entry.exit) };
    case 'message':
      return { ...common, ...(frame === undefined ? { kind: 'other', text: textOf(entry.message) } : frameParts(frame, request)) };
  }
}

/** Returns a row for entries in between that are no longer available. */
export function gapRow(count: number, at: number, key: number, agent: string): TrafficRow {
  return {
    key,
    agent,
    at,
    direction: 'received',
    kind: 'gap',
    bytes: 0,
    text: `${count} ${count === 1 ? 'message is' : 'messages are'} no longer available`,
  };
}

type FrameParts = Pick<TrafficRow, 'kind' | 'text'> & Partial<TrafficRow>;

function frameParts(frame: FrameDescription, request: RequestRecord | undefined): FrameParts {
  const { kind, id, payload, error } = frame;
  const of = kind === 'request' || kind === 'response' ? request : undefined;
  const method = frame.method ?? of?.method;
  const session = frame.session ?? of?.session;
  return {
    kind,
    text: textOf(withoutSession(payload, frame.session)),
    ...(id === undefined ? {} : { id: String(id) }),
    ...(method === undefined ? {} : { method }),
    ...(session === undefined ? {} : { session }),
    ...(of === undefined ? {} : settledPart(of)),
    ...(error === undefined ? {} : { outcome: 'error' as const }),
  };
}

function settledPart({ outcome, durationMs }: RequestRecord): { readonly outcome?: TrafficOutcome; readonly durationMs?: number } {
  return outcome === 'open' || durationMs === undefined ? {} : { outcome, durationMs };
}

/** Removes the session, which has its own column. A single remaining member is returned without its name. */
function withoutSession(payload: unknown, session: string | undefined): unknown {
  if (session === undefined || typeof payload !== 'object' || payload === null || Array.isArray(payload)) return payload;
  const rest = Object.entries(payload).filter(([, member]) => member !== session);
  return rest.length === 1 ? rest[0]?.[1] : Object.fromEntries(rest);
}

/** Returns text unchanged, everything else as JSON. */
function textOf(value: unknown): string {
  if (value === undefined) return '';
  return cut(typeof value === 'string' ? value : JSON.stringify(value));
}

function cut(text: string): string {
  return text.length <= textChars ? text : `${text.slice(0, textChars)} …`;
}

function endText(exit: ExitInfo | undefined): string {
  if (exit === undefined) return 'Agent exited';
  const how = exit.signal === null ? `code ${exit.code}` : `signal ${exit.signal}`;
  return `Agent ${exit.requested ? 'stopped' : 'exited unexpectedly'} (${how})`;
}
