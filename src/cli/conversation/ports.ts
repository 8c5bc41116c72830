/** What a conversation needs of the command line: the agent, its options and the saved sessions. */
import {
  checkPrompt,
  type ConversationPorts,
  createAgentHost,
  nullLogger,
  type OptionDefault,
  readEarlierSessions,
  readSessionHistory,
  Redactor,
  toDisposable,
} from '../../core/index.js';
import { removedText } from '../../text/noticeText.js';
import type { ConversationRequest } from '../arguments/request.js';
import { toCliError } from '../output/errorText.js';
import type { Output } from '../output/output.js';
import type { Io } from '../system/io.js';
import { openJournals } from '../system/journals.js';
import { clientInfo } from '../system/packageVersion.js';
import { stateFolder } from '../system/stateFolder.js';
import type { ConversationTarget } from './target.js';

export function createPorts(request: ConversationRequest, target: ConversationTarget, output: Output, io: Io): ConversationPorts {
  const { definition, isFallback } = target.agent;
  const redactor = new Redactor();
  const journals = openJournals(stateFolder(request.state, io), redactor, {
    onError: (error) => output.error(toCliError(error.toData(), definition.label)),
    onRemoved: (removed) => output.note(removedText(removed)),
  });
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
        requestDeadlines: { permissionMs: request.askTimeoutMs, questionMs: request.askTimeoutMs },
        journals,
        keepsChunks: request.format === 'json',
        clientInfo: clientInfo(),
      });
      return { host, owned: toDisposable(() => {}) };
    },
    optionDefaults: () => [...required('mode', request.mode), ...required('model', request.model)],
    mayHang: (agent, content) => checkPrompt(agent, content) !== undefined,
    writeTextFile: () => Promise.reject(new Error('Prompts of the command line are sent as they are')),
    readSaved: ({ agentId, sessionId, createdAt }) => readSessionHistory(journals, agentId, sessionId, { createdAt }),
    readEarlier: (agentId, session) => readEarlierSessions(journals, agentId, session),
    recall: () => Promise.resolve(undefined),
    remember: () => {},
  };
}

function required(category: OptionDefault['category'], value: string | undefined): readonly OptionDefault[] {
  return value === undefined ? [] : [{ category, value, isRequired: true }];
}
