/** The traffic inspector: a panel in the editor area, and the functions of its buttons. */
import * as vscode from 'vscode';
import { trafficPageMessageSchema } from '../../contract/traffic.js';
import { type Disposable, formatTrace, type Logger, type ProcessDiagnostics } from '../../core/index.js';
import { showMessage } from '../window/windowMessages.js';
import { adoptPanel, type WebviewPage } from '../pages/webviewPage.js';
import type { TrafficSource, TrafficSources } from './sources.js';
import { detailText, type TrafficIntent, TrafficLink, type TrafficPort } from './trafficLink.js';
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
    const known: Pick<ProcessDiagnostics, 'agent' | 'info'> | undefined = await found[0]?.source.diagnostics();
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
