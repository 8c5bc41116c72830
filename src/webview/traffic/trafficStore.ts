/** The list as the page has it: the rows, the filter, the visible rows, and the selected one. */
import { batch, computed, type ReadonlySignal, signal, type Signal } from '@preact/signals';
import * as z from 'zod/mini';
import { type TrafficChange, type TrafficRow, trafficRowLimit } from '../../contract/traffic.js';

export const filterSchema = z.object({
  agent: z.string(),
  session: z.string(),
  method: z.string(),
  direction: z.enum(['', 'sent', 'received']),
  text: z.string(),
});
/** An empty member lets everything pass. */
export type TrafficFilter = z.infer<typeof filterSchema>;

export const noFilter: TrafficFilter = { agent: '', session: '', method: '', direction: '', text: '' };

/** The choices of the filter: everything since the list was last cleared. */
export interface Seen {
  readonly agents: readonly string[];
  readonly sessions: readonly string[];
  readonly methods: readonly string[];
}

export interface Detail {
  readonly text: string;
  readonly cut: boolean;
}

export interface TrafficStore {
  /** The rows that pass the filter, oldest first. */
  readonly shown: ReadonlySignal<readonly TrafficRow[]>;
  readonly total: ReadonlySignal<number>;
  readonly seen: ReadonlySignal<Seen>;
  readonly filter: Signal<TrafficFilter>;
  readonly paused: Signal<boolean>;
  readonly selectedKey: Signal<number | undefined>;
  readonly selected: ReadonlySignal<TrafficRow | undefined>;
  /** The details of the selected row; undefined until the host has sent them. */
  readonly detail: Signal<Detail | undefined>;
  /** The other message of the selected pair, if it is in the list. */
  readonly partner: ReadonlySignal<TrafficRow | undefined>;
  replace(rows: readonly TrafficRow[]): void;
  append(rows: readonly TrafficRow[], changes: readonly TrafficChange[]): void;
}

export function createTrafficStore(filter: TrafficFilter): TrafficStore {
  const rows = signal<readonly TrafficRow[]>([]);
  const seen = signal<Seen>({ agents: [], sessions: [], methods: [] });
  const filterSignal = signal(filter);
  const selectedKey = signal<number | undefined>(undefined);
  const selected = computed(() => rows.value.find(({ key }) => key === selectedKey.value));
  return {
    shown: computed(() => {
      const passes = filterOf(filterSignal.value);
      return passes === undefined ? rows.value : rows.value.filter(passes);
    }),
    total: computed(() => rows.value.length),
    seen,
    filter: filterSignal,
    paused: signal(false),
    selectedKey,
    selected,
    partner: computed(() => {
      const key = selected.value?.partner;
      return key === undefined ? undefined : rows.value.find((row) => row.key === key);
    }),
    detail: signal<Detail | undefined>(undefined),
    replace(all) {
      batch(() => {
        rows.value = all.slice(-trafficRowLimit);
        seen.value = withSeen({ agents: [], sessions: [], methods: [] }, all);
      });
    },
    append(more, changes) {
      batch(() => {
        const byKey = new Map(changes.map((change) => [change.key, change]));
        const settled =
          byKey.size === 0
            ? rows.value
            : rows.value.map((row) => {
                const change = byKey.get(row.key);
                return change === undefined ? row : { ...row, ...change };
              });
        const fresh = more.map((row) => {
          const change = byKey.get(row.key);
          return change === undefined ? row : { ...row, ...change };
        });
        rows.value = [...settled, ...fresh].slice(-trafficRowLimit);
        seen.value = withSeen(seen.value, more);
      });
    },
  };
}

/** @returns undefined if everything passes */
export function filterOf(filter: TrafficFilter): ((row: TrafficRow) => boolean) | undefined {
  const { agent, session, method, direction } = filter;
  const words = filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (agent === '' && session === '' && method === '' && direction === '' && words.length === 0) return undefined;
  return (row) => {
    if ((agent !== '' && row.agent !== agent) || (session !== '' && row.session !== session)) return false;
    if ((method !== '' && row.method !== method) || (direction !== '' && row.direction !== direction)) return false;
    if (words.length === 0) return true;
    const text = `${row.method ?? ''} ${row.id ?? ''} ${row.kind} ${row.text}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

/** Returns the same object if nothing is new, because a flood repeats the same values. */
function withSeen(seen: Seen, rows: readonly TrafficRow[]): Seen {
  const [agents, sessions, methods] = [new Set(seen.agents), new Set(seen.sessions), new Set(seen.methods)];
  for (const { agent, session, method } of rows) {
    agents.add(agent);
    if (session !== undefined) sessions.add(session);
    if (method !== undefined) methods.add(method);
  }
  const isSame = agents.size === seen.agents.length && sessions.size === seen.sessions.length && methods.size === seen.methods.length;
  return isSame ? seen : { agents: [...agents], sessions: [...sessions], methods: [...methods].toSorted() };
}
