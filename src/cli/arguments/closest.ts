/** No name is as long. */
const longestWord = 40;

/** The name that a word with a typing error stands for, or that it abbreviates; undefined if none or several come into question. */
export function closest(word: string, names: readonly string[]): string | undefined {
  if (word.length > longestWord) return undefined;
  const abbreviated = word.length < 3 ? [] : names.filter((name) => name.startsWith(word));
  const near = names.filter((name) => edits(word, name) <= Math.max(1, Math.floor(word.length / 4)));
  const [found, ...others] = abbreviated.length > 0 ? abbreviated : near;
  return others.length === 0 ? found : undefined;
}

/** How many characters were added, left out, replaced, or swapped with the next one (optimal string alignment). */
function edits(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= from.length; row++) {
    rows.push([row]);
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const changed = Math.min(at(row - 1, column), at(row, column - 1), isSame ? Infinity : at(row - 1, column - 1)) + 1;
      rows[row]?.push(Math.min(changed, isSame ? at(row - 1, column - 1) : Infinity, isSwapped ? at(row - 2, column - 2) + 1 : Infinity));
    }
  }
  return at(from.length, to.length);
}
