import { type TrafficChange, type TrafficOutcome, type TrafficRow, trafficRowLimit } from '../../contract/traffic.js';
import { type Disposable, DisposableStore, Emitter, type TrafficItem } from '../../core/index.js';
import { gapRow, toRow } from './rows.js';
import type { TrafficSource, TrafficSources } from './sources.js';

/** More is not taken at a time, so that a flood costs a bounded part of the time; what is left out is told as a gap. */
const batchItems = 200;

interface Kept {
  readonly row: TrafficRow;
  readonly source: TrafficSource;
  /** Absent for a gap. */
  readonly item: TrafficItem | undefined;
}

export interface LogUpdate {
  readonly rows: readonly TrafficRow[];
  readonly changes: readonly TrafficChange[];
}

/** What the inspector shows, from when it was opened: the traffic of all agents in one list, requests paired with their responses. */
export class TrafficLog implements Disposable {
  readonly #store = new DisposableStore();
  readonly #onUpdate = new Emitter<LogUpdate>();
  readonly #kept = new Map<number, Kept>();
  /** By id of the source: the last one that was read. */
  readonly #read = new Map<number, number>();
  /** Requests without a response: by source and number. */
  readonly #open = new Map<string, Kept>();
  #lastKey = 0;

  constructor(sources: TrafficSources) {
    const first = sources.all.flatMap((source) => this.#take(source, Number.MAX_SAFE_INTEGER).rows);
    // What was there before is in the order of time, whoever's it is.
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

  /** In the order of the list; those that are gone are left out. */
  find(keys: readonly number[]): readonly { readonly source: TrafficSource; readonly item: TrafficItem }[] {
    const read = new Map<TrafficSource, ReadonlyMap<number, TrafficItem>>();
    return keys.flatMap((key) => {
      const { source, item } = this.#kept.get(key) ?? {};
      if (source === undefined || item === undefined) return [];
      // Read again with what came after it: only now a secret may be complete that began in it.
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

  /** A response with the key of its request. */
  #paired(row: TrafficRow, source: TrafficSource, item: TrafficItem): TrafficRow {
    if (row.kind !== 'response') return row;
    const place = placeOf(source, item);
    const request = this.#open.get(place);
    this.#open.delete(place);
    return request === undefined ? row : { ...row, partner: request.row.key };
  }

  /** What the row says of requests before it. */
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

/** Of a request and of its response. A response to nothing has the place of nothing. */
function placeOf(source: TrafficSource, { request }: TrafficItem): string {
  return `${source.id} ${request?.number ?? ''}`;
}

function changeOf(request: TrafficRow, outcome: TrafficOutcome, at: number): TrafficChange {
  return { key: request.key, outcome, durationMs: request.durationMs ?? Math.max(0, at - request.at) };
}
