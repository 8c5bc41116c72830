import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isWithin } from '../base/paths.js';

/** As many as Linux follows. */
const maxLinks = 40;

/**
 * Follows the symbolic links on the way to a path, by reading them only: what they lead to is not touched, so that a place that does not answer holds
 * nobody up.
 * @param folder absolute, existing
 * @param path relative to the folder, or absolute; what lies outside by its name is not looked at
 * @returns absolute, where a link leads out of the folder, or on and on; undefined where none does
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

/** @returns undefined where there is no link on the way */
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
    return undefined; // The name cannot be one of a file, or lies behind a file: it leads nowhere.
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder; // Gone by now; then nothing is below it either.
  }
}
