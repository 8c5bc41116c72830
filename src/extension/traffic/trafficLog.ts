import {
  type Disposable,
  DisposableStore,
  Emitter,
  type ExitInfo,
  type FrameDescription,
  isFields,
  type Logger,
  type RequestRecord,
  type TrafficItem,
} from '../../core/index.js';
import { TrafficReader, type TrafficSource, type TrafficSources } from './sources.js';
import { type TrafficChange, type TrafficOutcome, type TrafficRow, trafficRowLimit } from '../../contract/traffic.js';

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
function gapRow(count: number, at: number, key: number, agent: string): TrafficRow {
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
  if (session === undefined || !isFields(payload)) return payload;
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

/** The number of entries that are read at a time, so that a flood takes a limited part of the time; the rest appears as a gap. */
const batchItems = 200;

interface Kept {
  readonly row: TrafficRow;
  readonly source: TrafficSource;
  /** Undefined for a gap. */
  readonly item: TrafficItem | undefined;
}

export interface FoundItem {
  readonly source: TrafficSource;
  readonly item: TrafficItem;
}

interface LogUpdate {
  readonly rows: readonly TrafficRow[];
  readonly changes: readonly TrafficChange[];
}

/** What the inspector shows since it was opened: the traffic of all agents in one list, with responses assigned to their requests. */
export class TrafficLog implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onUpdate = new Emitter<LogUpdate>();
  readonly #kept = new Map<number, Kept>();
  readonly #readers = new Map<TrafficSource, TrafficReader>();
  readonly #log: Logger;
  /** Requests without a response, by source and number. */
  readonly #open = new Map<string, Kept>();
  #lastKey = 0;
  #isReady = false;
  /** Resolves when what was exchanged before is here. */
  readonly ready: Promise<void>;

  constructor(sources: TrafficSources, log: Logger) {
    this.#log = log;
    this.ready = this.#begin(sources.all);
    this.#store.add(sources.onChange((source) => void this.#read(source, batchItems)));
  }

  readonly onUpdate = this.#onUpdate.event;

  get isReady(): boolean {
    return this.#isReady;
  }

  get rows(): readonly TrafficRow[] {
    return [...this.#kept.values()].map(({ row }) => row);
  }

  /** Returns entries in the order of the list; leaves out those that no longer exist. */
  async find(keys: readonly number[]): Promise<readonly FoundItem[]> {
    const kept = keys.flatMap((key) => {
      const { source, item } = this.#kept.get(key) ?? {};
      return source === undefined || item === undefined ? [] : [{ source, item }];
    });
    // Reads the entries again together with what followed them, because a secret that began in one may be complete only now.
    const read = async (source: TrafficSource) => [source, new Map((await source.read()).map((item) => [item.seq, item]))] as const;
    const now = new Map(await Promise.all([...new Set(kept.map(({ source }) => source))].map(read)));
    return kept.map(({ source, item }) => ({ source, item: now.get(source)?.get(item.seq) ?? item }));
  }

  clear(): void {
    this.#kept.clear();
    this.#open.clear();
  }

  dispose(): void {
    this.#store.dispose();
    this.#onUpdate.dispose();
  }

  async #begin(sources: readonly TrafficSource[]): Promise<void> {
    await Promise.all(sources.map((source) => this.#read(source, Number.MAX_SAFE_INTEGER)));
    // By time, across agents.
    for (const { key } of this.rows.toSorted((one, other) => one.at - other.at)) this.#moveToEnd(key);
    this.#isReady = true;
  }

  async #read(source: TrafficSource, limit: number): Promise<void> {
    let reader = this.#readers.get(source);
    if (reader === undefined)
      this.#readers.set(source, (reader = new TrafficReader(source, (items, after) => this.#take(source, items, after))));
    await reader.read(limit).catch((error: unknown) => this.#log.info('Could not read the traffic of an agent', error));
  }

  #take(source: TrafficSource, items: readonly TrafficItem[], after: number): void {
    if (this.#store.disposed) return;
    const [rows, changes]: [TrafficRow[], TrafficChange[]] = [[], []];
    let expected = after + 1;
    for (const item of items) {
      if (item.seq > expected)
        rows.push(this.#keep(gapRow(item.seq - expected, item.entry.at, ++this.#lastKey, source.label), source, undefined));
      expected = item.seq + 1;
      const row = toRow(item, ++this.#lastKey, source.label);
      changes.push(...this.#settled(row, source, item));
      rows.push(this.#keep(this.#paired(row, source, item), source, item));
    }
    this.#trim();
    const update = { rows, changes: this.#apply(changes) };
    if (this.#isReady) this.#onUpdate.fire(update);
  }

  #trim(): void {
    for (const [key, kept] of this.#kept) {
      if (this.#kept.size <= trafficRowLimit) return;
      this.#kept.delete(key);
      if (kept.row.kind === 'request' && kept.item !== undefined) this.#open.delete(placeOf(kept.source, kept.item));
    }
  }

  #keep(row: TrafficRow, source: TrafficSource, item: TrafficItem | undefined): TrafficRow {
    const kept = { row, source, item };
    this.#kept.set(row.key, kept);
    if (row.kind === 'request' && item?.request !== undefined) this.#open.set(placeOf(source, item), kept);
    return row;
  }

  /** Adds the key of its request to a response. */
  #paired(row: TrafficRow, source: TrafficSource, item: TrafficItem): TrafficRow {
    if (row.kind !== 'response') return row;
    const place = placeOf(source, item);
    const request = this.#open.get(place);
    this.#open.delete(place);
    return request === undefined ? row : { ...row, partner: request.row.key };
  }

  /** Returns what the row says about earlier requests. */
  #settled(row: TrafficRow, source: TrafficSource, item: TrafficItem): readonly TrafficChange[] {
    if (row.kind === 'process') {
      const lost = [...this.#open].filter(([, kept]) => kept.source.id === source.id);
      for (const [place] of lost) this.#open.delete(place);
      return lost.flatMap(([, kept]) => (kept.row.outcome === undefined ? [changeOf(kept.row, 'lost', row.at)] : []));
    }
    if (row.kind !== 'response') return [];
    const request = this.#open.get(placeOf(source, item));
    return request === undefined ? [] : [{ ...changeOf(request.row, row.outcome ?? 'ok', row.at), partner: row.key }];
  }

  #apply(changes: readonly TrafficChange[]): readonly TrafficChange[] {
    for (const { key, ...change } of changes) {
      const kept = this.#kept.get(key);
      if (kept !== undefined) this.#kept.set(key, { ...kept, row: { ...kept.row, ...change } });
    }
    return changes;
  }

  #moveToEnd(key: number): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
  }
}

/** Returns the same key for a request and its response. A response without a request gets a key that no request has. */
function placeOf(source: TrafficSource, { request }: TrafficItem): string {
  return `${source.id} ${request?.number ?? ''}`;
}

function changeOf(request: TrafficRow, outcome: TrafficOutcome, at: number): TrafficChange {
  return { key: request.key, outcome, durationMs: request.durationMs ?? Math.max(0, at - request.at) };
}
