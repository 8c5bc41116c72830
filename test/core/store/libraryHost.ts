/** A front end with a store, as a window or a command line is for other processes. */
import path from 'node:path';
import {
  type ConversationClient,
  type ConversationPorts,
  Conversations,
  ConversationStore,
  connectDirectly,
  createAgentHost,
  nullLogger,
  readEarlierSessions,
  readSessionHistory,
  Redactor,
  toDisposable,
} from '../../../src/core/index.js';

export interface LibraryHost {
  readonly state: string;
  readonly store: ConversationStore;
  readonly conversations: Conversations;
  open(id: string): ConversationClient;
  end(): Promise<void>;
}

export interface LibraryHostOptions {
  readonly state: string;
  readonly workspace: string;
  readonly program: 'editor' | 'terminal';
  /** Of the agent. */
  readonly env?: Readonly<Record<string, string>>;
}

export function openLibraryHost({ state, workspace, program, env = {} }: LibraryHostOptions): LibraryHost {
  const store = new ConversationStore({
    stateFolder: state,
    program,
    redactor: new Redactor(),
    log: nullLogger,
    leaseTiming: { signMs: 100, silentMs: 1_500, letGoMs: 3_000, stopMs: 5_000 },
  });
  const definition = {
    id: 'obedient',
    label: 'Obedient',
    command: process.execPath,
    args: [path.resolve(import.meta.dirname, '../../agents/obedient.mjs')],
    env,
    protocol: 'acp',
  };
  const { journals } = store;
  const portsFor = (id: string): ConversationPorts => ({
    log: nullLogger,
    clock: { now: () => Date.now() },
    isTrusted: () => true,
    peekAgent: () => Promise.resolve({ id: definition.id, label: definition.label, isFallback: false }),
    chooseAgent: () => Promise.resolve({ definition, isFallback: false, baseEnv: process.env }),
    createHost: ({ definition: agent, baseEnv }) => ({
      host: createAgentHost({
        agent,
        cwd: workspace,
        baseEnv,
        journals,
        terminalAuth: true,
        clientInfo: { name: 't', title: 'T', version: '0' },
      }),
      owned: toDisposable(() => {}),
    }),
    optionDefaults: () => [],
    readSaved: ({ agentId, sessionId, createdAt }) => readSessionHistory(journals, agentId, sessionId, { createdAt }),
    readEarlier: (agentId, session) => readEarlierSessions(journals, agentId, session),
    recall: () => store.recall(id),
    remember: (record, summary) => store.remember(id, workspace, record, summary),
  });
  const conversations = new Conversations(portsFor, store);
  return {
    state,
    store,
    conversations,
    open: (id) => connectDirectly(conversations.open({ cwd: workspace, id })),
    async end() {
      await conversations.end();
      store.dispose();
    },
  };
}
