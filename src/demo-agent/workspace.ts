/** The session's folder and its boundary: no path leads out of it, not even through symbolic links. */
import { lstat, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { CommandError } from './commandError.js';

export interface Workspace {
  /** The real, absolute path. */
  readonly root: string;
  /**
   * Returns the real, absolute path of what the user named. The file itself need not exist.
   * @throws CommandError if it is outside the folder, or behind a link that leads outside or nowhere
   */
  resolve(named: string): Promise<string>;
  /** Formats a path for users: relative to the root, with forward slashes; the root itself is `.`. */
  display(absolute: string): string;
}

/** @param folder absolute, existing */
export async function openWorkspace(folder: string): Promise<Workspace> {
  const root = await realpath(folder);
  return {
    root,
    async resolve(named) {
      const real = await realPathOf(path.resolve(root, named));
      if (real !== root && !real.startsWith(root.endsWith(path.sep) ? root : root + path.sep)) {
        throw new CommandError(`\`${named}\` is outside the workspace, where I do not read or write.`);
      }
      return real;
    },
    display: (absolute) => path.relative(root, absolute).split(path.sep).join('/') || '.',
  };
}

/** Resolves the nearest existing ancestor; what does not exist yet cannot be a link. */
async function realPathOf(absolute: string): Promise<string> {
  try {
    return await realpath(absolute);
  } catch (error) {
    if (!isMissing(error)) throw error;
    if (await isDanglingLink(absolute)) throw new CommandError(`\`${path.basename(absolute)}\` is a link that leads nowhere.`);
    return path.join(await realPathOf(path.dirname(absolute)), path.basename(absolute));
  }
}

async function isDanglingLink(absolute: string): Promise<boolean> {
  try {
    return (await lstat(absolute)).isSymbolicLink();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** Large and generated folders, whose content would hide what users search for. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/** Yields every file below a folder in alphabetical order, without following links. Leaves out unreadable folders. */
export async function* walkFiles(folder: string, signal: AbortSignal): AsyncGenerator<string> {
  signal.throwIfAborted();
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.sort((a, b) => a.name.localeCompare(b.name))) {
    const absolute = path.join(folder, entry.name);
    if (entry.isFile()) yield absolute;
    else if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) yield* walkFiles(absolute, signal);
  }
}
