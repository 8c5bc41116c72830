/** The ports of a conversation, as this editor fills them. */
import {
  type AgentHost,
  checkPrompt,
  type ConversationPorts,
  createAgentHost,
  type Disposable,
  type JournalStore,
  type Logger,
  type LongTextFile,
  readEarlierSessions,
  readSessionHistory,
  type Redactor,
  systemClock,
  tagged,
} from '../../core/index.js';
import { type AgentSources, chooseAgent, startableAgent } from './agentChoice.js';
import type { WorkspaceState } from '../window/workspaceState.js';
import { type Folder, openFolders } from '../window/folders.js';
import { isTrusted } from '../window/trust.js';

export interface EditorParts {
  readonly agents: AgentSources;
  readonly memory: WorkspaceState;
  readonly journals: JournalStore;
  readonly redactor: Redactor;
  /** Whoever shows the traffic of each host. */
  readonly traffic: { attach(host: AgentHost, label: string): Disposable };
  readonly log: Logger;
  readonly clientInfo: { readonly name: string; readonly title: string; readonly version: string };
  /** Writes a text where an agent can read it. */
  writeTextFile(text: string): Promise<LongTextFile>;
}

export function portsFor(folder: Folder, parts: EditorParts): ConversationPorts {
  const { agents, memory, journals, redactor, traffic, log, clientInfo } = parts;
  return {
    log: tagged(log, folder.name),
    clock: systemClock,
    isTrusted,
    async peekAgent(id) {
      const { definition, isFallback } = await chooseAgent(agents, { env: agents.knownEnv(), cwd: folder.path }, id);
      return { id: definition.id, label: definition.label, isFallback };
    },
    chooseAgent: (id) => startableAgent(agents, folder.path, id),
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
        terminalAuth: true,
        log: tagged(log, definition.id),
      });
      return { host, owned: traffic.attach(host, openFolders().length > 1 ? `${definition.label} · ${folder.name}` : definition.label) };
    },
    optionDefaults() {
      const { defaultMode } = agents.settings();
      return defaultMode === '' ? [] : [{ category: 'mode', value: defaultMode, isRequired: false }];
    },
    mayHang: (agent, content) => checkPrompt(agent, content) !== undefined,
    writeTextFile: parts.writeTextFile,
    readSaved: ({ agentId, sessionId, createdAt }) => readSessionHistory(journals, agentId, sessionId, { createdAt }),
    readEarlier: (agentId, session) => readEarlierSessions(journals, agentId, session),
    recall: () => Promise.resolve(memory.recall(folder.path)),
    remember: (record) => memory.remember(folder.path, record),
  };
}
