/** The composition root: who gets what. Nothing here starts an agent. */
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { type Action, actionOf } from '../contract/actions.js';
import {
  type ConversationClient,
  Conversations,
  ConversationStore,
  DisposableStore,
  type Examination,
  formerJournalFolder,
  journalFolder,
  loginEnv,
  messageFolder,
  moveFormerState,
  moveJournals,
  Redactor,
  stateFolder,
  tagged,
} from '../core/index.js';
import { type AgentSources, startableAgent } from './agent/agentChoice.js';
import { offerRecorder } from './agent/rememberOffer.js';
import { createMarks, createNotifier, markFocus } from './status/attention.js';
import { ChatPages } from './chat/chatPages.js';
import { ChatSource } from './chat/chatSource.js';
import { createReturner } from './chat/returnedPrompts.js';
import { intentRunner } from './actions/intents.js';
import type { PageIntent } from './pages/pageLink.js';
import { execute } from './conversation/execute.js';
import { FolderConversations } from './conversation/folderConversations.js';
import { portsFor } from './agent/editorPorts.js';
import { Doctor } from './doctor/doctor.js';
import { removeUnusedLongTextFiles, longTextFilesIn } from './conversation/longTextFiles.js';
import { createDocuments } from './editor/documents.js';
import { type Folder, folderAt, openFolders } from './window/folders.js';
import { createLogSink, type LogSink } from './window/logSink.js';
import { createWindowMemory, type WindowMemory } from './window/windowMemory.js';
import { createActions } from './actions/actions.js';
import { reportProblem } from './problemReport/reportProblem.js';
import { PromptPanel } from './prompts/promptPanel.js';
import { type Reporter, withErrorReport } from './actions/errorReport.js';
import { createApiKeys } from './window/secrets.js';
import { onSettingsChanged, readSettings } from './window/settings.js';
import { drawStatus } from './status/statusBar.js';
import { statusOf } from './status/statusView.js';
import { TrafficSources } from './traffic/sources.js';
import { TrafficPanel } from './traffic/trafficPanel.js';
import { isTrusted, onTrusted } from './window/trust.js';

/** What the small bundle that activation loads calls. */
export interface HostSide {
  /** Runs a contributed command. What goes wrong in it is shown instead of thrown. */
  run(command: string): Promise<void>;
  resolveChatView(view: vscode.WebviewView): Promise<void>;
  adoptChatPanel(panel: vscode.WebviewPanel): Promise<void>;
  /** Ends every agent well. */
  end(): Promise<void>;
}

export function compose(context: vscode.ExtensionContext, statusItem: vscode.StatusBarItem): HostSide {
  const store = new DisposableStore();
  const redactor = new Redactor();
  const sink = store.add(createLogSink(redactor));
  const { log } = sink;
  const { extensionUri } = context;
  const documents = store.add(createDocuments());
  const traffic = store.add(new TrafficSources(tagged(log, 'traffic')));
  const state = stateFolder(undefined, process);
  const conversationsFolder = journalFolder(state);
  const messagesFolder = messageFolder(state);
  const settings = readSettings(log);
  let { quietAfterMs } = settings;
  const saved = store.add(
    new ConversationStore({
      stateFolder: state,
      redactor,
      limits: settings.journalLimits,
      log,
      onError: (error) => void withErrorReport(() => Promise.reject(error), reporter),
      prepare: () => (moving ??= moveJournals(formerJournalFolder(windowFolder(context)), conversationsFolder, log)),
    }),
  );
  let moving: Promise<void> | undefined;
  const { journals } = saved;
  moveFormerState(context.workspaceState, saved).catch((error: unknown) =>
    log.error('What the window remembered could not be moved', error),
  );
  const memory = createWindowMemory(saved.folders);
  const agents = agentSources(context, memory, sink, redactor);
  const conversations = store.add(createConversations());
  const doctor = store.add(new Doctor({ conversations, log, examinationOf }));
  const source = store.add(
    new ChatSource({
      conversations,
      closed: whyClosed,
      quietAfterMs: () => quietAfterMs,
      doctorNote: () => doctor.note(),
      lastKnown: (agentId) => saved.agents.of(agentId),
      readDraft: (id) => saved.readDraft(id),
      writeDraft: (id, text) => saved.writeDraft(id, text),
    }),
  );
  const onIntent = (intent: PageIntent): void => void withErrorReport(() => runIntent(intent), reporter);
  const pages = store.add(
    new ChatPages({
      extensionUri,
      source,
      onIntent,
      log: tagged(log, 'page'),
      onFocus: markFocus,
      onVisibility: () => {
        promptPanel.refresh();
        void returnPrompts();
      },
    }),
  );
  const returnPrompts = createReturner({ conversations, pages });
  const promptPanel = store.add(
    new PromptPanel({ extensionUri, source, onIntent, log: tagged(log, 'prompts'), isChatVisible: () => pages.visible }),
  );
  const hostVersion = clientInfoOf(context).version;
  const toReport = (): Promise<void> => reportProblem({ traffic, conversations, doctor, redactor, hostVersion });
  const trafficPanel = store.add(
    new TrafficPanel({
      extensionUri,
      sources: traffic,
      hostVersion,
      log: tagged(log, 'traffic'),
      report: (work) => void withErrorReport(work, reporter),
      saveFolder: () => openFolders()[0]?.path,
      reportProblem: toReport,
    }),
  );
  const actions = createActions({
    conversations,
    source,
    pages,
    traffic: trafficPanel,
    showLog: sink.show,
    reportProblem: toReport,
    documents,
    agents,
    journals,
    doctor,
    showFolder,
    rememberAgent: memory.chooseAgent,
    versionOf: (agentId) => saved.agents.of(agentId)?.agentVersion,
    wasUsed: (agentId) => saved.agents.of(agentId) !== undefined,
  });
  const runIntent = intentRunner({ source, conversations, actions, documents, log });
  const run = (action: Action): Promise<void> => withErrorReport(() => actions[action](), reporter);
  const reporter: Reporter = {
    log,
    agentLabel: () => source.view().header.agent,
    run: (action) => void run(action),
  };

  function createConversations(): FolderConversations {
    const parts = {
      agents,
      store: saved,
      redactor,
      traffic,
      log,
      clientInfo: clientInfoOf(context),
      writeTextFile: longTextFilesIn(messagesFolder),
    };
    return new FolderConversations(new Conversations((id, cwd) => portsFor(id, folderAt(cwd), parts), saved), memory);
  }

  async function examinationOf(folderPath: string, agentId: string | undefined): Promise<Examination> {
    const { definition, baseEnv } = await startableAgent(agents, folderPath, agentId);
    return {
      host: {
        agent: definition,
        cwd: folderPath,
        baseEnv,
        redactor,
        clientInfo: clientInfoOf(context),
        terminalAuth: true,
        deadlines: agents.settings().deadlines,
        log: tagged(log, 'doctor'),
      },
      storageDirectory: conversationsFolder,
      trusted: isTrusted(),
    };
  }

  function showFolder(folder: Folder): ConversationClient {
    return conversations.show(folder);
  }

  function showAnyFolder(): void {
    const folder = memory.lastShown();
    if (folder !== undefined && conversations.current === undefined) showFolder(folder);
  }

  const recordOffer = offerRecorder(saved.agents);
  const mark = createMarks(pages);
  const notify = createNotifier({
    isWanted: () => agents.settings().notifications,
    isChatVisible: () => pages.visible,
    openChat: () => void run('openChat'),
  });
  store.add(
    source.onChange(() => {
      const view = source.view();
      drawStatus(statusItem, statusOf(view, conversations.current?.conversation.state));
      for (const { conversation } of conversations.all) recordOffer(conversation.state);
      mark(view);
      promptPanel.refresh();
      notify(view);
      void returnPrompts();
    }),
  );
  store.add(conversations.onChange(() => doctor.watch()));
  store.add(doctor.onChange(() => source.refresh()));
  store.add(onTrusted(() => source.refresh()));
  store.add(
    onSettingsChanged(() => {
      ({ quietAfterMs } = agents.settings());
      for (const { conversation } of conversations.all)
        void withErrorReport(() => execute(conversation, { type: 'refresh_agent' }), reporter);
    }),
  );
  store.add(sink.onTracing(() => traffic.trace()));
  store.add(
    vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) => {
      for (const { uri } of removed) void withErrorReport(() => conversations.close(uri.fsPath), reporter);
      showAnyFolder();
    }),
  );
  showAnyFolder();
  removeUnusedLongTextFiles({ directory: messagesFolder, conversations: () => journals.list(), now: Date.now() }).catch((error: unknown) =>
    log.warn('Old files of messages could not be removed', error),
  );

  return {
    async run(command) {
      const action = actionOf(command);
      if (action !== undefined) await run(action);
    },
    resolveChatView: (view) => pages.resolveView(view),
    adoptChatPanel: (panel) => pages.adoptPanel(panel),
    async end() {
      await conversations.end();
      store.dispose();
    },
  };
}

/** What the editor gives a window to save things in. Up to version 0.4 the conversations were there. */
function windowFolder(context: vscode.ExtensionContext): string {
  return (context.storageUri ?? context.globalStorageUri).fsPath;
}

function agentSources(context: vscode.ExtensionContext, memory: WindowMemory, { log }: LogSink, redactor: Redactor): AgentSources {
  let known = process.env;
  return {
    settings: () => readSettings(log),
    apiKeys: createApiKeys(context.secrets, redactor),
    bundleFolder: vscode.Uri.joinPath(context.extensionUri, 'dist').fsPath,
    chosenId: () => memory.chosenAgent(),
    knownEnv: () => known,
    baseEnv: async () => (known = await loginEnv(process.env, log)),
  };
}

function whyClosed(): 'no_folder' | 'untrusted' | undefined {
  if (openFolders().length === 0) return 'no_folder';
  return isTrusted() ? undefined : 'untrusted';
}

const manifestSchema = z.object({ displayName: z.string(), version: z.string() });

function clientInfoOf(context: vscode.ExtensionContext): { readonly name: string; readonly title: string; readonly version: string } {
  const { displayName, version } = manifestSchema.parse(context.extension.packageJSON);
  return { name: 'acp-host', title: displayName, version };
}
