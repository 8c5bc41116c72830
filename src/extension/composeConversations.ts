/**
 * The invisible part of the composition: the saved conversations, the agents that this window can start, and what both need. Nothing here
 * starts an agent.
 */
import * as vscode from 'vscode';
import {
  Conversations,
  ConversationStore,
  type DisposableStore,
  type Examination,
  journalFolder,
  loginEnv,
  messageFolder,
  Redactor,
  stateFolder,
  withoutEditor,
  tagged,
} from '../core/index.js';
import { type AgentSources, startableAgent } from './agent/agentChoice.js';
import { portsFor } from './agent/editorPorts.js';
import { codeNavigation } from './editor/codeNavigation.js';
import { messageFilesIn, type WriteMessageFile } from './conversation/messageFiles.js';
import { OpenConversations } from './conversation/openConversations.js';
import { TrafficSources } from './traffic/sources.js';
import { clientInfoOf } from './window/clientInfo.js';
import { folderAt } from './window/folders.js';
import { createLogSink, type LogSink } from './window/logSink.js';
import { createApiKeys, createServerKeys } from './window/secrets.js';
import { createServerTrust } from './window/serverTrust.js';
import { readSettings } from './window/settings.js';
import { isTrusted } from './window/trust.js';
import { createWindowMemory, type WindowMemory } from './window/windowMemory.js';

export interface WindowConversations {
  readonly redactor: Redactor;
  readonly sink: LogSink;
  readonly saved: ConversationStore;
  /** The folder of the pictures that were pasted into messages, absolute. */
  readonly messagesFolder: string;
  readonly writeMessageFile: WriteMessageFile;
  readonly memory: WindowMemory;
  readonly agents: AgentSources;
  readonly traffic: TrafficSources;
  readonly conversations: OpenConversations;
  /**
   * Returns what diagnostics check.
   * @param agentId the chosen agent if undefined
   */
  readonly examinationOf: (folderPath: string, agentId: string | undefined) => Promise<Examination>;
}

/**
 * @param store owns what this creates
 * @param report shows what could not be saved
 */
export function composeConversations(
  context: vscode.ExtensionContext,
  store: DisposableStore,
  report: (error: Error) => void,
): WindowConversations {
  const redactor = new Redactor();
  const sink = store.add(createLogSink(redactor));
  const { log } = sink;
  const clientInfo = clientInfoOf(context);
  const traffic = store.add(new TrafficSources(tagged(log, 'traffic')));
  const state = stateFolder(undefined, process);
  const conversationsFolder = journalFolder(state);
  const messagesFolder = messageFolder(state);
  const writeMessageFile = messageFilesIn(messagesFolder);
  const saved = store.add(
    new ConversationStore({
      stateFolder: state,
      program: 'editor',
      redactor,
      limits: readSettings(log).journalLimits,
      log,
      onError: report,
    }),
  );
  const memory = createWindowMemory(saved.folders);
  const agents = agentSources(context, memory, sink, redactor);
  const parts = { agents, store: saved, redactor, traffic, log, clientInfo, codeNavigation };
  const conversations = store.add(
    new OpenConversations(new Conversations((id, cwd) => portsFor(id, folderAt(cwd), parts), saved), folderAt),
  );

  async function examinationOf(folderPath: string, agentId: string | undefined): Promise<Examination> {
    const { definition, baseEnv } = await startableAgent(agents, folderPath, agentId);
    return {
      host: {
        agent: definition,
        cwd: folderPath,
        baseEnv,
        redactor,
        clientInfo,
        terminalAuth: true,
        deadlines: agents.settings().deadlines,
        readStoredKey: (url) => agents.servers.keys.read(url),
        log: tagged(log, 'doctor'),
      },
      storageDirectory: conversationsFolder,
      trusted: isTrusted(),
    };
  }

  return { redactor, sink, saved, messagesFolder, writeMessageFile, memory, agents, traffic, conversations, examinationOf };
}

function agentSources(context: vscode.ExtensionContext, memory: WindowMemory, { log }: LogSink, redactor: Redactor): AgentSources {
  let known = withoutEditor(process.env);
  return {
    settings: () => readSettings(log),
    apiKeys: createApiKeys(context.secrets, redactor),
    servers: createServerTrust(createServerKeys(context.secrets, redactor), context.globalState),
    bundleFolder: vscode.Uri.joinPath(context.extensionUri, 'dist').fsPath,
    chosenId: () => memory.chosenAgent(),
    knownEnv: () => known,
    baseEnv: async () => (known = await loginEnv(process.env, log)),
  };
}
