/** The only reader of settings, and what each of them accepts. */
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import {
  type AgentDefinition,
  type BackendDeadlines,
  defaultProtocol,
  type Disposable,
  HostError,
  type JournalLimits,
  keysOfAgentsElsewhere,
  type KnownAgent,
  knownAgents,
  type Logger,
  parsePin,
  parseServerUrl,
  type ProcessDefinition,
  protocolOf,
  type RecordingOptions,
  registryUrl,
  toHostError,
} from '../../core/index.js';
import { errorMessage } from '../../text/errorText.js';

const section = 'acpHost';
const megabyte = 1024 * 1024;

export type Settings = ReturnType<typeof readSettings>;

/** Logs invalid values and treats them as not set. */
export function readSettings(log: Logger) {
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
  const deadlines: BackendDeadlines = {
    initializeMs: read('deadlines.initializeSeconds') * 1000,
    sessionMs: read('deadlines.sessionSeconds') * 1000,
    queryMs: read('deadlines.querySeconds') * 1000,
  };
  const journalLimits: JournalLimits = {
    perSessionBytes: read('journal.maxMegabytesPerConversation') * megabyte,
    totalBytes: read('journal.maxMegabytes') * megabyte,
  };
  const recording: RecordingOptions = { limitBytes: read('changes.maxMegabytes') * megabyte, exclude: read('changes.exclude') };
  return {
    agents,
    /** As in the settings, by name: variables are filled in when an agent starts. */
    mcpServers: read('mcpServers'),
    /** The id of an agent; if it is empty, the first known agent that is found. */
    defaultAgent: read('defaultAgent'),
    /** The URL of the list of agents that can be installed. */
    registryUrl: read('registryUrl') || process.env['ACP_HOST_REGISTRY'] || registryUrl,
    /** The settings of the known agents that have their own, by id. */
    agentSettings: new Map(
      knownAgents.flatMap(({ id, settingsSection }) => (settingsSection === undefined ? [] : [[id, readAbout(settingsSection)]])),
    ),
    /** If it is empty, the agent's own default. */
    defaultMode: read('defaultMode'),
    requestsOutOfSight: read('requestsOutOfSight'),
    notifyWhenDone: read('notifyWhenDone'),
    /** Whether an agent starts when it is selected, and one that was used before when the user is about to write, instead of with the first message. */
    startWhenComposing: read('startWhenComposing'),
    saveFilesBeforePrompt: read('saveFilesBeforePrompt'),
    /** Whether lenses are shown above changes that are to be reviewed. */
    showsChangeLenses: read('changes.codeLens'),
    deadlines,
    /** How long the user may take to answer a request of the agent before it is rejected or canceled; 0 for no limit. */
    requestDeadlines: { permissionMs: read('deadlines.permissionSeconds') * 1000, questionMs: read('deadlines.questionSeconds') * 1000 },
    /** How long a working agent may be silent before it counts as unresponsive. */
    quietAfterMs: read('quietAfterSeconds') * 1000,
    journalLimits,
    recording,
    engineLocation: read('engine.location'),
    /** How long an idle engine stays after the last window was closed, so that the next one finds its agents ready. */
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

// Every setting with the shape that is accepted and the value that replaces invalid ones. package.json declares the same
// (test/extension/manifest.test.ts).

const seconds = z.number().check(z.minimum(1));
const secondsOrNever = z.number().check(z.minimum(0));
const megabytes = z.number().check(z.minimum(1));

/** Where a request appears while no page shows its conversation. */
const requestPlaces = ['panel', 'reveal', 'notification'] as const;

/** When a notification says that a turn has ended: never, while the window is not focused, or also while no page shows the conversation. */
const doneNotices = ['never', 'unfocused', 'hidden'] as const;

const savesBeforePrompt = ['save', 'ask', 'off'] as const;
/** What to do with unsaved changes in files that a message names: save them, ask, or leave them. */
export type SaveBeforePrompt = (typeof savesBeforePrompt)[number];

/** Where conversations and their agents run: in a process of its own, or in the window that was opened first. */
const engineLocations = ['process', 'window'] as const;

interface Setting<T> {
  readonly schema: z.ZodMiniType<T>;
  /** As in package.json. */
  readonly fallback: T;
}

function setting<T>(schema: z.ZodMiniType<T>, fallback: NoInfer<T>): Setting<T> {
  return { schema, fallback };
}

/** Keys without the prefix `acpHost.`. */
const generalSettings = {
  agents: setting(z.record(z.string(), z.unknown()), {}),
  mcpServers: setting(z.record(z.string(), z.unknown()), {}),
  defaultAgent: setting(z.string(), ''),
  registryUrl: setting(z.string(), ''),
  defaultMode: setting(z.string(), ''),
  requestsOutOfSight: setting(z.enum(requestPlaces), 'panel'),
  notifyWhenDone: setting(z.enum(doneNotices), 'unfocused'),
  startWhenComposing: setting(z.boolean(), true),
  saveFilesBeforePrompt: setting(z.enum(savesBeforePrompt), 'save'),
  'changes.codeLens': setting(z.boolean(), true),
  'deadlines.initializeSeconds': setting(seconds, 30),
  'deadlines.sessionSeconds': setting(seconds, 120),
  'deadlines.querySeconds': setting(seconds, 15),
  'deadlines.permissionSeconds': setting(secondsOrNever, 0),
  'deadlines.questionSeconds': setting(secondsOrNever, 0),
  quietAfterSeconds: setting(seconds, 60),
  'journal.maxMegabytesPerConversation': setting(megabytes, 64),
  'journal.maxMegabytes': setting(megabytes, 1024),
  'changes.maxMegabytes': setting(megabytes, 1024),
  'changes.exclude': setting(z.array(z.string().check(z.regex(/^[^\s!][^\0]*$/))), []),
  'engine.location': setting(z.enum(engineLocations), 'process'),
  'engine.keepAliveMinutes': setting(z.number().check(z.minimum(0)), 10),
} as const;

type SettingKey = keyof typeof generalSettings;
type SettingValue<K extends SettingKey> = (typeof generalSettings)[K]['fallback'];

/** The settings for one agent, below the section that core/agents names. An empty text means not set. */
export interface AgentSettings {
  readonly path: string;
  /** The name of the model provider. */
  readonly provider: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly format: string;
}

type AgentSettingKey = `${string}.${keyof AgentSettings}`;

const agentSettings: Readonly<Record<AgentSettingKey, Setting<string>>> = Object.fromEntries(knownAgents.flatMap(settingsAbout));

function settingsAbout({ settingsSection, provider }: KnownAgent): readonly (readonly [AgentSettingKey, Setting<string>])[] {
  if (settingsSection === undefined) return [];
  const text = setting(z.string(), '');
  const path = [`${settingsSection}.path`, text] as const;
  if (provider === undefined) return [path];
  return [
    path,
    [`${settingsSection}.provider`, text],
    [`${settingsSection}.baseUrl`, text],
    [`${settingsSection}.model`, text],
    [`${settingsSection}.format`, setting(z.enum(provider.formats), '')],
  ];
}

/** All settings, by key without the prefix `acpHost.`. */
export const settingsTable: Readonly<Record<string, Setting<unknown>>> = { ...generalSettings, ...agentSettings };

interface ParsedSetting<T> {
  readonly value: T;
  /** Why the value is invalid, so that the fallback applies. */
  readonly problem?: string;
}

export function parseSetting<K extends SettingKey>(key: K, value: unknown): ParsedSetting<SettingValue<K>> {
  return parseBy<SettingValue<K>>(generalSettings[key], key, value);
}

/** A setting that the agent does not have counts as not set. */
export function parseAgentSetting(key: AgentSettingKey, value: unknown): ParsedSetting<string> {
  const known = agentSettings[key];
  return known === undefined ? { value: '' } : parseBy(known, key, value);
}

function parseBy<T>({ schema, fallback }: Setting<T>, key: string, value: unknown): ParsedSetting<T> {
  const parsed = schema.safeParse(value);
  return parsed.success ? { value: parsed.data } : { value: fallback, problem: `acpHost.${key}: ${z.prettifyError(parsed.error)}` };
}

/** Parses the agents of the setting one by one, so that an invalid one does not affect the others. */
export function parseAgents(value: Readonly<Record<string, unknown>>): {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly problems: readonly string[];
} {
  const agents = new Map<string, AgentDefinition>();
  const problems: string[] = [];
  for (const [id, entry] of Object.entries(value)) {
    const parsed = parseConfiguredAgent(id, entry);
    if ('definition' in parsed) agents.set(id, parsed.definition);
    else problems.push(`acpHost.agents.${id}: ${parsed.problem}`);
  }
  return { agents, problems };
}

/** Parses one agent of the settings: a command or a URL. */
const entrySchema = z.object({
  label: z.optional(z.string()),
  protocol: z._default(z.string(), defaultProtocol),
  command: z.optional(z.string().check(z.minLength(1))),
  args: z.optional(z.array(z.string())),
  /** `null` removes an inherited variable. */
  env: z.optional(z.record(z.string(), z.nullable(z.string()))),
  url: z.optional(z.string()),
  pin: z.optional(z.string()),
  codeNavigation: z.optional(z.boolean()),
  systemPrompt: z.optional(z.string().check(z.regex(/\S/, 'It is empty'))),
  apiKey: z.optional(z.unknown()),
});
type Entry = z.infer<typeof entrySchema>;

/** The agent, or the reason why the entry is invalid, on one or more lines. */
type ParsedAgent = { readonly definition: AgentDefinition } | { readonly problem: string };

function parseConfiguredAgent(id: string, value: unknown): ParsedAgent {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) return { problem: z.prettifyError(parsed.error) };
  try {
    const problem = combinationProblem(parsed.data);
    if (problem !== undefined) return { problem };
    return { definition: definitionOf(id, parsed.data) };
  } catch (thrown) {
    return { problem: errorMessage(toHostError(thrown), id) };
  }
}

function combinationProblem({ protocol, command, args, env, url, pin, codeNavigation, apiKey }: Entry): string | undefined {
  if (apiKey !== undefined)
    return '"apiKey" does not belong in the settings, which are not secret. ACP Host asks for the key when the server needs it';
  if (command !== undefined && url !== undefined) return 'Set either "command" or "url", not both';
  if (command === undefined && url === undefined) return 'Set "command", or "url" for a server';
  if (url !== undefined && (args !== undefined || env !== undefined)) return '"args" and "env" are for a "command", not for a "url"';
  if (url === undefined && pin !== undefined) return '"pin" is for a "url", not for a "command"';
  if (codeNavigation === true && protocolOf(protocol).asksAboutCode !== true)
    return `"codeNavigation" has no effect: an agent that speaks ${protocol} can't ask the editor`;
  return undefined;
}

/** @throws HostError `usage` */
function definitionOf(
  id: string,
  { label = id, protocol, command, args = [], env = {}, url, pin, codeNavigation = false, systemPrompt }: Entry,
): AgentDefinition {
  const { peer } = protocolOf(protocol);
  const more = { ...(codeNavigation && { mayAskAboutCode: true as const }), ...(systemPrompt !== undefined && { systemPrompt }) };
  if (url === undefined) {
    if (peer === 'server') throw new HostError('usage', { reason: 'protocol_needs_url', protocol });
    return { id, label, protocol, command: command ?? '', args, env, ...more };
  }
  if (peer === 'process') throw new HostError('usage', { reason: 'protocol_needs_command', protocol });
  return {
    id,
    label,
    protocol,
    url: parseServerUrl(url),
    key: { type: 'storage' },
    ...(pin === undefined ? {} : { pin: parsePin(pin) }),
    ...more,
  };
}
