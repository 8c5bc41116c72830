/** The composition root: who gets what. Nothing here starts an agent. */
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { createAgentHost, createJournalStore, DisposableStore, readConversation, Redactor, tagged } from '../core/index.js';
import { type AgentSources, chooseAgent, withProvider } from './agent/agentChoice.js';
import { TrafficRecorder } from './agent/traffic.js';
import { createMarks, createNotifier, statusOf } from './attention.js';
import { ChatPages } from './chat/chatPages.js';
import { ChatSource } from './chat/chatSource.js';
import { actionTable, intentRunner } from './chat/intents.js';
import type { CommandTable } from './commands.js';
import { showSessionControls } from './controls/sessionControls.js';
import { Conversation } from './conversation/conversation.js';
import { Conversations } from './conversation/conversations.js';
import type { ConversationPorts, Folder } from './conversation/ports.js';
import { createDocuments } from './editor/documents.js';
import { createLogSink } from './logSink.js';
import { createWindowMemory } from './memory.js';
import { createOperations } from './operations.js';
import { PromptPanel } from './prompts/promptPanel.js';
import { type Reporter, reporting } from './report.js';
import { createApiKeys } from './secrets.js';
import { onSettingsChanged, openSettings, readSettings } from './settings.js';
import { drawStatus } from './statusBar.js';
import { isTrusted, onTrusted } from './trust.js';

/** What the small bundle that activation loads calls. */
export interface HostSide {
  readonly commands: CommandTable;
  resolveChatView(view: vscode.WebviewView): Promise<void>;
  adoptChatPanel(panel: vscode.WebviewPanel): Promise<void>;
  /** Ends every agent well. */
  end(): Promise<void>;
}

const manifestSchema = z.object({ displayName: z.string(), version: z.string() });

export function compose(context: vscode.ExtensionContext, statusItem: vscode.StatusBarItem): HostSide {
  const store = new DisposableStore();
  const redactor = new Redactor();
  const sink = store.add(createLogSink(redactor));
  const { log } = sink;
  const manifest = manifestSchema.parse(context.extension.packageJSON);
  const memory = createWindowMemory(context.workspaceState);
  const documents = store.add(createDocuments());
  const traffic = store.add(new TrafficRecorder(tagged(log, 'traffic')));
  const journals = createJournalStore({
    directory: vscode.Uri.joinPath(context.storageUri ?? context.globalStorageUri, 'conversations').fsPath, redactor, log: tagged(log, 'journal'),
  });
  const agents: AgentSources = {
    settings: () => readSettings(log),
    apiKeys: createApiKeys(context.secrets, redactor),
    demoAgentScript: vscode.Uri.joinPath(context.extensionUri, 'dist', 'demo-agent.js').fsPath,
    chosenId: () => memory.chosenAgent(),
    baseEnv: () => Promise.resolve(process.env),
  };

  const portsOf = (folder: Folder): ConversationPorts => ({
    folder,
    log: tagged(log, folder.name),
    isTrusted,
    peekAgent: (id) => chooseAgent(agents, { env: process.env, cwd: folder.path }, id),
    async chooseAgent(id) {
      const baseEnv = await agents.baseEnv();
      const { definition, fallback } = await chooseAgent(agents, { env: baseEnv, cwd: folder.path }, id);
      return { definition: await withProvider(definition, agents, baseEnv), fallback, baseEnv };
    },
    createHost({ definition, baseEnv }) {
      const host = createAgentHost({
        agent: definition, cwd: folder.path, baseEnv, journals, restart: {}, redactor, log: tagged(log, definition.id), terminalAuth: true,
        clientInfo: { name: 'acp-host', title: manifest.displayName, version: manifest.version }, deadlines: agents.settings().deadlines,
      });
      traffic.attach(host);
      return host;
    },
    defaultMode: () => agents.settings().defaultMode,
    readKept: ({ agentId, sessionId }) => readConversation(journals, agentId, sessionId),
    recall: () => memory.recall(folder.path),
    remember: (record) => memory.remember(folder.path, record),
    giveBack: (text) => pages.tell({ type: 'insertText', text }),
  });

  const conversations = store.add(new Conversations((folder) => new Conversation(portsOf(folder))));
  const source = store.add(new ChatSource({
    conversations, readDraft: memory.readDraft, writeDraft: memory.writeDraft,
    closed: () => (folders().length === 0 ? 'no_folder' : isTrusted() ? undefined : 'untrusted'),
  }));
  const showFolder = (folder: Folder): Conversation => {
    memory.showFolder(folder.path);
    const conversation = conversations.show(folder);
    void reporting(() => conversation.restore(), reporter);
    return conversation;
  };
  const pages: ChatPages = store.add(new ChatPages({
    extensionUri: context.extensionUri, source, log: tagged(log, 'page'), onVisibility: () => promptPanel.refresh(),
    onIntent: (intent) => void reporting(() => runIntent(intent), reporter),
  }));
  const promptPanel = store.add(new PromptPanel({
    extensionUri: context.extensionUri, source, log: tagged(log, 'prompts'), isChatVisible: () => pages.visible,
    onIntent: (intent) => void reporting(() => runIntent(intent), reporter),
  }));
  const operations = createOperations({ conversations, source, pages, documents, traffic, agents, folders, showFolder, rememberAgent: memory.chooseAgent });
  const showControls = (): Promise<void> => showSessionControls(source.view());
  const actions = actionTable(operations, { showLog: sink.show, openSettings, showSessionControls: showControls });
  const runIntent = intentRunner({ source, conversations, operations, documents, actions, log });
  const reporter: Reporter = {
    log, agentLabel: () => source.view().header.agent, run: (action) => void reporting(() => actions[action](undefined), reporter),
  };

  const mark = createMarks(pages);
  const notify = createNotifier({
    isWanted: () => agents.settings().notifications, isChatVisible: () => pages.visible, openChat: () => void reporting(operations.openChat, reporter),
  });
  store.add(source.onChange(() => {
    const view = source.view();
    drawStatus(statusItem, statusOf(view, conversations.current?.conversation.state));
    mark(view);
    promptPanel.refresh();
    notify(view);
  }));
  store.add(onTrusted(() => source.refresh()));
  store.add(onSettingsChanged(() => {
    for (const { conversation } of conversations.all) void reporting(() => conversation.refreshAgent(), reporter);
  }));
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) => {
    for (const { uri } of removed) void reporting(() => conversations.close(uri.fsPath), reporter);
    showFirstFolder();
  }));

  const showFirstFolder = (): void => {
    const remembered = memory.shownFolder();
    const folder = folders().find(({ path }) => path === remembered) ?? folders()[0];
    if (folder !== undefined && conversations.current === undefined) showFolder(folder);
  };
  showFirstFolder();

  const commands: CommandTable = {
    'acpHost.openChat': operations.openChat,
    'acpHost.openChatInEditor': operations.openChatInEditor,
    'acpHost.newSession': operations.newSession,
    'acpHost.cancelTurn': operations.stop,
    'acpHost.restartAgent': operations.restart,
    'acpHost.selectAgent': operations.selectAgent,
    'acpHost.selectMode': operations.selectMode,
    'acpHost.selectModel': operations.selectModel,
    'acpHost.sessionControls': showControls,
    'acpHost.showLog': sink.show,
    'acpHost.showTraffic': operations.showTraffic,
    'acpHost.addSelectionToChat': operations.addSelectionToChat,
    'acpHost.setApiKey': operations.setApiKey,
    'acpHost.signIn': operations.signIn,
  };
  return {
    commands: reported(commands, reporter),
    resolveChatView: (view) => pages.resolveView(view),
    adoptChatPanel: (panel) => pages.adoptPanel(panel),
    async end() {
      await conversations.end();
      store.dispose();
    },
  };
}

/** The same commands; what goes wrong is shown instead of thrown. */
function reported(commands: CommandTable, reporter: Reporter): CommandTable {
  const wrapped = { ...commands };
  for (const id of Object.keys(commands) as (keyof CommandTable)[]) wrapped[id] = () => reporting(commands[id], reporter);
  return wrapped;
}

/** Folders on the machine where the extension runs: an agent cannot work in another. */
function folders(): readonly Folder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').map(({ uri, name }) => ({ path: uri.fsPath, name }));
}
