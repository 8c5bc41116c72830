import { isAbsolute, relative, sep } from 'node:path';

/**
 * Compares names only; does not follow links.
 * @param folder absolute
 * @param path absolute
 * @returns true for the folder itself
 */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Formats a path for display: relative to the folder if it is inside.
 * @param path absolute; a relative path is returned unchanged
 */
export function shortPath(folder: string, path: string): string {
  if (!isAbsolute(path) || !isWithin(folder, path)) return path;
  return relative(folder, path) || '.';
}
