/** From the kept entries to the lines of the inspector. Pure. */
import type { TrafficOutcome, TrafficRow } from '../../contract/traffic.js';
import type { RequestOutcome, TrafficItem } from '../../core/index.js';

/** Enough to filter by and to recognise; the whole message is asked for. */
const textChars = 1_000;

type Fields = Readonly<Record<string, unknown>>;

/** @param key of the row @param agent for people */
export function toRow({ entry, request }: TrafficItem, key: number, agent: string): TrafficRow {
  const { at, direction, bytes } = entry;
  const common = { key, agent, at, direction, bytes };
  switch (entry.kind) {
    case 'noise':
    case 'stderr':
      return { ...common, kind: entry.kind, text: cut(entry.text) };
    case 'process':
      return { ...common, kind: 'process', text: entry.event === 'started' ? 'The agent was started' : endWords(entry.exit) };
    case 'message':
      return { ...common, ...messageParts(fieldsOf(entry.message), entry.message, request) };
  }
}

/** What came between two rows and is not kept any more. */
export function gapRow(count: number, at: number, key: number, agent: string): TrafficRow {
  return {
    key,
    agent,
    at,
    direction: 'received',
    kind: 'gap',
    bytes: 0,
    text: `${count} ${count === 1 ? 'message is' : 'messages are'} not kept: too many came at once, or too long ago`,
  };
}

type MessageParts = Pick<TrafficRow, 'kind' | 'text'> & Partial<TrafficRow>;

function messageParts(message: Fields, whole: unknown, request: TrafficItem['request']): MessageParts {
  const { id, method, params, result, error } = message;
  const idPart = typeof id === 'string' || typeof id === 'number' ? { id: String(id) } : {};
  if (typeof method === 'string') {
    return {
      kind: 'id' in idPart ? 'request' : 'notification',
      ...idPart,
      method,
      text: textOf(withoutSession(params)),
      ...sessionPart(params),
      ...('id' in idPart && request !== undefined ? settledPart(request.outcome, request.durationMs) : {}),
    };
  }
  if (!('id' in idPart)) return { kind: 'other', text: textOf(whole) };
  return {
    kind: 'response',
    ...idPart,
    ...(request === undefined ? {} : { method: request.method, ...settledPart(request.outcome, request.durationMs) }),
    ...(error === undefined ? {} : { outcome: 'error' as const }),
    text: textOf(error ?? withoutSession(result)),
    ...sessionPart(request?.params),
    ...sessionPart(result),
  };
}

function settledPart(
  outcome: RequestOutcome,
  durationMs: number | undefined,
): { readonly outcome?: TrafficOutcome; readonly durationMs?: number } {
  return outcome === 'open' || durationMs === undefined ? {} : { outcome, durationMs };
}

function sessionPart(value: unknown): { readonly session?: string } {
  const { sessionId } = fieldsOf(value);
  return typeof sessionId === 'string' ? { session: sessionId } : {};
}

/** The session has a place of its own in a row; what is alone beside it stands for itself. */
function withoutSession(value: unknown): unknown {
  const { sessionId, ...rest } = fieldsOf(value);
  if (typeof sessionId !== 'string') return value;
  const members = Object.values(rest);
  return members.length === 1 ? members[0] : rest;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function textOf(value: unknown): string {
  return value === undefined ? '' : cut(JSON.stringify(value));
}

function cut(text: string): string {
  return text.length <= textChars ? text : `${text.slice(0, textChars)} …`;
}

function endWords(exit: { readonly code: number | null; readonly signal: string | null; readonly requested: boolean } | undefined): string {
  if (exit === undefined) return 'The agent ended';
  const how = exit.signal === null ? `with code ${exit.code}` : `by ${exit.signal}`;
  return `The agent ${exit.requested ? 'was ended' : 'ended by itself'}, ${how}`;
}
