import { isAbsolute, relative, sep } from 'node:path';

/** By the names alone; links are not followed. @param folder absolute @param path absolute @returns true for the folder itself */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** A path as it is shown: relative to the folder where it lies inside. @param path absolute, or relative to the folder and left as it is */
export function shortPath(folder: string, path: string): string {
  if (!isAbsolute(path) || !isWithin(folder, path)) return path;
  return relative(folder, path) || '.';
}
