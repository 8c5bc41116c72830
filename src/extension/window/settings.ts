/** The only reader of settings. */
import * as vscode from 'vscode';
import {
  type AgentDefinition,
  type BackendDeadlines,
  type Disposable,
  type JournalLimits,
  keysOfAgentsElsewhere,
  knownAgents,
  type Logger,
  type ProcessDefinition,
  type RecordingOptions,
  registryUrl,
} from '../../core/index.js';
import {
  type AgentSettings,
  type DoneNotice,
  type EngineLocation,
  parseAgents,
  parseAgentSetting,
  parseSetting,
  type RequestPlace,
  type SaveBeforePrompt,
  type SettingKey,
  settingsTable,
  type SettingValue,
} from './settingsTable.js';

const section = 'acpHost';
const megabyte = 1024 * 1024;

export interface Settings {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** As in the settings, by name: variables are filled in when an agent starts. */
  readonly mcpServers: Readonly<Record<string, unknown>>;
  /** The id of an agent; if it is empty, the first known agent that is found. */
  readonly defaultAgent: string;
  /** The settings of the known agents that have their own, by id. */
  readonly agentSettings: ReadonlyMap<string, AgentSettings>;
  /** The URL of the list of agents that can be installed. */
  readonly registryUrl: string;
  /** If it is empty, the agent's own default. */
  readonly defaultMode: string;
  readonly requestsOutOfSight: RequestPlace;
  readonly notifyWhenDone: DoneNotice;
  /** Whether an agent that was used before starts when the user is about to write, instead of with the first message. */
  readonly startWhenComposing: boolean;
  readonly saveFilesBeforePrompt: SaveBeforePrompt;
  /** Whether lenses are shown above changes that are to be reviewed. */
  readonly showsChangeLenses: boolean;
  readonly deadlines: BackendDeadlines;
  /** How long the user may take to answer a request of the agent before it is rejected or canceled; 0 for no limit. */
  readonly requestDeadlines: { readonly permissionMs: number; readonly questionMs: number };
  /** How long a working agent may be silent before it counts as unresponsive. */
  readonly quietAfterMs: number;
  readonly journalLimits: JournalLimits;
  readonly recording: RecordingOptions;
  readonly engineLocation: EngineLocation;
  /** How long an idle engine stays after the last window was closed, so that the next one finds its agents ready. */
  readonly keepAliveMs: number;
}

/** Logs invalid values and treats them as not set. */
export function readSettings(log: Logger): Settings {
  const configuration = vscode.workspace.getConfiguration(section);
  const accept = <T>({ value, problem }: { readonly value: T; readonly problem?: string }): T => {
    if (problem !== undefined) log.warn(`Ignored a setting. ${problem}`);
    return value;
  };
  const read = <K extends SettingKey>(key: K): SettingValue<K> => accept(parseSetting(key, configuration.get(key)));
  const readAbout = (agentSection: string): AgentSettings => {
    const readPart = (name: keyof AgentSettings): string => {
      const key = `${agentSection}.${name}` as const;
      return accept(parseAgentSetting(key, configuration.get(key)));
    };
    return {
      path: readPart('path'),
      provider: readPart('provider'),
      baseUrl: readPart('baseUrl'),
      model: readPart('model'),
      format: readPart('format'),
    };
  };
  const { agents, problems } = parseAgents(read('agents'));
  for (const problem of problems) log.warn(`Ignored an agent in the settings. ${problem}`);
  return {
    agents,
    mcpServers: read('mcpServers'),
    defaultAgent: read('defaultAgent'),
    registryUrl: read('registryUrl') || process.env['ACP_HOST_REGISTRY'] || registryUrl,
    agentSettings: new Map(
      knownAgents.flatMap(({ id, settingsSection }) => (settingsSection === undefined ? [] : [[id, readAbout(settingsSection)]])),
    ),
    defaultMode: read('defaultMode'),
    requestsOutOfSight: read('requestsOutOfSight'),
    notifyWhenDone: read('notifyWhenDone'),
    startWhenComposing: read('startWhenComposing'),
    saveFilesBeforePrompt: read('saveFilesBeforePrompt'),
    showsChangeLenses: read('changes.codeLens'),
    deadlines: {
      initializeMs: read('deadlines.initializeSeconds') * 1000,
      sessionMs: read('deadlines.sessionSeconds') * 1000,
      queryMs: read('deadlines.querySeconds') * 1000,
    },
    requestDeadlines: { permissionMs: read('deadlines.permissionSeconds') * 1000, questionMs: read('deadlines.questionSeconds') * 1000 },
    quietAfterMs: read('quietAfterSeconds') * 1000,
    journalLimits: {
      perSessionBytes: read('journal.maxMegabytesPerConversation') * megabyte,
      totalBytes: read('journal.maxMegabytes') * megabyte,
    },
    recording: { limitBytes: read('changes.maxMegabytes') * megabyte, exclude: read('changes.exclude') },
    engineLocation: read('engine.location'),
    keepAliveMs: read('engine.keepAliveMinutes') * 60_000,
  };
}

/** Returns the settings that differ from their defaults, by full key, as the user wrote them. For a report. */
export function settingsInUse(): Readonly<Record<string, unknown>> {
  const configuration = vscode.workspace.getConfiguration(section);
  return Object.fromEntries(
    Object.entries(settingsTable).flatMap(([key, { fallback }]) => {
      const value: unknown = configuration.get(key);
      return value === undefined || JSON.stringify(value) === JSON.stringify(fallback) ? [] : [[`${section}.${key}`, value]];
    }),
  );
}

export function onSettingsChanged(listener: () => void): Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(section)) listener();
  });
}

/** Returns the user's own settings of other extensions that start agents, by full key. Those of a workspace are not the user's. */
export function agentSettingsOfOthers(): Readonly<Record<string, unknown>> {
  const configuration = vscode.workspace.getConfiguration();
  return Object.fromEntries(keysOfAgentsElsewhere.map((key) => [key, configuration.inspect(key)?.globalValue]));
}

/**
 * Saves what the user entered, for all windows. Call it only right after that.
 * @param agentSection as in AgentSettingKey
 */
export async function writeAgentSettings(agentSection: string, settings: Partial<AgentSettings>): Promise<void> {
  for (const [name, value] of Object.entries(settings))
    await vscode.workspace.getConfiguration(section).update(`${agentSection}.${name}`, value, vscode.ConfigurationTarget.Global);
}

/**
 * Adds an agent that the user entered, for all windows.
 * @param id not yet in use
 */
export async function writeAgent(
  id: string,
  agent: Pick<ProcessDefinition, 'label' | 'command' | 'args'> & Partial<Pick<ProcessDefinition, 'env'>>,
): Promise<void> {
  const configuration = vscode.workspace.getConfiguration(section);
  const agents = parseSetting('agents', configuration.get('agents')).value;
  await configuration.update('agents', { ...agents, [id]: agent }, vscode.ConfigurationTarget.Global);
}

/**
 * In a remote window, most settings have the scope `machine` and can be changed only on the page of the remote machine, which has all of
 * them. Both commands take the query as a member: microsoft/vscode src/vs/workbench/contrib/preferences/browser/preferences.contribution.ts.
 * @param key the only setting to show; all of ACP Host if absent
 */
export async function openSettings(key?: SettingKey): Promise<void> {
  const command = vscode.env.remoteName === undefined ? 'workbench.action.openSettings' : 'workbench.action.openRemoteSettings';
  await vscode.commands.executeCommand(command, { query: key === undefined ? '@ext:acp-host.acp-host' : `@id:${section}.${key}` });
}
