/** The agents of this window whose traffic can be shown, including those that ended recently. */
import {
  type AgentProcess,
  type Disposable,
  DisposableStore,
  Emitter,
  type EngineClient,
  type Logger,
  type HostDiagnostics,
  type ReadTraffic,
  realFolderPath,
  type TrafficEntry,
  type TrafficItem,
} from '../../core/index.js';
import type { Folder } from '../window/workspace.js';

/** One agent that runs or has ended. The object is the same for as long as the window is open. */
export interface TrafficSource {
  /** Unique in the window. */
  readonly id: string;
  /** For users. */
  readonly label: string;
  /** Absolute. */
  readonly cwd: string;
  /** @throws HostError if the engine can't be reached */
  read(o?: ReadTraffic): Promise<readonly TrafficItem[]>;
  /** @throws HostError like `read`, and `usage` if it ended long ago */
  diagnostics(): Promise<HostDiagnostics>;
}

export interface TrafficSourcesOptions {
  readonly engine: Pick<EngineClient, 'facts' | 'call' | 'onTraffic' | 'connection'>;
  /** Returns those of the window. */
  folders(): readonly Folder[];
  readonly log: Logger;
}

export class TrafficSources implements Disposable {
  readonly #options: TrafficSourcesOptions;
  readonly #store = new DisposableStore();
  readonly #onChange = this.#store.add(new Emitter<TrafficSource>());
  readonly #known = new Map<string, TrafficSource>();
  #isTracing = false;
  /** The engine that was last reached. */
  #engineName = '';

  constructor(options: TrafficSourcesOptions) {
    this.#options = options;
    this.#store.add(
      options.engine.onTraffic((id) => {
        const source = this.#find(id);
        if (source !== undefined) this.#onChange.fire(source);
      }),
    );
  }

  /** Fires when a source has more entries to read. */
  readonly onChange = this.#onChange.event;

  /** Those that have ended come first. */
  get all(): readonly TrafficSource[] {
    const { engine, folders } = this.#options;
    const own = folders().map((folder) => ({ folder, path: realFolderPath(folder.path) }));
    return engine.facts.state.processes.flatMap((process) => {
      const path = realFolderPath(process.cwd);
      const found = own.find((one) => one.path === path);
      if (found === undefined) return [];
      return [this.#sourceOf(process, own.length > 1 ? `${process.label} · ${found.folder.name}` : process.label)];
    });
  }

  /** From now on, logs each message at the level "trace". A second call has no effect. */
  trace(): void {
    if (this.#isTracing) return;
    this.#isTracing = true;
    const readers = new Map<TrafficSource, TrafficReader>();
    const log = (items: readonly TrafficItem[]): void => {
      for (const { entry } of items) this.#options.log.trace(`${entry.direction === 'sent' ? '→' : '←'} ${logText(entry)}`);
    };
    const look = (source: TrafficSource): void => {
      let reader = readers.get(source);
      if (reader === undefined) readers.set(source, (reader = new TrafficReader(source, log)));
      void reader.read().catch(() => {});
    };
    for (const source of this.all) {
      const reader = new TrafficReader(source, log);
      readers.set(source, reader);
      void reader.skip().catch(() => {});
    }
    this.#store.add(this.onChange(look));
  }

  dispose(): void {
    this.#store.dispose();
  }

  #find(id: number): TrafficSource | undefined {
    const key = this.#keyOf(id);
    return this.all.find((one) => one.id === key);
  }

  /** Another engine counts its processes from one again. */
  #keyOf(id: number): string {
    const { connection } = this.#options.engine;
    if (connection.state === 'connected') this.#engineName = `${connection.engine.pid}/${connection.engine.since}`;
    return `${this.#engineName}/${id}`;
  }

  #sourceOf({ id, cwd }: AgentProcess, label: string): TrafficSource {
    const key = this.#keyOf(id);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { engine } = this.#options;
    const isThere = (): boolean => this.#keyOf(id) === key;
    const source: TrafficSource = {
      id: key,
      label,
      cwd,
      read: async (o = {}) => (isThere() ? engine.call('read_traffic', { process: id, ...o }) : []),
      diagnostics: () => engine.call('diagnostics', { process: id }),
    };
    this.#known.set(key, source);
    return source;
  }
}

/** Reads what is new in a source, one part after the other. */
export class TrafficReader {
  readonly #source: TrafficSource;
  readonly #take: (items: readonly TrafficItem[], after: number) => void;
  #after = 0;
  #reading: Promise<void> | undefined;
  #isBehind = false;

  /** @param take is called with the new entries, and the number of the last one before them */
  constructor(source: TrafficSource, take: (items: readonly TrafficItem[], after: number) => void) {
    this.#source = source;
    this.#take = take;
  }

  /**
   * @param limit the number of entries to read at a time; older ones are left out
   * @throws HostError like `TrafficSource.read`
   */
  read(limit?: number): Promise<void> {
    if (this.#reading !== undefined) {
      this.#isBehind = true;
      return this.#reading;
    }
    return (this.#reading = this.#readAll(limit, this.#take).finally(() => (this.#reading = undefined)));
  }

  /** Leaves out what is there already. @throws HostError like `read` */
  skip(): Promise<void> {
    return (this.#reading = this.#readAll(1, () => {}).finally(() => (this.#reading = undefined)));
  }

  async #readAll(limit: number | undefined, take: (items: readonly TrafficItem[], after: number) => void): Promise<void> {
    do {
      this.#isBehind = false;
      const after = this.#after;
      const items = await this.#source.read({ after, ...(limit !== undefined && { limit }) });
      const last = items.at(-1);
      if (last === undefined) continue;
      this.#after = last.seq;
      take(items, after);
    } while (this.#isBehind);
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
