/** The traffic inspector: a panel in the editor area, and the functions of its buttons. */
import * as vscode from 'vscode';
import { type TrafficHostMessage, type TrafficPageMessage, trafficPageMessageSchema } from '../../contract/traffic.js';
import { type Disposable, DisposableStore, formatTrace, type Logger, type HostDiagnostics, type TrafficItem } from '../../core/index.js';
import { adoptPanel, type Heard, type PageFeed, type PagePort, type WebviewPage } from '../pages/webviewPage.js';
import { showMessage } from '../window/windowMessages.js';
import type { TrafficSource, TrafficSources } from './sources.js';
import { type FoundItem, TrafficLog } from './trafficLog.js';

export const trafficPanelType = 'acpHost.traffic';

export interface TrafficPanelOptions {
  readonly extensionUri: vscode.Uri;
  readonly sources: TrafficSources;
  /** The version of this extension, for traces. */
  readonly hostVersion: string;
  readonly log: Logger;
  /** Awaits the work and shows what fails. */
  readonly report: (work: () => Promise<void>) => void;
  readonly reportProblem: () => Promise<void>;
  /** The initial folder of the save dialog; absolute. */
  readonly saveFolder: () => string | undefined;
}

export class TrafficPanel implements Disposable {
  readonly #options: TrafficPanelOptions;
  #page: WebviewPage<TrafficLink> | undefined;

  constructor(options: TrafficPanelOptions) {
    this.#options = options;
  }

  async show(): Promise<void> {
    if (this.#page !== undefined) return this.#page.reveal();
    const { extensionUri, sources, log, report } = this.#options;
    const panel = vscode.window.createWebviewPanel(trafficPanelType, 'Agent Traffic', vscode.ViewColumn.Active, { enableScripts: true });
    const trafficLog = new TrafficLog(sources, log);
    this.#page = adoptPanel(panel, {
      extensionUri,
      document: 'traffic',
      schema: trafficPageMessageSchema,
      createFeed: (port: TrafficPort) =>
        new TrafficLink({ port, trafficLog, onIntent: (intent) => report(() => this.#execute(intent, trafficLog)) }),
      onClosed: () => {
        this.#page = undefined;
        trafficLog.dispose();
      },
      log,
    });
    await this.#page.load();
  }

  dispose(): void {
    this.#page?.close();
  }

  async #execute(intent: TrafficIntent, trafficLog: TrafficLog): Promise<void> {
    switch (intent.type) {
      case 'copy': {
        const found = await trafficLog.find(intent.keys);
        const text = found.length === 1 ? found.map(({ item }) => detailText(item)).join('') : await this.#traceOf(found);
        return vscode.env.clipboard.writeText(text);
      }
      case 'export':
        return this.#export(await trafficLog.find(intent.keys));
      case 'reportProblem':
        return this.#options.reportProblem();
    }
  }

  async #export(found: readonly FoundItem[]): Promise<void> {
    const sources = [...new Set(found.map(({ source }) => source))];
    const source = sources.length === 1 ? sources[0] : await pickSource(sources);
    if (source === undefined) return;
    const {
      agent: { id },
      at,
    } = await source.diagnostics();
    const name = `${id.replace(/[^\w.-]+/g, '-')}-${new Date(at).toISOString().slice(0, 19).replace(/[T:]/g, '-')}.trace.ndjson`;
    const folder = this.#options.saveFolder();
    const target = await vscode.window.showSaveDialog({
      title: 'Export Trace',
      filters: { Trace: ['ndjson'] },
      ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(vscode.Uri.file(folder), name) }),
    });
    if (target === undefined) return;
    const trace = await this.#traceOf(found.filter((one) => one.source === source));
    await vscode.workspace.fs.writeFile(target, Buffer.from(trace, 'utf8'));
    const open = 'Open';
    // Not awaited, because the message may stay open for any time.
    void showMessage('information', 'Trace saved. Secrets were redacted; the conversation was not.', open).then((choice) => {
      if (choice === open) this.#options.report(async () => void (await vscode.window.showTextDocument(target)));
    });
  }

  async #traceOf(found: readonly FoundItem[]): Promise<string> {
    const known: Pick<HostDiagnostics, 'agent' | 'info'> | undefined = await found[0]?.source.diagnostics();
    const { id = '', label = '', protocol } = known?.agent ?? {};
    const info = known?.info;
    const agent = {
      id,
      label,
      ...(info === undefined ? {} : { name: info.name }),
      ...(info?.version === undefined ? {} : { version: info.version }),
    };
    return formatTrace(
      { host: this.#options.hostVersion, agent, ...(protocol === undefined ? {} : { protocol }) },
      found.map(({ item }) => item),
    );
  }
}

async function pickSource(sources: readonly TrafficSource[]): Promise<TrafficSource | undefined> {
  const rows = sources.map((source) => ({ label: source.label, description: source.cwd, source }));
  return (await vscode.window.showQuickPick(rows, { title: 'Export Trace', placeHolder: 'Select an agent' }))?.source;
}

type TrafficPort = PagePort<TrafficHostMessage, Heard<TrafficPageMessage>>;

/** What the page asks for and this link cannot do itself. */
export type TrafficIntent = Extract<TrafficPageMessage, { type: 'copy' | 'export' | 'reportProblem' }>;

interface TrafficLinkOptions {
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
function detailText({ entry }: TrafficItem): string {
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
