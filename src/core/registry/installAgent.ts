/** Installs an agent of the registry into a folder of ours, and removes it. Starts no agent. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { HostError, messageOf, toHostError } from '../base/errors.js';
import { isOfSystem, listFolders, makeFolder, removeFolder } from '../node/files.js';
import { resolveCommand } from '../node/resolveCommand.js';
import { removeSmallFile, replaceSmallFile } from '../node/smallFiles.js';
import { installBinary } from './installBinary.js';
import { installNpm } from './installNpm.js';
import { installPython } from './installPython.js';
import { agentsFolder, currentFile, formatInstalled, type InstalledAgent, readInstalledAgent } from './installedAgents.js';
import { takeInstallLock } from './installLock.js';
import type { InstallWay, RegistryEntry } from './registryEntry.js';

/** What is being done, for the user. */
export type InstallStep =
  /** @param totalBytes undefined if the server does not say */
  | { readonly type: 'downloading'; readonly bytes: number; readonly totalBytes: number | undefined }
  | { readonly type: 'unpacking' }
  /** @param line of the output of the tool */
  | { readonly type: 'running'; readonly tool: string; readonly line?: string };

/** What the user has to agree to in the middle, because only then it is known. */
export type InstallQuestion =
  /** The download has no published hash. Without consent, it is not installed. */
  | { readonly type: 'unverified'; readonly url: string; readonly sha256: string; readonly bytes: number }
  /** Packages want to run programs of theirs now. Without consent, they are installed, and these programs don't run. */
  | { readonly type: 'scripts'; readonly packages: readonly string[] }
  /** A package, or one that it depends on, could not be installed without being built, which runs programs of theirs. */
  | { readonly type: 'builds'; readonly package: string };

export interface InstallOptions {
  /** Absolute. */
  readonly stateFolder: string;
  /** The environment in which package managers are found and run. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly onStep: (step: InstallStep) => void;
  readonly consent: (question: InstallQuestion) => Promise<boolean>;
  readonly limits?: InstallLimits;
}

export interface InstallLimits {
  readonly downloadBytes: number;
  readonly unpackedBytes: number;
  readonly entries: number;
  /** How long a server may send nothing. */
  readonly silenceMs: number;
}

const gigabyte = 1024 ** 3;
/** Above the largest agent of the registry: 300 MB packed, 1 GB unpacked. */
export const defaultInstallLimits: InstallLimits = {
  downloadBytes: gigabyte,
  unpackedBytes: 4 * gigabyte,
  entries: 200_000,
  silenceMs: 60_000,
};

/** What the ways to install have in common. */
export interface Installing extends InstallOptions {
  readonly registryId: string;
  /** The empty folder of the new version, absolute. */
  readonly folder: string;
  readonly limits: InstallLimits;
}

/** What a way to install leaves in the folder. */
export type InstalledParts = Pick<InstalledAgent, 'program' | 'source'> & Partial<Pick<InstalledAgent, 'sha256'>>;

/**
 * Installs this version beside the one that there may be, and makes it the current one. If anything fails, the old one stays as it is. The
 * version before it stays on the disk until the next installation, because agents of it may be running.
 * @param way one of the entry
 * @throws HostError `install_failed`, `cancelled`
 */
export async function installAgent(entry: RegistryEntry, way: InstallWay, options: InstallOptions): Promise<InstalledAgent> {
  const { id, name, version } = entry;
  const { stateFolder, signal } = options;
  const home = path.join(agentsFolder(stateFolder), id);
  return inTurn(stateFolder, id, async () => {
    const before = readInstalledAgent(stateFolder, id);
    // On Windows, a program that runs can't be removed. The next installation tries again.
    await removeOthers(home, before?.folder).catch(() => {});
    const folderName = `${version}-${randomBytes(4).toString('hex')}`;
    const folder = path.join(home, folderName);
    try {
      await makeFolder(folder);
      const parts = await runWay(way, { limits: defaultInstallLimits, ...options, registryId: id, folder });
      const { args, env } = way;
      const agent = { ...parts, registryId: id, name, version, folder: folderName, args, env, installedAt: Date.now() };
      if ((await resolveCommand(path.join(folder, agent.program), { env: options.env })) === undefined)
        throw new HostError('install_failed', { reason: 'no_program', command: agent.program });
      if (signal.aborted) throw new HostError('cancelled');
      replaceSmallFile(currentFile(stateFolder, id), formatInstalled(agent));
      return agent;
    } catch (error) {
      // What can't be removed now is removed before the next installation.
      await removeFolder(folder).catch(() => {});
      throw error;
    }
  });
}

/**
 * Removes the agent with all its versions. Does nothing if it is not installed.
 * @throws HostError `install_failed`
 */
export async function removeAgent(stateFolder: string, registryId: string): Promise<void> {
  await inTurn(stateFolder, registryId, async () => {
    // Comes first: from then on, nobody starts it.
    removeSmallFile(currentFile(stateFolder, registryId));
    await removeOthers(path.join(agentsFolder(stateFolder), registryId), undefined);
  });
}

/** @throws HostError `install_failed`, `cancelled` */
async function inTurn<T>(stateFolder: string, registryId: string, work: () => Promise<T>): Promise<T> {
  try {
    const lock = await takeInstallLock(path.join(agentsFolder(stateFolder), registryId, 'lock.json'));
    try {
      return await work();
    } finally {
      lock.dispose();
    }
  } catch (error) {
    if (isOfSystem(error)) throw new HostError('install_failed', { reason: 'disk', detail: messageOf(error) }, { cause: error });
    throw toHostError(error);
  }
}

async function removeOthers(home: string, kept: string | undefined): Promise<void> {
  for (const folder of await listFolders(home)) if (path.basename(folder) !== kept) await removeFolder(folder);
}

function runWay(way: InstallWay, installing: Installing): Promise<InstalledParts> {
  switch (way.type) {
    case 'npm':
      return installNpm(way, installing);
    case 'python':
      return installPython(way, installing);
    case 'binary':
      return installBinary(way, installing);
  }
}
