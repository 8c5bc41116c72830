/** What this editor does for the engine: only a front end knows the user's settings, keys and folders, and the code in the editor. */
import { homedir } from 'node:os';
import { basename } from 'node:path';
import {
  agentSummary,
  type CodeNavigation,
  type FrontEndServices,
  HostError,
  type Logger,
  readMcpServers,
  type Redactor,
  type StartableAgent,
} from '../../core/index.js';
import { leftOutText } from '../../text/mcpText.js';
import { isTrusted, openFolders } from '../window/workspace.js';
import { type AgentSources, chooseAgent, startableAgent } from './agentChoice.js';

export interface EditorParts {
  agents(): AgentSources;
  /** Learns the secrets in the environments of agents, because a problem report may contain them. */
  readonly redactor: Redactor;
  /** For the agents that the user allows to ask. */
  readonly codeNavigation: CodeNavigation;
  /** The texts of the files that are open. */
  readonly texts: {
    unsaved(paths: readonly string[]): Promise<Readonly<Record<string, string>>>;
    edit(texts: Readonly<Record<string, string>>, saves: boolean): Promise<readonly string[]>;
  };
  readonly clientInfo: StartableAgent['clientInfo'];
  readonly log: Logger;
}

export function frontEndServices({ agents, redactor, codeNavigation, texts, clientInfo, log }: EditorParts): FrontEndServices {
  return {
    async peek_agent({ cwd, agentId }) {
      return agentSummary(await chooseAgent(agents(), { env: agents().knownEnv(), cwd }, agentId));
    },
    async choose_agent({ cwd, agentId }) {
      // Comes first: the login shell runs the user's startup files.
      if (!isTrusted()) throw new HostError('untrusted');
      const choice = await startableAgent(agents(), cwd, agentId);
      if ('env' in choice.definition) redactor.addEnvironment(choice.definition.env);
      redactor.addEnvironment(choice.baseEnv);
      const { deadlines, requestDeadlines, defaultMode, mcpServers: configured } = agents().settings();
      const variables = { ...choice.baseEnv, workspaceFolder: cwd, workspaceFolderBasename: basename(cwd), userHome: homedir() };
      const own = readMcpServers(configured, variables);
      const ofFolder = await agents().folderServers.allowedIn(cwd, variables, new Set(Object.keys(configured)));
      const leftOutServers = [...own.problems, ...ofFolder.problems];
      for (const problem of leftOutServers) log.info(`Left out: ${leftOutText(problem)}`);
      const optionDefaults = defaultMode === '' ? [] : [{ category: 'mode', value: defaultMode, isRequired: false } as const];
      return {
        ...choice,
        mcpServers: [...own.servers, ...ofFolder.servers],
        leftOutServers,
        secretValues: ofFolder.secretValues,
        // They are the user's own, and trusted like this one: VS Code trusts all folders of a window or none.
        otherFolders: openFolders()
          .map(({ path }) => path)
          .filter((path) => path !== cwd),
        clientInfo,
        deadlines,
        requestDeadlines,
        optionDefaults,
      };
    },
    unsaved_texts: ({ paths }) => texts.unsaved(paths),
    edit_texts: (given) => texts.edit(given.texts, given.saves),
    read_stored_key: ({ url }) => agents().servers.keys.read(url),
    code_navigation({ method, args }) {
      const ask = codeNavigation[method] as (...args: readonly unknown[]) => Promise<unknown>;
      return ask(...args);
    },
  };
}
