import { type TrafficChange, type TrafficOutcome, type TrafficRow, trafficRowLimit } from '../../contract/traffic.js';
import { type Disposable, DisposableStore, Emitter, type TrafficItem } from '../../core/index.js';
import { gapRow, toRow } from './rows.js';
import type { TrafficSource, TrafficSources } from './sources.js';

/** The number of entries that are read at a time, so that a flood takes a limited part of the time; the rest appears as a gap. */
const batchItems = 200;

interface Kept {
  readonly row: TrafficRow;
  readonly source: TrafficSource;
  /** Undefined for a gap. */
  readonly item: TrafficItem | undefined;
}

export interface LogUpdate {
  readonly rows: readonly TrafficRow[];
  readonly changes: readonly TrafficChange[];
}

/** What the inspector shows since it was opened: the traffic of all agents in one list, with responses assigned to their requests. */
export class TrafficLog implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onUpdate = new Emitter<LogUpdate>();
  readonly #kept = new Map<number, Kept>();
  /** The last `seq` that was read, by the id of the source. */
  readonly #read = new Map<number, number>();
  /** Requests without a response, by source and number. */
  readonly #open = new Map<string, Kept>();
  #lastKey = 0;

  constructor(sources: TrafficSources) {
    const first = sources.all.flatMap((source) => this.#take(source, Number.MAX_SAFE_INTEGER).rows);
    // Sorts the entries from before by time, across agents.
    for (const { key } of first.toSorted((one, other) => one.at - other.at)) this.#moveToEnd(key);
    this.#store.add(
      sources.onChange((source) => {
        const update = this.#take(source, batchItems);
        if (update.rows.length > 0) this.#onUpdate.fire(update);
      }),
    );
  }

  readonly onUpdate = this.#onUpdate.event;

  get rows(): readonly TrafficRow[] {
    return [...this.#kept.values()].map(({ row }) => row);
  }

  /** Returns entries in the order of the list; leaves out those that no longer exist. */
  find(keys: readonly number[]): readonly { readonly source: TrafficSource; readonly item: TrafficItem }[] {
    const read = new Map<TrafficSource, ReadonlyMap<number, TrafficItem>>();
    return keys.flatMap((key) => {
      const { source, item } = this.#kept.get(key) ?? {};
      if (source === undefined || item === undefined) return [];
      // Reads the entry again together with what followed it, because a secret that began in it may be complete only now.
      const items = read.get(source) ?? new Map(source.read().map((one) => [one.seq, one]));
      read.set(source, items);
      return [{ source, item: items.get(item.seq) ?? item }];
    });
  }

  clear(): void {
    this.#kept.clear();
    this.#open.clear();
  }

  dispose(): void {
    this.#store.dispose();
    this.#onUpdate.dispose();
  }

  #take(source: TrafficSource, limit: number): LogUpdate {
    const after = this.#read.get(source.id) ?? 0;
    const [rows, changes]: [TrafficRow[], TrafficChange[]] = [[], []];
    let expected = after + 1;
    for (const item of source.read({ after, limit })) {
      if (item.seq > expected)
        rows.push(this.#keep(gapRow(item.seq - expected, item.entry.at, ++this.#lastKey, source.label), source, undefined));
      expected = item.seq + 1;
      const row = toRow(item, ++this.#lastKey, source.label);
      changes.push(...this.#settled(row, source, item));
      rows.push(this.#keep(this.#paired(row, source, item), source, item));
    }
    this.#read.set(source.id, expected - 1);
    this.#trim();
    return { rows, changes: this.#apply(changes) };
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
