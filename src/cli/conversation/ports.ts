/** What a conversation needs from the command line: the agent, its options and the saved sessions. */
import {
  type AgentHost,
  type ConversationPorts,
  type ConversationStore,
  createAgentHost,
  nullLogger,
  readEarlierSessions,
  readSessionHistory,
  type Redactor,
  toDisposable,
} from '../../core/index.js';
import type { ConversationRequest } from '../arguments/request.js';
import type { Io } from '../system/io.js';
import { OutputFlow } from '../system/outputFlow.js';
import { clientInfo } from '../system/packageVersion.js';
import type { ConversationTarget } from './target.js';

/** In 24 days: timers support no longer time. */
const longestMs = 2 ** 31 - 1;

export interface PortParts {
  readonly request: ConversationRequest;
  readonly target: ConversationTarget;
  readonly store: ConversationStore;
  readonly redactor: Redactor;
  readonly io: Io;
  readonly onHost: (host: AgentHost) => void;
}

/** @param id the id of the conversation */
export function createPorts(id: string, { request, target, store, redactor, io, onHost }: PortParts): ConversationPorts {
  const { definition, isFallback } = target.agent;
  const { journals } = store;
  const flow = new OutputFlow(io);
  const { startTimeoutMs } = request;
  return {
    log: nullLogger,
    clock: { now: () => Date.now() },
    isTrusted: () => true,
    opens: 'when_told',
    peekAgent: () => Promise.resolve({ id: definition.id, label: definition.label, isFallback }),
    chooseAgent: () => Promise.resolve({ definition, isFallback, baseEnv: io.env }),
    createHost({ definition: agent, baseEnv }) {
      const host = createAgentHost({
        agent,
        cwd: target.cwd,
        terminalAuth: true,
        baseEnv,
        redactor,
        restart: {},
        // An answer on stdin may precede its request.
        nameRequest: (count) => `ask${count}`,
        ...(startTimeoutMs !== undefined && { deadlines: { initializeMs: startTimeoutMs || longestMs } }),
        requestDeadlines: { permissionMs: request.askTimeoutMs, questionMs: request.askTimeoutMs },
        journals,
        keepsChunks: request.format === 'json',
        clientInfo: clientInfo(),
        whenDrained: () => flow.whenDrained(),
      });
      onHost(host);
      return { host, owned: toDisposable(() => {}) };
    },
    optionDefaults: () => request.options.map((wish) => ({ ...wish, isRequired: true })),
    readSaved: ({ agentId, sessionId, createdAt }) => readSessionHistory(journals, agentId, sessionId, { createdAt }),
    readEarlier: (agentId, session) => readEarlierSessions(journals, agentId, session),
    recall: () => Promise.resolve(undefined),
    // What is unsent when the program ends is reported, and not saved for later.
    remember: ({ place }, summary) => store.rememberPlace(id, target.cwd, place, summary),
  };
}
