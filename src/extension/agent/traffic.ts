import { type AgentHost, type Disposable, DisposableStore, type Logger, type TrafficEntry } from '../../core/index.js';

/** Enough to see what happened, little enough to read. */
const maxEntries = 500;
/** A frame may hold a whole file. */
const maxFrameChars = 4_000;

/**
 * The last frames between host and agent, redacted by the host. Nothing is recorded before somebody asks for it,
 * because listening costs a copy of each frame.
 */
export class TrafficRecorder implements Disposable {
  readonly #store = new DisposableStore();
  readonly #log: Logger;
  readonly #hosts = new Set<AgentHost>();
  readonly #entries: TrafficEntry[] = [];
  #since: number | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** From now on the frames of this host are recorded, if any are. */
  attach(host: AgentHost): Disposable {
    this.#hosts.add(host);
    if (this.#since !== undefined) this.#listen(host);
    return { dispose: () => void this.#hosts.delete(host) };
  }

  /** Begins to record; a second call changes nothing. */
  start(): void {
    if (this.#since !== undefined) return;
    this.#since = Date.now();
    for (const host of this.#hosts) this.#listen(host);
  }

  text(): string {
    const begin = this.#since === undefined ? 'now' : new Date(this.#since).toISOString();
    const head = [
      `Messages between ACP Host and its agents, secrets redacted, the last ${maxEntries} at most. Recorded since ${begin}, when this was first opened.`,
      'Run "ACP Host: Show Traffic" again for newer ones. With the log level "Trace" they go to the log of ACP Host too.',
    ];
    return [...head, '', ...this.#entries.map(entryText), ''].join('\n');
  }

  dispose(): void {
    this.#store.dispose();
  }

  #listen(host: AgentHost): void {
    this.#store.add(host.onTraffic((entry) => {
      this.#entries.push(entry);
      if (this.#entries.length > maxEntries) this.#entries.shift();
      this.#log.trace(entryText(entry));
    }));
  }
}

function entryText(entry: TrafficEntry): string {
  const arrow = entry.direction === 'sent' ? '→' : '←';
  const text = entry.kind === 'noise' ? `(no message) ${entry.text}` : JSON.stringify(entry.message);
  const cut = text.length <= maxFrameChars ? text : `${text.slice(0, maxFrameChars)} … ${text.length - maxFrameChars} more characters`;
  return `${new Date(entry.at).toISOString()} ${arrow} ${cut}`;
}
