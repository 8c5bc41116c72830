import { basename } from 'node:path';
import { systemClock } from '../base/clock.js';
import { HostError, toHostError } from '../base/errors.js';
import { type Logger, tagged } from '../base/logger.js';
import type { Redactor } from '../base/redact.js';
import type { AgentPorts } from '../conversation/agentSessions.js';
import type { ConversationPorts, CreatedHost } from '../conversation/ports.js';
import { createAgentHost } from '../host/agentHost.js';
import { readConversation } from '../journal/journalStore.js';
import type { EditorTexts } from '../services/changes/workingFiles.js';
import type { CodeNavigation } from '../services/codeNavigation.js';
import type { ConversationStore } from '../store/conversationStore.js';
import type { AgentProcesses } from './agentProcesses.js';
import type { EngineChanges } from './engineChanges.js';
import type { FrontEndCalls, StartableAgent } from './contract.js';

/** Asks a front end. Rejects if none is there. @param late aborted when no other one may be asked in the place of one that is gone */
export type AskFrontEnd = <M extends keyof FrontEndCalls>(
  method: M,
  params: FrontEndCalls[M]['params'],
  late?: AbortSignal,
) => Promise<FrontEndCalls[M]['result']>;

export interface EnginePortParts {
  readonly store: ConversationStore;
  readonly redactor: Redactor;
  readonly processes: AgentProcesses;
  readonly changes: EngineChanges;
  readonly log: Logger;
}

/** What a conversation in an engine needs: the disk is the engine's, everything else is asked of a front end that shows the conversation. */
export function enginePorts(id: string, cwd: string, ask: AskFrontEnd, parts: EnginePortParts): ConversationPorts {
  const { store } = parts;
  const { journals } = store;
  return {
    ...agentPorts(cwd, ask, parts),
    log: tagged(parts.log, basename(cwd)),
    clock: systemClock,
    peekAgent: (agentId) => ask('peek_agent', { cwd, agentId }),
    readSessions: () => readConversation(journals, id),
    openJournal: (session, isNew) => journals.open(id, session, isNew),
    changes: parts.changes.of(id, cwd, editorTextsBy(ask)),
    recall: () => store.recall(id),
    remember: (record, summary) => store.remember(id, cwd, record, summary),
  };
}

/** What it takes to start an agent in a folder. */
export function agentPorts(
  cwd: string,
  ask: AskFrontEnd,
  parts: Pick<EnginePortParts, 'redactor' | 'processes' | 'log'>,
): AgentPorts & Pick<ConversationPorts, 'optionDefaults'> {
  const { redactor, processes } = parts;
  let latest: StartableAgent | undefined;
  return {
    async chooseAgent(agentId) {
      try {
        latest = await ask('choose_agent', { cwd, agentId });
      } catch (error) {
        if (toHostError(error).code !== 'unsupported') throw error;
        // No front end is there. What it ran before, with the trust that it had, it may run again; nobody could say so of anything else.
        if (latest === undefined || (agentId !== undefined && agentId !== latest.definition.id)) throw new HostError('untrusted');
      }
      return latest;
    },
    createHost,
    optionDefaults: () => latest?.optionDefaults ?? [],
  };

  /** Takes what `chooseAgent` returned. */
  function createHost({ definition, isFallback: _, deadlines, requestDeadlines, ...given }: StartableAgent): CreatedHost {
    const host = createAgentHost({
      ...given,
      agent: definition,
      cwd,
      redactor,
      ...(deadlines && { deadlines }),
      ...(requestDeadlines && { requestDeadlines }),
      restart: {},
      readStoredKey: keyReader(ask),
      terminalAuth: true,
      editorTexts: editorTextsBy(ask),
      ...(definition.mayAskAboutCode === true && { codeNavigation: navigationBy(ask) }),
      log: tagged(parts.log, definition.id),
    });
    return { host, owned: processes.add(host, cwd, tagged(parts.log, definition.id)) };
  }
}

function editorTextsBy(ask: AskFrontEnd): EditorTexts {
  return {
    unsaved: (paths) => ask('unsaved_texts', { paths }),
    edit: (texts, saves = false, late) => ask('edit_texts', { texts, saves }, late),
  };
}

/** An agent that is lost while no front end is there is restarted with the key that it had. It is in memory only. */
function keyReader(ask: AskFrontEnd): (url: string) => Promise<string | undefined> {
  let known: string | undefined;
  return async (url) => {
    known = await ask('read_stored_key', { url }).catch(() => known);
    return known;
  };
}

function navigationBy(ask: AskFrontEnd): CodeNavigation {
  const by =
    <M extends keyof CodeNavigation>(method: M) =>
    (...args: Parameters<CodeNavigation[M]>): ReturnType<CodeNavigation[M]> =>
      ask('code_navigation', { method, args }) as ReturnType<CodeNavigation[M]>;
  return {
    documentSymbols: by('documentSymbols'),
    definitions: by('definitions'),
    typeDefinitions: by('typeDefinitions'),
    references: by('references'),
    diagnostics: by('diagnostics'),
    openEditors: by('openEditors'),
  };
}
