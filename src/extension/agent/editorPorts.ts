/** Implements the ports of a conversation for this editor. */
import {
  type AgentHost,
  agentSummary,
  type CodeNavigation,
  type ConversationPorts,
  type ConversationStore,
  createAgentHost,
  type Disposable,
  DisposableStore,
  type Logger,
  readEarlierSessions,
  readSessionHistory,
  type Redactor,
  systemClock,
  tagged,
} from '../../core/index.js';
import { logFailures } from './agentLog.js';
import { type AgentSources, chooseAgent, startableAgent } from './agentChoice.js';
import { type Folder, openFolders } from '../window/folders.js';
import { isTrusted } from '../window/trust.js';

export interface EditorParts {
  readonly agents: AgentSources;
  readonly store: ConversationStore;
  readonly redactor: Redactor;
  /** Shows the traffic of each host. */
  readonly traffic: { attach(host: AgentHost, label: string): Disposable };
  readonly log: Logger;
  /** For the agents that the user allows to ask. */
  readonly codeNavigation: CodeNavigation;
  readonly clientInfo: { readonly name: string; readonly title: string; readonly version: string };
}

/** @param id the id of the conversation */
export function portsFor(id: string, folder: Folder, parts: EditorParts): ConversationPorts {
  const { agents, store, redactor, traffic, log, clientInfo } = parts;
  const { journals } = store;
  return {
    log: tagged(log, folder.name),
    clock: systemClock,
    isTrusted,
    async peekAgent(agentId) {
      return agentSummary(await chooseAgent(agents, { env: agents.knownEnv(), cwd: folder.path }, agentId));
    },
    chooseAgent: (agentId) => startableAgent(agents, folder.path, agentId),
    createHost({ definition, baseEnv }) {
      const { deadlines, requestDeadlines } = agents.settings();
      const host = createAgentHost({
        agent: definition,
        cwd: folder.path,
        baseEnv,
        journals,
        redactor,
        clientInfo,
        deadlines,
        requestDeadlines,
        restart: {},
        readStoredKey: (url) => agents.servers.keys.read(url),
        terminalAuth: true,
        ...(definition.mayAskAboutCode === true && { codeNavigation: parts.codeNavigation }),
        log: tagged(log, definition.id),
      });
      const owned = new DisposableStore();
      owned.add(traffic.attach(host, openFolders().length > 1 ? `${definition.label} · ${folder.name}` : definition.label));
      owned.add(logFailures(host, tagged(log, definition.id)));
      return { host, owned };
    },
    optionDefaults() {
      const { defaultMode } = agents.settings();
      return defaultMode === '' ? [] : [{ category: 'mode', value: defaultMode, isRequired: false }];
    },
    readSaved: ({ agentId, sessionId, createdAt }) => readSessionHistory(journals, agentId, sessionId, { createdAt }),
    readEarlier: (agentId, session) => readEarlierSessions(journals, agentId, session),
    recall: () => store.recall(id),
    remember: (record, summary) => store.remember(id, folder.path, record, summary),
  };
}
