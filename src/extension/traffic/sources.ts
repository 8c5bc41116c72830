/** The agents of this window whose traffic can be shown, including those that have ended. */
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

/** One host of an agent. After it has ended, its last known state stays available. */
export interface TrafficSource {
  /** Unique in the window. */
  readonly id: number;
  /** For users. */
  readonly label: string;
  read(o?: ReadTraffic): readonly TrafficItem[];
  diagnostics(): HostDiagnostics;
}

/** A report is often made after the user restarted the agent; older hosts no longer matter. */
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

  /** Fires when a source has more entries to read. */
  readonly onChange = this.#onChange.event;

  /** Hosts that have ended come first. */
  get all(): readonly TrafficSource[] {
    return [...this.#gone, ...this.#live.keys()];
  }

  /** Dispose of the result before the host. */
  attach(host: AgentHost, label: string): Disposable {
    const owned = new DisposableStore();
    const source: TrafficSource = { id: ++this.#lastId, label, read: (o) => host.readTraffic(o), diagnostics: () => host.diagnostics() };
    this.#live.set(source, host);
    owned.add(host.onTrafficChange(() => this.#onChange.fire(source)));
    owned.add({ dispose: () => this.#keep(source) });
    if (this.#tracing) this.#trace(host);
    return this.#store.add(owned);
  }

  /** From now on, logs each message at the level "trace". A second call has no effect. */
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

/** A message may contain a whole file. */
const loggedChars = 4_000;

function cutText(text: string): string {
  return text.length <= loggedChars ? text : `${text.slice(0, loggedChars)} … ${text.length - loggedChars} more characters`;
}
