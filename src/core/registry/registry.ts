/** The list of agents that can be installed: the one that ships with ACP Host, or a newer one, which is fetched only on demand. */
import path from 'node:path';
import * as z from 'zod/mini';
import { HostError, messageOf, toHostError } from '../base/errors.js';
import { parseJson } from '../base/parseJson.js';
import { downloadText } from '../node/download.js';
import { readSmallFile, replaceSmallFile } from '../node/smallFiles.js';
import { agentsFolder } from './installedAgents.js';
import { type ParsedRegistry, parseRegistry } from './registryEntry.js';
import snapshot from './registrySnapshot.json' with { type: 'json' };

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
  if (saved.success && parsed !== undefined) return { ...parsed, asOf: saved.data.fetchedAt, source: url };
  return shippedRegistry();
}

/** The list that ships with ACP Host, and is trusted as ACP Host itself is. */
export function shippedRegistry(): Registry {
  return { entries: [], leftOut: [], ...parseRegistry(snapshot, process), asOf: snapshotAsOf };
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
    throw new HostError('install_failed', { reason: 'disk', detail: messageOf(cause) }, { cause });
  }
  return { ...parsed, asOf, source: url };
}
