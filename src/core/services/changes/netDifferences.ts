/** What several change sets did together. */
import { sliced } from '../../node/sliced.js';
import type { BytePath, FileDifference } from './differences.js';
import { isSame } from './undo.js';

/**
 * Joins the changes of a file that follow one another, because git takes back only one change of a file at a time.
 * @param sets oldest first
 * @returns what one patch can have, oldest first: one part, and more where a file was changed in between
 */
export async function netDifferences(sets: readonly (readonly FileDifference[])[]): Promise<readonly (readonly FileDifference[])[]> {
  const all = new Set<FileDifference>();
  const last = new Map<BytePath, FileDifference>();
  for (const files of sets) {
    const earlier = new Map(files.flatMap(({ path, from }) => [path, from].map((name) => [name, last.get(name)])));
    for (const { from } of files) last.delete(from);
    for await (const change of sliced(files)) {
      let file = change;
      const follow = (name: BytePath): void => {
        const before = earlier.get(name);
        if (before === undefined || !isSame(before.after, file.before)) return;
        all.delete(before);
        file = { ...file, from: before.before === undefined ? file.path : before.from, before: before.before };
      };
      follow(change.from);
      // A file that was added under another name may be in the place of one that was deleted.
      if (file.before === undefined && file.path !== change.from) follow(file.path);
      last.set(file.path, file);
      if (file.path !== file.from || !isSame(file.before, file.after)) all.add(file);
    }
  }
  const parts: { readonly names: Set<string>; readonly files: FileDifference[] }[] = [];
  for await (const file of sliced(all)) {
    const names = [...(file.before ? [`before ${file.from}`] : []), ...(file.after ? [`after ${file.path}`] : [])];
    const used = parts.findLastIndex((part) => names.some((name) => part.names.has(name)));
    const part = (parts[used + 1] ??= { names: new Set(), files: [] });
    names.forEach((name) => part.names.add(name));
    part.files.push(file);
  }
  return parts.map(({ files }) => files);
}
