/** Determines which agent to use and how to start it, from the settings, the installed programs, and the user's keys. */
import { homedir } from 'node:os';
import path from 'node:path';
import {
  type AgentCatalog,
  type AgentChoice,
  type AgentDefinition,
  agentSummary,
  builtinAgents,
  chooseDefaultAgent,
  type ClientInfo,
  type CodeNavigation,
  findAgents,
  findKnownAgent,
  type FrontEndServices,
  HostError,
  listCatalog,
  type Logger,
  type OwnAgents,
  type ProcessDefinition,
  programOnPath,
  type ProviderAgent,
  readMcpServers,
  readRegistry,
  type Redactor,
  type Registry,
  type ServerDefinition,
  type StartableAgent,
  suggestedAgent,
  takesProvider,
  withInstalledAgents,
} from '../../core/index.js';
import { leftOutText } from '../../text/mcpText.js';
import type { StoredValues, ServerTrust } from '../window/secrets.js';
import type { AgentSettings, Settings } from '../window/settings.js';
import { isTrusted, openFolders } from '../window/workspace.js';
import type { FolderServers } from './folderServers.js';

export interface AgentSources {
  settings(): Settings;
  readonly apiKeys: StoredValues;
  readonly servers: ServerTrust;
  readonly folderServers: FolderServers;
  /** The absolute path of the folder with the bundled programs. */
  readonly bundleFolder: string;
  /** The absolute path of the folder with the agents that ACP Host installed, among other things. */
  readonly stateFolder: string;
  /** How ACP Host introduces itself to agents. */
  readonly clientInfo: ClientInfo;
  /** The agent that the user chose in this window; undefined for the default of the settings. */
  chosenId(): string | undefined;
  /**
   * Returns the environment in which agents start. Asks the user's login shell if the editor was started without one, so call it only after
   * an action of the user.
   */
  baseEnv(): Promise<NodeJS.ProcessEnv>;
  /** Returns the environment as far as it is known without asking the shell. */
  knownEnv(): NodeJS.ProcessEnv;
}

/** Where commands are searched. */
export interface LaunchContext {
  readonly env: NodeJS.ProcessEnv;
  /** Absolute. */
  readonly cwd: string;
}

/** Returns the list of agents that can be installed, as it was last fetched. */
export function knownRegistry({ stateFolder, settings }: AgentSources): Registry {
  return readRegistry(stateFolder, settings().registryUrl);
}

/** Lists every agent that can be chosen, with the place where it was found, and those that can be installed. Starts nothing. */
export function listAgents(sources: AgentSources, context: LaunchContext): Promise<AgentCatalog> {
  return listCatalog(ownAgents(sources), knownRegistry(sources), { stateFolder: sources.stateFolder, context });
}

/**
 * @param id the required agent; the user's choice if undefined
 * @throws HostError `agent_not_found` if there is none, or none with this id
 */
async function chooseAgent(
  sources: AgentSources,
  context: LaunchContext,
  id: string | undefined,
): Promise<Pick<AgentChoice, 'definition' | 'isFallback'>> {
  const definitions = await withInstalledAgents(ownAgents(sources), sources.stateFolder);
  const wanted = id ?? sources.chosenId() ?? sources.settings().defaultAgent;
  if (wanted === '') {
    const chosen = chooseDefaultAgent(await findAgents(definitions, context));
    if (chosen === undefined) throw new HostError('agent_not_found', { reason: 'none_installed', command: suggestedAgent.launch.command });
    return { definition: chosen.definition, isFallback: chosen.isFallback };
  }
  const chosen = definitions.find(({ id: one }) => one === wanted) ?? (await programOnPath(wanted, context));
  if (chosen === undefined) throw new HostError('agent_not_found', { reason: 'not_in_settings', command: wanted });
  return { definition: chosen, isFallback: false };
}

/**
 * Returns the agent as it would be started now; asks the login shell if necessary.
 * @throws HostError like chooseAgent
 */
export async function startableAgent(sources: AgentSources, cwd: string, id: string | undefined): Promise<AgentChoice> {
  const baseEnv = await sources.baseEnv();
  const { definition, isFallback } = await chooseAgent(sources, { env: baseEnv, cwd }, id);
  const startable = 'url' in definition ? withTrust(definition, sources.servers) : await withProvider(definition, sources, baseEnv);
  return { definition: startable, isFallback, baseEnv };
}

/** Adds what the user decided about the server to the definition. A pin in the settings takes precedence. */
function withTrust(definition: ServerDefinition, servers: ServerTrust): ServerDefinition {
  const { url, pin = servers.pinOf(url) } = definition;
  return { ...definition, ...(pin === undefined ? {} : { pin }), ...(servers.isPlainAllowed(url) ? { isPlainAllowed: true } : {}) };
}

/**
 * Adds the user's provider and key to the environment of the definition, all of it or nothing. Variables of the definition itself take
 * precedence.
 */
async function withProvider(
  definition: ProcessDefinition,
  { settings, apiKeys }: AgentSources,
  baseEnv: NodeJS.ProcessEnv,
): Promise<ProcessDefinition> {
  const agent = findKnownAgent(definition.id);
  if (!takesProvider(agent)) return definition;
  const { provider, baseUrl, model, format } = providerSettings(agent, settings());
  const apiKey = await apiKeys.read(provider);
  const env = agent.provider.env({ provider, baseUrl, model, format, ...(apiKey === undefined ? {} : { apiKey }) }, baseEnv);
  return { ...definition, env: { ...env, ...definition.env } };
}

/** Returns the settings for the agent, with the provider in upper case; the agent's own default if none is set. */
export function providerSettings({ id, provider: form }: ProviderAgent, { agentSettings }: Pick<Settings, 'agentSettings'>): AgentSettings {
  const set = agentSettings.get(id) ?? { path: '', provider: '', baseUrl: '', model: '', format: '' };
  return { ...set, provider: set.provider === '' ? form.defaultProvider : set.provider.toUpperCase() };
}

function ownAgents({ settings, bundleFolder }: AgentSources): OwnAgents<AgentDefinition> {
  const { agents, agentSettings } = settings();
  const builtin = builtinAgents((bundle) => ({
    command: process.execPath,
    args: [path.join(bundleFolder, `${bundle}.js`)],
    env: { ELECTRON_RUN_AS_NODE: '1' },
  })).map((definition) => {
    const command = agentSettings.get(definition.id)?.path ?? '';
    return command === '' ? definition : { ...definition, command };
  });
  // The user may have added a known agent under a name of their own.
  const commands = new Set([...agents.values()].map((agent) => ('url' in agent ? undefined : agent.command)));
  return { builtin: builtin.filter(({ id, command }) => !agents.has(id) && !commands.has(command)), configured: [...agents.values()] };
}

// What this editor does for the engine: only a front end knows the user's settings, keys and folders, and the code in the editor.

interface EditorParts {
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
      const variables = { ...choice.baseEnv, workspaceFolder: cwd, workspaceFolderBasename: path.basename(cwd), userHome: homedir() };
      const own = readMcpServers(configured, variables);
      // A server that the settings disable takes no name from one of the folder.
      const taken = [...own.servers.map(({ name }) => name), ...own.problems.map(({ server }) => server)];
      const ofFolder = await agents().folderServers.allowedIn(cwd, variables, new Set(taken));
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
