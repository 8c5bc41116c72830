/**
 * The invisible part of the composition: the engine with all conversations, what this window does for it, and what both need. Nothing here
 * starts an agent.
 */
import * as vscode from 'vscode';
import {
  type DisposableStore,
  EngineAccess,
  EngineClient,
  type Examination,
  HostError,
  isRunning,
  journalFolder,
  loginEnv,
  messageFilesIn,
  messageFolder,
  Redactor,
  signsOfWork,
  stateFolder,
  withoutEditor,
  tagged,
} from '../core/index.js';
import { type AgentSources, frontEndServices, startableAgent } from './agent/agentChoice.js';
import { createFolderServers } from './agent/folderServers.js';
import { codeNavigation } from './editor/code.js';
import { openTexts, watchSaves } from './editor/openTexts.js';
import { OpenConversations } from './conversation/openConversations.js';
import { TrafficSources } from './traffic/sources.js';
import { clientInfoOf } from './window/clientInfo.js';
import { isTrusted, openFolders } from './window/workspace.js';
import { createLogSink, type LogSink } from './window/logSink.js';
import { createApiKeys, createInputValues, createServerKeys, createServerTrust } from './window/secrets.js';
import { readSettings } from './window/settings.js';
import { createWindowMemory, type WindowMemory } from './window/windowMemory.js';

/**
 * @param store owns what this creates
 * @param report shows what the engine could not save
 */
export function composeConversations(context: vscode.ExtensionContext, store: DisposableStore, report: (error: Error) => void) {
  const redactor = new Redactor();
  const sink = store.add(createLogSink(redactor));
  const { log } = sink;
  const clientInfo = clientInfoOf(context);
  const state = stateFolder(undefined, process);
  void context.globalState.update('signsOfWork', signsOfWork(state));
  const { engineLocation, keepAliveMs, recording, journalLimits: limits } = readSettings(log);
  const access = new EngineAccess(
    { stateFolder: state, version: clientInfo.version, limits, program: 'editor', env: withoutEditor(process.env) },
    engineLocation === 'window' ? 'here' : 'process',
  );
  const engine: EngineClient = store.add(
    new EngineClient({
      connect: () => access.connect(),
      attaching: { program: 'editor', use: 'share', keepAliveMs, recording },
      // Asked of `agents`, which needs the engine for what the user chose.
      services: frontEndServices({ agents: () => agents, redactor, codeNavigation, texts: openTexts, clientInfo, log }),
      log,
    }),
  );
  const memory = createWindowMemory(engine, log);
  const agents = agentSources(context, { state, memory, sink, redactor });
  const traffic = store.add(new TrafficSources({ engine, folders: openFolders, log: tagged(log, 'traffic') }));
  const conversations = store.add(new OpenConversations(engine, openFolders));
  store.add(
    watchSaves((path) => {
      // What the user saves during a turn is not what its agent changed.
      if (conversations.all.some(({ conversation }) => isRunning(conversation.state)))
        engine.call('note_saved', { paths: [path] }).catch((error: unknown) => log.warn('Could not report a saved file', error));
    }),
  );
  store.add(
    engine.onNotice((notice) => {
      if (notice.type === 'failed') report(HostError.from(notice.error));
    }),
  );

  /** Returns what diagnostics check. @param agentId the chosen agent if undefined */
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
      storageDirectory: journalFolder(state),
      trusted: isTrusted(),
      engine: () => engine.call('summary', {}),
    };
  }

  return {
    redactor,
    sink,
    engine,
    /** Ends the engine if it belongs to this window. Call it after everything else ended. */
    endEngine: (): Promise<void> => access.end(),
    writeMessageFile: messageFilesIn(messageFolder(state)),
    memory,
    agents,
    traffic,
    conversations,
    examinationOf,
  };
}

interface SourceParts {
  /** The absolute path of the state folder. */
  readonly state: string;
  readonly memory: WindowMemory;
  readonly sink: LogSink;
  readonly redactor: Redactor;
}

function agentSources(context: vscode.ExtensionContext, { state, memory, sink: { log }, redactor }: SourceParts): AgentSources {
  let known = withoutEditor(process.env);
  return {
    settings: () => readSettings(log),
    apiKeys: createApiKeys(context.secrets, redactor),
    servers: createServerTrust(createServerKeys(context.secrets, redactor), context.globalState),
    folderServers: createFolderServers({ memory: context.globalState, values: createInputValues(context.secrets), redactor }),
    bundleFolder: vscode.Uri.joinPath(context.extensionUri, 'dist').fsPath,
    stateFolder: state,
    clientInfo: clientInfoOf(context),
    chosenId: memory.chosenAgent,
    knownEnv: () => known,
    baseEnv: async () => (known = await loginEnv(process.env, log)),
  };
}
