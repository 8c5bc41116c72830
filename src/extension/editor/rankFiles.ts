/** Which files a user may mean who types a part of their names. */

/**
 * Ranks by how well the name fits: it begins with what was typed, contains it, or only the path does. Shorter paths come first.
 * @param paths with `/` between folders
 * @param typed in any case; may contain folders
 * @returns at most `limit` paths that contain `typed`
 */
export function rankFiles(paths: readonly string[], typed: string, limit: number): readonly string[] {
  const wanted = typed.toLowerCase();
  const ranked = paths.flatMap((path) => {
    const lower = path.toLowerCase();
    const inName = lower.slice(lower.lastIndexOf('/') + 1).indexOf(wanted);
    if (inName === -1 && !lower.includes(wanted)) return [];
    return [{ path, rank: inName === 0 || lower.startsWith(wanted) ? 0 : inName > 0 ? 1 : 2 }];
  });
  ranked.sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
  return ranked.slice(0, limit).map(({ path }) => path);
}
