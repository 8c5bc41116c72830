/** The one place that lists agents: those that can be started here, and those of the registry that can be installed. Starts nothing. */
import path from 'node:path';
import * as z from 'zod/mini';
import type { AgentDefinition, ProcessDefinition } from '../agents/agentDefinition.js';
import { findAgents, type FoundAgent, isAvailable, type LaunchContext } from '../agents/knownAgents.js';
import { HostError, toHostError, systemFacts } from '../base/errors.js';
import { parseJson } from '../base/parseJson.js';
import { downloadText } from '../node/download.js';
import { resolveCommand } from '../node/resolveCommand.js';
import { readSmallFile, replaceSmallFile } from '../node/smallFiles.js';
import {
  agentIdOf,
  agentsFolder,
  definitionOfInstalled,
  type InstalledAgent,
  labelOfEntry,
  type OwnAgents,
  readInstalledAgents,
  withInstalled,
} from './installedAgents.js';
import { pythonTool } from './installAgent.js';
import { type InstallWay, type PackageWay, type ParsedRegistry, parseRegistry, type RegistryEntry } from './registryEntry.js';
import snapshot from './registrySnapshot.json' with { type: 'json' };

export interface CatalogAgent<D extends AgentDefinition = AgentDefinition> extends FoundAgent<D> {
  /** ACP Host installed it. */
  readonly installed?: InstalledAgent;
  /** It is only known from the registry that ships, and a program with its name is on the PATH. */
  readonly isFoundByName?: true;
  /** The registry has another version of it. */
  readonly update?: RegistryEntry;
}

/** An agent that can be installed. */
export interface AvailableAgent {
  /** The id of the definition that it gets. */
  readonly id: string;
  /** The name for users. */
  readonly label: string;
  readonly entry: RegistryEntry;
  readonly way: InstallWay;
  /** The program that is missing here and would install it. */
  readonly needs?: 'npm' | 'python';
  /** The program that it is an adapter for was found. */
  readonly isAdapterMissing?: true;
}

export interface AgentCatalog<D extends AgentDefinition = AgentDefinition> {
  /** The given ones and the installed ones, then the agents of the registry that were found on the PATH. */
  readonly agents: readonly CatalogAgent<D | ProcessDefinition>[];
  /** In the order of the registry, without those that can be started already. */
  readonly available: readonly AvailableAgent[];
}

/** Returns the definitions from which the default agent is chosen: the given ones, and those that ACP Host installed. */
export async function withInstalledAgents<D extends AgentDefinition>(
  own: OwnAgents<D>,
  stateFolder: string,
): Promise<readonly (D | ProcessDefinition)[]> {
  return withInstalled(
    own,
    (await readInstalledAgents(stateFolder)).map((agent) => definitionOfInstalled(stateFolder, agent)),
  );
}

/**
 * Returns the definition of an agent of the registry that is a program which the user may have installed, by its name on the PATH. None of
 * them is ever the default: another program may have the same name. Only the list that ships decides this, because nobody is asked before
 * such a program starts.
 * @param id of the definition
 * @returns undefined if the list has no such program
 */
export async function programOnPath(id: string, context: LaunchContext): Promise<ProcessDefinition | undefined> {
  const entry = shippedRegistry().entries.find((one) => agentIdOf(one.id) === id);
  return entry && (await findProgram(entry, context))?.definition;
}

/** Returns the name by which the agent with this program can be installed from the list that ships; undefined if the list has none. */
export function installNameOf(command: string): string | undefined {
  const entry = shippedRegistry().entries.find((one) => programsOf(one).some((program) => program.command === command));
  return entry && agentIdOf(entry.id);
}

/** @returns the first one that is there, else the first one */
async function findProgram(entry: RegistryEntry, context: LaunchContext): Promise<FoundAgent<ProcessDefinition> | undefined> {
  const found = await findAgents(programsOf(entry), context);
  return found.find(isAvailable) ?? found[0];
}

function programsOf({ id, name, ways }: RegistryEntry): readonly ProcessDefinition[] {
  const binary = ways.find((one) => one.type === 'binary' && one.kind !== 'raw');
  const way = binary ?? ways.find(({ type }) => type !== 'binary');
  if (way === undefined) return [];
  const { args, env } = way;
  const commands = way.type === 'binary' ? [path.posix.basename(way.program).replace(/\.(?:exe|cmd|bat)$/i, '')] : packagePrograms(way);
  return commands.map((command) => ({ id: agentIdOf(id), label: labelOfEntry(id, name), protocol: 'acp', command, args, env }));
}

/** The list rarely names the program of a package. Most have the name of the package, the others lack its ending, as in `codebuddy-code`. */
function packagePrograms({ program, name }: PackageWay): readonly string[] {
  if (program !== undefined) return [program];
  const last = path.posix.basename(name);
  return [...new Set([last, last.replace(/-(?:code|cli)$/, '')])];
}

/** @param name the id of an entry, or that of the known agent that it is */
export function entryNamed({ entries }: Registry, name: string): RegistryEntry | undefined {
  return entries.find(({ id }) => id === name) ?? entries.find(({ id }) => agentIdOf(id) === name);
}

export async function listCatalog<D extends AgentDefinition>(
  own: OwnAgents<D>,
  registry: Registry,
  { stateFolder, context }: { readonly stateFolder: string; readonly context: LaunchContext },
): Promise<AgentCatalog<D>> {
  const installed = await readInstalledAgents(stateFolder);
  const definitions = withInstalled(
    own,
    installed.map((agent) => definitionOfInstalled(stateFolder, agent)),
  );
  const found = await findAgents(definitions, context);
  const others = shippedRegistry().entries.filter((entry) => definitions.every((one) => one.id !== agentIdOf(entry.id)));
  const programs = await Promise.all(others.map((entry) => findProgram(entry, context)));
  const onPath = programs.flatMap((one) => (one !== undefined && isAvailable(one) ? [{ ...one, isFoundByName: true as const }] : []));
  const entryOf = ({ registryId }: InstalledAgent): RegistryEntry | undefined => registry.entries.find(({ id }) => id === registryId);
  const agents = [...found, ...onPath].map((agent): CatalogAgent<D | ProcessDefinition> => {
    const { definition } = agent;
    const own = installed.find((one) => 'command' in definition && definition.command === definitionOfInstalled(stateFolder, one).command);
    const entry = own && entryOf(own);
    // An older list may know only an older version.
    const isNewer = own !== undefined && registry.asOf > own.installedAt;
    const hasUpdate = isNewer && entry !== undefined && entry.version !== own.version && entry.ways.length > 0;
    return { ...agent, ...(own && { installed: own }), ...(hasUpdate && { update: entry }) };
  });
  const missing = registry.entries.filter(
    ({ id }) =>
      installed.every(({ registryId }) => registryId !== id) &&
      !agents.some((one) => one.definition.id === agentIdOf(id) && isAvailable(one)),
  );
  const available: AvailableAgent[] = [];
  for (const entry of missing) {
    const chosen = await chooseWay(entry, context.env);
    if (chosen === undefined) continue;
    const id = agentIdOf(entry.id);
    const isAdapterMissing = agents.find((one) => one.definition.id === id)?.isAdapterMissing === true;
    available.push({ id, label: labelOfEntry(entry.id, entry.name), entry, ...chosen, ...(isAdapterMissing && { isAdapterMissing }) });
  }
  return { agents, available };
}

/**
 * Returns the first way for which this machine has what it takes, else the first way with what is missing.
 * @returns undefined if the registry has nothing for this system
 */
async function chooseWay({ ways }: RegistryEntry, env: NodeJS.ProcessEnv): Promise<Pick<AvailableAgent, 'way' | 'needs'> | undefined> {
  for (const way of ways) if ((await missingFor(way, env)) === undefined) return { way };
  const [first] = ways;
  const needs = first && (await missingFor(first, env));
  return first && { way: first, ...(needs !== undefined && { needs }) };
}

async function missingFor({ type }: InstallWay, env: NodeJS.ProcessEnv): Promise<AvailableAgent['needs']> {
  if (type === 'npm') return (await resolveCommand('npm', { env })) === undefined ? 'npm' : undefined;
  if (type === 'python') return (await pythonTool(env)) === undefined ? 'python' : undefined;
  return undefined;
}

// The list of agents that can be installed: the one that ships with ACP Host, or a newer one, which is fetched only on demand.

export interface Registry extends ParsedRegistry {
  /** When it was valid, in milliseconds since the epoch. */
  readonly asOf: number;
  /** Where it was fetched from; undefined for the one that ships with ACP Host. */
  readonly source?: string;
}

/** The public one. */
export const registryUrl = 'https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json';

const snapshotAsOf = Date.UTC(2026, 6, 24);
const limitBytes = 8 * 1024 * 1024;
const silenceMs = 15_000;
const savedSchema = z.object({ fetchedAt: z.number(), source: z.string(), registry: z.unknown() });

function savedFile(stateFolder: string): string {
  return path.join(agentsFolder(stateFolder), 'registry.json');
}

/**
 * Returns the list that was fetched last from there, else the one that ships with ACP Host. Fetches nothing.
 * @param url of the registry that the user wants
 */
export function readRegistry(stateFolder: string, url: string): Registry {
  const saved = savedSchema.safeParse(parseJson(readSaved(stateFolder)));
  const parsed = saved.success && saved.data.source === url ? parseRegistry(saved.data.registry, process, url) : undefined;
  if (saved.success && parsed !== undefined) return { ...withQuarantine(parsed), asOf: saved.data.fetchedAt, source: url };
  return shippedRegistry();
}

/** The list that ships with ACP Host, and is trusted as ACP Host itself is. */
function shippedRegistry(): Registry {
  return { entries: [], leftOut: [], ...parseRegistry(snapshot, process), asOf: snapshotAsOf };
}

/** The registry publishes its list without the quarantine, so what is known of that counts for the versions that it froze. */
function withQuarantine({ entries, leftOut }: ParsedRegistry): ParsedRegistry {
  const known = new Map(shippedRegistry().entries.map((entry) => [entry.id, entry]));
  const marked = entries.map((entry) => {
    const { version, quarantine } = known.get(entry.id) ?? {};
    return entry.quarantine === undefined && quarantine !== undefined && version === entry.version ? { ...entry, quarantine } : entry;
  });
  return { entries: marked, leftOut };
}

function readSaved(stateFolder: string): string {
  try {
    return readSmallFile(savedFile(stateFolder))?.text ?? '';
  } catch {
    // There is another list.
    return '';
  }
}

/**
 * Fetches the list and saves it.
 * @throws HostError `install_failed`, `cancelled`
 */
export async function fetchRegistry(stateFolder: string, url: string, signal: AbortSignal): Promise<Registry> {
  try {
    return await fetchAndSave(stateFolder, url, signal);
  } catch (thrown) {
    const error = toHostError(thrown);
    throw error.code === 'install_failed' ? error.with({ what: 'list' }) : error;
  }
}

async function fetchAndSave(stateFolder: string, url: string, signal: AbortSignal): Promise<Registry> {
  const body = parseJson(await downloadText(url, { limitBytes, silenceMs, signal }));
  const parsed = parseRegistry(body, process, url);
  if (parsed === undefined) throw new HostError('install_failed', { reason: 'registry_format', url });
  const asOf = Date.now();
  try {
    replaceSmallFile(savedFile(stateFolder), JSON.stringify({ fetchedAt: asOf, source: url, registry: body }));
  } catch (cause) {
    throw new HostError('install_failed', { reason: 'disk', path: stateFolder, ...systemFacts(cause) }, { cause });
  }
  return { ...withQuarantine(parsed), asOf, source: url };
}

/** What is installed if the user agrees. */
export interface InstallPlan {
  readonly entry: RegistryEntry;
  readonly way: InstallWay;
  /** The update would be to the version that is installed. */
  readonly isUpToDate: boolean;
}

export interface InstallPlanOptions {
  readonly stateFolder: string;
  /** Of the registry. */
  readonly url: string;
  readonly env: NodeJS.ProcessEnv;
  /** Fetches the newest list. */
  readonly fetch: () => Promise<Registry>;
  /** The newest list could not be fetched. @param asOf of the list that is used instead; milliseconds since the epoch */
  readonly onOlderList: (asOf: number, error: HostError) => void;
  /** The agent to update. */
  readonly update?: InstalledAgent | undefined;
}

/**
 * Finds what to install, or to update to. Without a network, an older list has to do for an installation, because packages may come from
 * elsewhere. For an update, it could only lead back to an older version.
 * @param name an id of the registry, or that of an agent
 * @throws HostError `install_failed`, `cancelled`
 */
export async function planInstall(name: string, options: InstallPlanOptions): Promise<InstallPlan> {
  const { stateFolder, url, env, fetch, onOlderList, update } = options;
  const known = (thrown: unknown): Registry => {
    const error = toHostError(thrown);
    // Where the list can't be saved, no agent can.
    if (error.code === 'cancelled' || error.params.reason === 'disk' || update !== undefined) throw error;
    const registry = readRegistry(stateFolder, url);
    onOlderList(registry.asOf, error);
    return registry;
  };
  const entry = entryNamed(await fetch().catch(known), name);
  if (entry === undefined) throw new HostError('install_failed', { reason: 'not_listed' });
  const { way, needs } = (await chooseWay(entry, env)) ?? {};
  if (way === undefined) throw new HostError('install_failed', { reason: 'no_way' });
  if (needs !== undefined) throw new HostError('install_failed', { reason: 'tool_missing', tool: needs === 'python' ? 'uv' : needs });
  return { entry, way, isUpToDate: update?.version === entry.version };
}
