/** The only reader of settings. */
import * as vscode from 'vscode';
import {
  type AgentDefinition,
  type BackendDeadlines,
  type Disposable,
  type JournalLimits,
  knownAgents,
  type Logger,
} from '../../core/index.js';
import {
  type AgentSettings,
  parseAgents,
  parseAgentSetting,
  parseSetting,
  type SettingKey,
  settingsTable,
  type SettingValue,
} from './settingsTable.js';

const section = 'acpHost';
const megabyte = 1024 * 1024;

export interface Settings {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** Id of an agent; empty: the first known one that is found. */
  readonly defaultAgent: string;
  /** Of the known agents that have settings of their own, by id. */
  readonly agentSettings: ReadonlyMap<string, AgentSettings>;
  /** Empty: the agent's own. */
  readonly defaultMode: string;
  readonly notifications: boolean;
  /** An agent that was used before starts when the user is about to write, instead of with the first message. */
  readonly startWhenComposing: boolean;
  readonly deadlines: BackendDeadlines;
  /** A request of the agent that the user does not answer within it ends as cancelled. 0: it waits as long as it takes. */
  readonly requestDeadlines: { readonly permissionMs: number; readonly questionMs: number };
  /** Without a sign of life for so long, an agent at work is called quiet. */
  readonly quietAfterMs: number;
  readonly journalLimits: JournalLimits;
}

/** What does not fit is logged and counts as not set. */
export function readSettings(log: Logger): Settings {
  const configuration = vscode.workspace.getConfiguration(section);
  const accept = <T>({ value, problem }: { readonly value: T; readonly problem?: string }): T => {
    if (problem !== undefined) log.warn(`A setting is ignored. ${problem}`);
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
  for (const problem of problems) log.warn(`An agent of the settings is ignored. ${problem}`);
  return {
    agents,
    defaultAgent: read('defaultAgent'),
    agentSettings: new Map(
      knownAgents.flatMap(({ id, settingsSection }) => (settingsSection === undefined ? [] : [[id, readAbout(settingsSection)]])),
    ),
    defaultMode: read('defaultMode'),
    notifications: read('notifications'),
    startWhenComposing: read('startWhenComposing'),
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
  };
}

/** Settings that differ from their defaults, by full key, as written. For a report. */
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

/** Stores answers of the user for all windows; only ever called right after them. @param agentSection as in AgentSettingKey */
export async function writeAgentSettings(agentSection: string, settings: Partial<AgentSettings>): Promise<void> {
  for (const [name, value] of Object.entries(settings))
    await vscode.workspace.getConfiguration(section).update(`${agentSection}.${name}`, value, vscode.ConfigurationTarget.Global);
}

export async function openSettings(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `@ext:acp-host.acp-host`);
}
