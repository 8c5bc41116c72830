/** The ports of a conversation, as this editor fills them. */
import {
  type AgentHost,
  createAgentHost,
  type Disposable,
  type JournalStore,
  type Logger,
  readEarlierSessions,
  readSessionHistory,
  type Redactor,
  tagged,
} from '../../core/index.js';
import { type AgentSources, chooseAgent, startableAgent } from './agentChoice.js';
import type { WorkspaceState } from '../window/workspaceState.js';
import { openFolders } from '../window/folders.js';
import { isTrusted } from '../window/trust.js';
import type { ConversationPorts, Folder } from '../conversation/ports.js';

export interface EditorParts {
  readonly agents: AgentSources;
  readonly memory: WorkspaceState;
  readonly journals: JournalStore;
  readonly redactor: Redactor;
  /** Whoever shows the traffic of each host. */
  readonly traffic: { attach(host: AgentHost, label: string): Disposable };
  readonly log: Logger;
  readonly clientInfo: { readonly name: string; readonly title: string; readonly version: string };
  returnToComposer(text: string): void;
}

export function portsFor(folder: Folder, parts: EditorParts): ConversationPorts {
  const { agents, memory, journals, redactor, traffic, log, clientInfo } = parts;
  return {
    folder,
    log: tagged(log, folder.name),
    isTrusted,
    peekAgent: (id) => chooseAgent(agents, { env: agents.knownEnv(), cwd: folder.path }, id),
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
    defaultMode: () => agents.settings().defaultMode,
    readSaved: ({ agentId, sessionId, createdAt }) => readSessionHistory(journals, agentId, sessionId, { createdAt }),
    readBefore: (agentId, conversation) => readEarlierSessions(journals, agentId, conversation),
    recall: () => memory.recall(folder.path),
    remember: (record) => memory.remember(folder.path, record),
    recallUnsent: () => memory.recallUnsent(folder.path),
    rememberUnsent: (prompts) => memory.rememberUnsent(folder.path, prompts),
    returnToComposer: parts.returnToComposer,
  };
}
