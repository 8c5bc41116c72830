/**
 * The agents that ACP Host installed: a folder for each, with one for each version, and a small file that names the current one. Only
 * replacing that file makes a version the current one, so whatever fails before leaves the old one as it is.
 */
import path from 'node:path';
import * as z from 'zod/mini';
import type { AgentDefinition, ProcessDefinition } from '../agents/agentDefinition.js';
import { findKnownAgent, knownAgents } from '../agents/knownAgents.js';
import { parseJson } from '../base/parseJson.js';
import { listFolders } from '../node/files.js';
import { readSmallFile } from '../node/smallFiles.js';

export interface InstalledAgent {
  /** The id of the entry in the registry. */
  readonly registryId: string;
  readonly name: string;
  readonly version: string;
  /** The name of the folder with this version, beside the file. */
  readonly folder: string;
  /** The path of the program, relative to that folder, with `/` between folders. */
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The package, or the address of the download. */
  readonly source: string;
  /** Of the download. */
  readonly sha256?: string;
  /** In milliseconds since the epoch. */
  readonly installedAt: number;
}

const schema = z.object({
  schemaVersion: z.literal(1),
  registryId: z.string().check(z.regex(/^[a-z][a-z0-9-]*$/)),
  name: z.string(),
  version: z.string(),
  folder: z.string().check(z.regex(/^[\w.+-]*\w$/)),
  program: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  source: z.string(),
  sha256: z.optional(z.string()),
  installedAt: z.number(),
});

export function agentsFolder(stateFolder: string): string {
  return path.join(stateFolder, 'agents');
}

/** The file that names the current version. */
export function currentFile(stateFolder: string, registryId: string): string {
  return path.join(agentsFolder(stateFolder), registryId, 'current.json');
}

export function formatInstalled(agent: InstalledAgent): string {
  return JSON.stringify({ schemaVersion: 1, ...agent });
}

/** Returns undefined if it is not installed, or if the file is damaged. */
export function readInstalledAgent(stateFolder: string, registryId: string): InstalledAgent | undefined {
  let text: string | undefined;
  try {
    text = readSmallFile(currentFile(stateFolder, registryId))?.text;
  } catch {
    return undefined;
  }
  const parsed = schema.safeParse(parseJson(text ?? ''));
  if (!parsed.success || parsed.data.registryId !== registryId) return undefined;
  const { schemaVersion: _, sha256, ...agent } = parsed.data;
  return { ...agent, ...(sha256 === undefined ? {} : { sha256 }) };
}

/** In the order of their ids. A folder that can't be read has none: other agents don't depend on it. */
export async function readInstalledAgents(stateFolder: string): Promise<readonly InstalledAgent[]> {
  const folders = await listFolders(agentsFolder(stateFolder)).catch((): readonly string[] => []);
  return folders.toSorted().flatMap((folder) => readInstalledAgent(stateFolder, path.basename(folder)) ?? []);
}

/** Returns the id of the definition of an entry of the registry: that of the known agent that it is. */
export function agentIdOf(registryId: string): string {
  return knownAgents.find((known) => known.registryId === registryId)?.id ?? registryId;
}

export function definitionOfInstalled(stateFolder: string, agent: InstalledAgent): ProcessDefinition {
  const { registryId, folder, program, args, env } = agent;
  return {
    id: agentIdOf(registryId),
    label: labelOfEntry(agent.registryId, agent.name),
    protocol: 'acp',
    command: path.join(agentsFolder(stateFolder), registryId, folder, program),
    args,
    env,
  };
}

/** A known agent has the same name wherever it comes from. */
export function labelOfEntry(registryId: string, name: string): string {
  const known = findKnownAgent(agentIdOf(registryId));
  return known?.launch === undefined ? name : known.label;
}

/** The agents of a front end. */
export interface OwnAgents<D extends AgentDefinition> {
  /** Known ones, which an installed one with the same id replaces. */
  readonly builtin: readonly D[];
  /** Those of the user, which replace installed ones. */
  readonly configured?: readonly D[];
}

/** Returns all definitions, with one for each id. Those of the user precede the installed ones, and thus are preferred as the default. */
export function withInstalled<D extends AgentDefinition>(
  { builtin, configured = [] }: OwnAgents<D>,
  all: readonly ProcessDefinition[],
): readonly (D | ProcessDefinition)[] {
  const installed = all.filter(({ id }) => configured.every((one) => one.id !== id));
  const others = installed.filter(({ id }) => builtin.every((one) => one.id !== id));
  return [...builtin.map((one) => installed.find(({ id }) => id === one.id) ?? one), ...configured, ...others];
}
