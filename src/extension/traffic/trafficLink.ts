import type { TrafficHostMessage, TrafficPageMessage } from '../../contract/traffic.js';
import { DisposableStore, type TrafficItem } from '../../core/index.js';
import type { Heard, PagePort } from '../pages/pagePort.js';
import type { PageFeed } from '../pages/webviewPage.js';
import type { TrafficLog } from './trafficLog.js';

export type TrafficPort = PagePort<TrafficHostMessage, Heard<TrafficPageMessage>>;

/** What the page asks for and this link cannot do itself. */
export type TrafficIntent = Extract<TrafficPageMessage, { type: 'copy' | 'export' | 'reportProblem' }>;

export interface TrafficLinkOptions {
  readonly port: TrafficPort;
  readonly trafficLog: TrafficLog;
  readonly onIntent: (intent: TrafficIntent) => void;
}

/** Keeps the page of the inspector in sync with the list. The page may be closed and opened again: each `ready` starts over. */
export class TrafficLink implements PageFeed {
  readonly #options: TrafficLinkOptions;
  readonly #store = new DisposableStore();
  #posting = false;
  #paused = false;

  constructor(options: TrafficLinkOptions) {
    this.#options = options;
    this.#store.add(options.port.onMessage((message) => this.#receive(message)));
    this.#store.add(
      options.trafficLog.onUpdate(({ rows, changes }) => {
        if (this.#posting && !this.#paused) options.port.post({ type: 'more', rows: [...rows], changes: [...changes] });
      }),
    );
  }

  suspend(): void {
    this.#posting = false;
  }

  dispose(): void {
    this.#store.dispose();
  }

  #receive(message: Heard<TrafficPageMessage>): void {
    switch (message.type) {
      case 'ready':
        this.#paused = false;
        return this.#postAll();
      case 'pause':
        this.#paused = message.paused;
        return this.#paused ? undefined : this.#postAll();
      case 'clear':
        this.#options.trafficLog.clear();
        return this.#postAll();
      case 'detail':
        return void this.#postDetail(message.key);
      default:
        return this.#options.onIntent(message);
    }
  }

  #postAll(): void {
    const { trafficLog } = this.#options;
    if (!trafficLog.isReady) return void trafficLog.ready.then(() => this.#postAll());
    if (this.#store.disposed) return;
    this.#posting = true;
    this.#options.port.post({ type: 'all', rows: [...trafficLog.rows] });
  }

  async #postDetail(key: number): Promise<void> {
    const [found] = await this.#options.trafficLog.find([key]);
    if (found === undefined || !this.#posting) return;
    const { entry } = found.item;
    this.#options.port.post({ type: 'detail', key, text: detailText(found.item), cut: entry.kind === 'message' && entry.cut === true });
  }
}

/** Returns the whole entry for users. */
export function detailText({ entry }: TrafficItem): string {
  switch (entry.kind) {
    case 'message':
      return typeof entry.message === 'string' ? entry.message : JSON.stringify(entry.message, undefined, 2);
    case 'noise':
    case 'stderr':
      return entry.text;
    case 'process':
      return JSON.stringify({ process: entry.event, ...entry.exit }, undefined, 2);
  }
}
