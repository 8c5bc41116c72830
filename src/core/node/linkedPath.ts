import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isWithin } from '../base/paths.js';

/** The number of links that Linux follows. */
const maxLinks = 40;

/**
 * Follows the symbolic links on the way to a path. It only reads the links and does not access their targets, so a target that does not
 * respond causes no delay.
 * @param folder absolute, existing
 * @param path relative to the folder, or absolute; a path outside the folder is not checked
 * @returns the absolute target if a link leads out of the folder, or if there are too many links; undefined if no link does
 */
export function pathBehindLinks(folder: string, path: string): string | undefined {
  const roots = [folder, realFolder(folder)];
  const isInside = (one: string): boolean => roots.some((root) => isWithin(root, one));
  let current = resolve(folder, path);
  if (!isInside(current)) return undefined;
  for (let links = 0; links < maxLinks; links++) {
    const next = afterFirstLink(roots.find((root) => isWithin(root, current)) ?? folder, current);
    if (next === undefined) return undefined;
    if (!isInside(next)) return next;
    current = next;
  }
  return current;
}

/** @returns undefined if there is no link on the way */
function afterFirstLink(root: string, path: string): string | undefined {
  const names = relative(root, path)
    .split(sep)
    .filter((name) => name !== '');
  let at = root;
  for (const [index, name] of names.entries()) {
    at = join(at, name);
    const target = linkAt(at);
    if (target !== undefined) return join(resolve(dirname(at), target), ...names.slice(index + 1));
  }
  return undefined;
}

function linkAt(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
  } catch {
    return undefined; // No file can have this name, or the path goes through a file, so it leads nowhere.
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // The folder no longer exists, so nothing is below it either.
  }
}

/**
 * Finds Windows paths that name another machine. Looking at such a path signs in there, so the host never does that unasked for an agent.
 */

/**
 * A share can also be written with a prefix: `\\?\UNC\server\share`. Any other path with a prefix may lead anywhere; its machine is "?".
 */
const beginning = /^[\\/]{2}(?:[?.][\\/]UNC[\\/]+)?([^\\/]+)/i;
/** `\\?\C:\` is the same as `C:\`. */
const drive = /^[\\/]{2}[?.][\\/][a-z]:(?:[\\/]|$)/i;

/**
 * @param path absolute
 * @returns the machine in lower case; undefined if the path is on this machine
 */
export function machineOf(path: string): string | undefined {
  return drive.test(path) ? undefined : beginning.exec(path)?.[1]?.toLowerCase();
}
