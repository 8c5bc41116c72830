/** The only reader of settings. */
import * as vscode from 'vscode';
import type { Deadlines, Disposable, JournalLimits, Logger } from '../../core/index.js';
import { type ConfiguredAgent, parseAgents, parseSetting, type SettingKey, settingsTable, type SettingValue } from './settingsTable.js';

const section = 'acpHost';
const megabyte = 1024 * 1024;

export interface Settings {
  readonly agents: ReadonlyMap<string, ConfiguredAgent>;
  /** Id of an agent; empty: agentao where it is found, else the demo agent. */
  readonly defaultAgent: string;
  readonly agentao: AgentaoSettings;
  /** Empty: the agent's default. */
  readonly defaultMode: string;
  readonly notifications: boolean;
  readonly deadlines: Deadlines;
  /** A request of the agent that the user does not answer in time ends as cancelled. 0: no limit. */
  readonly askDeadlines: { readonly permissionMs: number; readonly questionMs: number };
  /** An agent at work that is silent for longer counts as unresponsive. */
  readonly quietAfterMs: number;
  readonly journalLimits: JournalLimits;
}

/** Empty strings: not set. */
export interface AgentaoSettings {
  readonly path: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly format: SettingValue<'agentao.format'>;
}

/** What does not fit is logged and counts as not set. */
export function readSettings(log: Logger): Settings {
  const configuration = vscode.workspace.getConfiguration(section);
  const read = <K extends SettingKey>(key: K): SettingValue<K> => {
    const { value, problem } = parseSetting(key, configuration.get(key));
    if (problem !== undefined) log.warn(`A setting is ignored. ${problem}`);
    return value;
  };
  const { agents, problems } = parseAgents(read('agents'));
  for (const problem of problems) log.warn(`An agent of the settings is ignored. ${problem}`);
  return {
    agents,
    defaultAgent: read('defaultAgent'),
    agentao: {
      path: read('agentao.path'),
      provider: read('agentao.provider'),
      baseUrl: read('agentao.baseUrl'),
      model: read('agentao.model'),
      format: read('agentao.format'),
    },
    defaultMode: read('defaultMode'),
    notifications: read('notifications'),
    deadlines: {
      initializeMs: read('deadlines.initializeSeconds') * 1000,
      sessionMs: read('deadlines.sessionSeconds') * 1000,
      queryMs: read('deadlines.querySeconds') * 1000,
    },
    askDeadlines: { permissionMs: read('deadlines.permissionSeconds') * 1000, questionMs: read('deadlines.questionSeconds') * 1000 },
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

/** Stores an answer of the user for all windows; only ever called right after one. */
export async function writeSetting<K extends SettingKey>(key: K, value: SettingValue<K>): Promise<void> {
  await vscode.workspace.getConfiguration(section).update(key, value, vscode.ConfigurationTarget.Global);
}

export async function openSettings(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `@ext:acp-host.acp-host`);
}
