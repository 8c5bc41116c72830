/** The agents of this window whose traffic can be looked at, also those that are gone. */
import {
  type AgentHost,
  type Disposable,
  DisposableStore,
  Emitter,
  type HostDiagnostics,
  type Logger,
  type ReadTraffic,
  type TrafficEntry,
  type TrafficItem,
} from '../../core/index.js';

/** One host of an agent. When it is gone, what was known of it last stays. */
export interface TrafficSource {
  /** Unique in the window. */
  readonly id: number;
  /** For people. */
  readonly label: string;
  read(o?: ReadTraffic): readonly TrafficItem[];
  diagnostics(): HostDiagnostics;
}

/** A report is often made after the agent was restarted by hand; older ones do not matter any more. */
const keptGone = 3;

export class TrafficSources implements Disposable {
  readonly #log: Logger;
  readonly #store = new DisposableStore();
  readonly #onChange = new Emitter<TrafficSource>();
  readonly #live = new Map<TrafficSource, AgentHost>();
  #gone: readonly TrafficSource[] = [];
  #lastId = 0;
  #tracing = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Has more to read. */
  readonly onChange = this.#onChange.event;

  /** Those that are gone first. */
  get all(): readonly TrafficSource[] {
    return [...this.#gone, ...this.#live.keys()];
  }

  /** To be disposed before the host is. */
  attach(host: AgentHost, label: string): Disposable {
    const owned = new DisposableStore();
    const source: TrafficSource = { id: ++this.#lastId, label, read: (o) => host.readTraffic(o), diagnostics: () => host.diagnostics() };
    this.#live.set(source, host);
    owned.add(host.onTrafficChange(() => this.#onChange.fire(source)));
    owned.add({ dispose: () => this.#keep(source) });
    if (this.#tracing) this.#trace(host);
    return this.#store.add(owned);
  }

  /** From now on each message goes to the log, at the level "trace". A second call changes nothing. */
  trace(): void {
    if (this.#tracing) return;
    this.#tracing = true;
    for (const host of this.#live.values()) this.#trace(host);
  }

  dispose(): void {
    this.#store.dispose();
    this.#onChange.dispose();
  }

  #keep({ id, label, read, diagnostics }: TrafficSource): void {
    const source = [...this.#live.keys()].find((one) => one.id === id);
    if (source === undefined) return;
    this.#live.delete(source);
    const [items, known] = [read(), diagnostics()];
    const frozen: TrafficSource = {
      id,
      label,
      read: ({ after = 0, limit = items.length } = {}) => items.filter(({ seq }) => seq > after).slice(-limit),
      diagnostics: () => known,
    };
    if (items.length > 0) this.#gone = [...this.#gone, frozen].slice(-keptGone);
    this.#onChange.fire(frozen);
  }

  #trace(host: AgentHost): void {
    this.#store.add(
      host.onTraffic((entry) => {
        this.#log.trace(`${entry.direction === 'sent' ? '→' : '←'} ${logText(entry)}`);
      }),
    );
  }
}

function logText(entry: TrafficEntry): string {
  switch (entry.kind) {
    case 'message':
      return cutText(typeof entry.message === 'string' ? entry.message : JSON.stringify(entry.message));
    case 'process':
      return entry.event;
    default:
      return `(${entry.kind}) ${cutText(entry.text)}`;
  }
}

/** A message may hold a whole file. */
const loggedChars = 4_000;

function cutText(text: string): string {
  return text.length <= loggedChars ? text : `${text.slice(0, loggedChars)} … ${text.length - loggedChars} more characters`;
}
